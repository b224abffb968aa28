# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kinds of rows. A kind is a module of this folder: a class of rows, and

    rows()        lists them;
    compiled()    those whose compilation is timed: what results call them, the
                  row, and how many milliseconds it may take, or None;
    remembered()  those whose memory is measured.

How its peers say a row stands in the module of the same name in bench/written.
"""

import importlib
import math
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

# Modules of this folder, in the order in which their rows are measured.
KINDS = ("attention", "training", "dense", "charlm", "swin", "models")
# So few rows of products are bound by bytes, not by operations.
FEW = 8


@dataclass(frozen=True)
class Row:
    """A case: what is compiled, its arguments, and the figures that it is to reach.
    `against` is the row whose time this one is compared with, `even` that whose
    share of peak is; `goals` by what they are about: share1 and share2 (of peak, by
    threads), peer (ratio to the best peer), time (to `against`), even (of the share
    of `even`), linear (time a position, over that of `even`), memory (beside
    arguments and result, over ONNX Runtime's).

    A kind adds `variant`, the name of the compiled function, and the methods below
    that have no body."""
    name: str
    _: KW_ONLY
    dtype: str = "f32"
    target: str = "native"
    causal: bool = False
    group: str = ""
    against: str = ""
    even: str = ""
    goals: dict = field(default_factory=dict)
    peers: bool = True

    # The peers that may know rows of this kind.
    PEERS: ClassVar = ("eager", "compile", "onnxruntime")
    # Those whose memory is measured.
    REMEMBERED: ClassVar = ("eager", "compile", "onnxruntime")
    # Of the file that is compiled.
    SUFFIX: ClassVar = ".mlir"

    def dims(self):
        """All sizes by letter."""
        raise NotImplementedError

    def shape(self):
        """As a person writes it."""
        return " ".join(f"{letter}{size}" for letter, size in self.dims().items())

    @property
    def is_read_bound(self):
        """Whether bytes bound it, not operations."""
        raise NotImplementedError

    def source(self):
        """The source that is compiled, as MLIR; of another format, whatever tells it apart from
        others."""
        raise NotImplementedError

    def options(self):
        """Of mixattn-compile."""
        return ()

    def write(self, file):
        """Writes what is compiled."""
        file.write_text(self.source())

    def draw(self, generator):
        """The arguments of the function, in its order, as arrays, and the element
        types of those that are floats, both by name."""
        raise NotImplementedError

    def result_shape(self):
        raise NotImplementedError

    def further_shapes(self):
        """Of results after the first one: they are written, and not checked here."""
        return []

    def check(self, arguments):
        """What tells whether a result is right: `error(result)`, and the `limit` that
        it must not exceed."""
        raise NotImplementedError

    def flops(self, manifest):
        """Operations of a call; a manifest says its own, as a sum of products."""
        dims = self.dims()
        return sum(term["coefficient"] * math.prod(dims[dim] for dim in term["dims"])
                   for term in manifest["entries"][0]["flops"])

    def small(self):
        """A row whose call makes what all calls share: pools, and the allocator's
        own memory."""
        return self

    def least_bytes(self):
        """Memory that PyTorch needs op by op, where that may be more than there
        is."""
        return 0

    def written(self):
        """How peers say rows of this kind: `ways(row, x)` in PyTorch, `graph(row, x)`
        in ONNX."""
        return importlib.import_module(f"bench.written.{self.kind()}")

    @classmethod
    def kind(cls):
        return cls.__module__.rpartition(".")[2]


def load(name):
    return importlib.import_module(f"bench.kinds.{name}")
