# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is checked and what is timed, in the order of the value of knowing it: a run
that is cut off anywhere has the most that was to be had."""

from typing import NamedTuple

import signatures
from bench import paths
from bench.gpu import Failure

# Of calls that are timed; a row's own stand in its text.
USUAL = {"B": 4, "N": 8192, "S": 8192}

# Goals on an H200 in bf16 first, then one row for each schedule.
TIMED = (
    "softmax:H=16,D=128", "mixhead_a:H=16,D=64", "mgk:H=16,D=128",
    "fish_hard:M=4,H=16,D=64", "mlk_causal:H=16,D=64", "mixhead_b:H=16,D=64",
    "softmax:H=16,D=64,N=1,S=65536@decode",
    "softmax_gqa:H=16,G=2,D=64,B=16,N=1,S=65536@decode",
    "structured_band:H=16,D=64", "band_projection:H=16,D=64",
    "softmax:H=16,D=64", "softmax_causal:H=16,D=128", "mgk:H=16,D=64",
    "mgk:H=16,D=64,N=1,S=65536@decode", "mgk_hard:H=16,D=64", "smgk:H=16,D=64",
    "gfish_hard:M=4,H=16,D=64", "gaussian:H=16,D=64", "sigsoftmax:H=16,D=64",
    "mgk_causal:H=16,D=64", "mixhead_a_causal:H=16,D=64", "softmax_bias:H=16,D=64",
    "composed", "linear:H=16,D=64", "linear_causal:H=16,D=64",
    "band_softmax:H=16,D=64", "softmax:H=16,D=256",
)


class Row(NamedTuple):
    """A variant in sizes, static and dynamic; a size that is not said is one of
    USUAL's. A plan may be forced, as `@decode`."""
    text: str
    variant: str
    static: dict
    dims: dict
    plan: str

    @classmethod
    def of(cls, text):
        """`softmax:H=16,D=128,N=1@decode`"""
        said, _, plan = text.partition("@")
        variant, _, sizes = said.partition(":")
        if not (paths.VARIANTS / f"{variant}.mlir").exists():
            raise Failure(f"expected a row of examples/variants, but got '{text}'")
        pairs = [each.partition("=") for each in sizes.split(",") if each]
        if not all(value.isdecimal() and int(value) for _, _, value in pairs):
            raise Failure(f"expected sizes such as H=16,D=128, but got '{text}'")
        sizes = {name: int(value) for name, _, value in pairs}
        dynamic = signatures.dynamic_dims(variant)
        unknown = set(sizes) - dynamic - set(signatures.static_sizes(variant))
        if unknown:
            raise Failure(f"expected dims of {variant}, but got '{min(unknown)}'")
        return cls(text, variant,
                   {name: size for name, size in sizes.items() if name not in dynamic},
                   {name: sizes.get(name, USUAL.get(name, 1)) for name in dynamic}, plan)

    def source(self, dtype):
        text = (paths.VARIANTS / f"{self.variant}.mlir").read_text()
        if self.static:
            text = signatures.resize(self.variant, text, self.static)
        return text.replace("f32", dtype)

    def stem(self):
        """As a name of a folder."""
        sizes = "".join(f"_{name}{size}" for name, size in self.static.items())
        return self.variant + sizes + (f"_{self.plan}" if self.plan else "")


def checked():
    """Every variant in the sizes of its file, those of goals first."""
    first = [each.partition(":")[0] for each in TIMED]
    names = sorted(each.stem for each in paths.VARIANTS.glob("*.mlir"))
    return list(dict.fromkeys(first + names))
