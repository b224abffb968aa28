# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention: a variant in one shape, checked against the oracle of the numeric
tests."""

import random
import re
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

import inputs
import signatures
from bench import machine, paths
from bench.check import Oracle
from bench.kinds import FEW, Row

# Those that are measured in every shape.
FAMILIES = ("softmax", "mgk", "smgk_full", "fish_hard", "gfish_hard",
            "mixhead_a", "mixhead_b")
BASE = ("softmax", "mgk", "fish_hard", "mixhead_a")
# Lengths at which memory is measured.
LENGTHS = (1024, 4096, 16384)
# Milliseconds that compiling may take.
MOST_COMPILING = 500
# An op's operands end where its types begin.
TYPES_BEGIN = re.compile(r"\n( *): ?\(tensor")


@dataclass(frozen=True)
class Attention(Row):
    """`sizes` are those of static dims that are not as in the file of the
    variant."""
    variant: str
    N: int
    S: int = 0
    B: int = 1
    sizes: dict = field(default_factory=dict)

    PEERS: ClassVar = ("eager", "strips", "compile", "sdpa", "flex", "onnxruntime")
    REMEMBERED: ClassVar = ("eager", "sdpa", "flex")

    @property
    def keys(self):
        return self.S or self.N

    @property
    def is_linear(self):
        return self.variant.startswith(("linear", "mlk", "smlk"))

    @property
    def is_read_bound(self):
        return self.N <= FEW

    def dims(self):
        return (signatures.static_sizes(self.variant) | self.sizes
                | {"B": self.B, "N": self.N, "S": self.keys})

    def shape(self):
        """As many keys as queries are not said."""
        dims = self.dims()
        letters = "BMHRDNS" if dims["S"] != dims["N"] else "BMHRDN"
        return " ".join(f"{letter}{dims[letter]}" for letter in letters
                        if letter in dims)

    def source(self):
        """The variant's file, in the row's sizes and type, with its mask."""
        text = (paths.VARIANTS / f"{self.variant}.mlir").read_text()
        if self.sizes:
            text = signatures.resize(self.variant, text, self.sizes)
        if self.causal and not self.variant.endswith("_causal"):
            text = TYPES_BEGIN.sub(r" causal\n\1: (tensor", text, count=1)
        return text.replace("f32", self.dtype)

    def draw(self, generator):
        drawn, dtypes = inputs.draw_all(self.variant, self.dims(), 1, self.dtype,
                                        generator)
        # Priors of the tests are 0 here and there; models' are not.
        if "prior" in drawn:
            drawn["prior"] = np.maximum(drawn["prior"], 0.1)
        return drawn, dtypes

    def small(self):
        return Attention("warm", self.variant, 64)

    def least_bytes(self):
        """Those of scores and weights."""
        d = self.dims()
        return 2 * d["B"] * d["H"] * d["N"] * d["S"] * (4 if self.dtype == "f32" else 2)

    def result_shape(self):
        """That of `o`."""
        dims = self.dims()
        return dims["B"], dims["H"], dims["N"], dims["D"]

    def check(self, arguments):
        return Oracle(arguments)

    def flops(self, manifest=None):
        """Products that the variant needs; recomputation, exp and mixing count
        nothing, and a causal mask halves. Shifted keys need one product."""
        d = self.dims()
        if self.is_linear:
            return 4 * d["B"] * d["H"] * d["N"] * d["D"] ** 2
        scores = d.get("M", d["H"]) * (d.get("R", 1) if self.variant == "mgk" else 1)
        pairs = d["B"] * d["N"] * d["S"] * d["D"]
        return 2 * (scores + d["H"]) * pairs / (2 if self.causal else 1)


def headline():
    """One row a family at two lengths, with bfloat16 and AVX2."""
    goals = {
        "softmax": {"share1": 0.92, "share2": 0.90, "peer": 1.3},
        "mgk": {"share1": 0.88, "share2": 0.86, "peer": 1.8},
        "smgk_full": {"time": 1.15, "peer": 3},
        "fish_hard": {"share1": 0.85, "share2": 0.84, "peer": 1.9},
        "gfish_hard": {"time": 1.35, "peer": 3},
        "mixhead_a": {"share1": 0.78, "share2": 0.76, "peer": 1.8},
        "mixhead_b": {"time": 1.15, "peer": 2},
    }
    against = {"smgk_full": "softmax_h4", "gfish_hard": "fish_hard",
               "mixhead_b": "mixhead_a"}
    yield Attention("softmax_h4_n2048", "softmax", 2048, sizes={"H": 4}, peers=False,
              group="main")
    for name in FAMILIES:
        for length in (2048, 4096) if name == "softmax" else (2048,):
            other = against.get(name)
            yield Attention(f"{name}_n{length}", name, length, group="main",
                      against=f"{other}_n{length}" if other else "",
                      goals=goals[name])


def other_types():
    shares = {"softmax": (0.82, 0.80, 1.3), "mgk": (0.75, None, 1.5),
              "fish_hard": (0.72, None, 1.5), "mixhead_a": (0.65, None, 1.5)}
    # Exponentials bound what AMX multiplies: no share of its peak is a goal.
    if machine.has_amx():
        shares = {"softmax": (None, None, 2.2), "mgk": (None, None, 3.5),
                  "fish_hard": (None, None, 3), "mixhead_a": (None, None, 4)}
    for name, (one, two, peer) in shares.items():
        goals = {"share1": one, "share2": two, "peer": peer}
        yield Attention(f"{name}_bf16", name, 2048, dtype="bf16", group="bf16",
                  goals={k: v for k, v in goals.items() if v})
    for name in ("softmax", "mgk"):
        yield Attention(f"{name}_avx2", name, 2048, target="x86-64-v3", peers=False,
                  group="avx2", goals={"share1": 0.85, "share2": 0.85})


def linear():
    for length in (4096, 65536):
        yield Attention(f"mlk_causal_n{length}", "mlk_causal", length, causal=True,
                  group="linear", even="mlk_causal_n4096",
                  goals={"peer": 2} | ({"linear": 1.05} if length > 4096 else {}))


def causal():
    """Causal rows, each compared with the same row without a mask."""
    for name in FAMILIES:
        if name != "softmax":
            yield Attention(f"{name}_n4096", name, 4096, group="lengths",
                      peers=name in BASE)
        yield Attention(f"{name}_causal_n4096", name, 4096, causal=True,
                  group="causal", against=f"{name}_n4096", goals={"time": 0.56})


def odd():
    for name in BASE:
        even = f"{name}_n2048"
        for length in (197, 513, 1000):
            yield Attention(f"{name}_n{length}", name, length, group="odd", even=even,
                      goals={"even": 0.75, "peer": 1})
        for size in (16, 32, 41, 128):
            yield Attention(f"{name}_d{size}", name, 2048, sizes={"D": size},
                      group="odd", even=even,
                      goals={"even": 0.55 if size == 16 else 0.75, "peer": 1})


def small_model():
    """The language model of the papers on WikiText-103, small."""
    for name in FAMILIES + ("mlk_causal",):
        yield Attention(f"{name}_wikitext", name, 256, B=96, sizes={"D": 16},
                  causal=True, group="wikitext", goals={"peer": 1.3})


def decode():
    for name in BASE:
        for length in (4096, 65536):
            yield Attention(f"{name}_decode_s{length}", name, 1, S=length,
                      group="decode",
                      goals={"share1": 0.85, "share2": 0.85, "peer": 1})


def few():
    """A few queries, as where a model checks what a smaller one wrote; and one over
    few keys, which threads share."""
    for name in BASE:
        for length in (512, 1024):
            yield Attention(f"{name}_few_s{length}", name, 1, S=length, group="few",
                            goals={"peer": 1})
        for queries in (4, 8):
            for dtype in ("f32", "bf16"):
                yield Attention(f"{name}_few_n{queries}_{dtype}", name, queries,
                                S=2048, B=2, dtype=dtype, group="few",
                                goals={"peer": 1})


def lengths():
    """For the plots against N."""
    for name in BASE:
        for length in (256, 512, 1024):
            yield Attention(f"{name}_n{length}", name, length, group="lengths")


def quick():
    """A handful at small N, without peers."""
    for name in FAMILIES + ("mlk_causal",):
        yield Attention(f"quick_{name}", name, 256, causal=name == "mlk_causal",
                  group="quick", peers=False)
    yield Attention("quick_softmax_bf16", "softmax", 256, dtype="bf16", group="quick",
              peers=False)
    yield Attention("quick_softmax_decode", "softmax", 1, S=4096, group="quick",
              peers=False)


def seeded(count=30, seed=5):
    """Shapes that nobody chose."""
    draw = random.Random(seed)
    for number in range(count):
        name = draw.choice(FAMILIES)
        sizes = {"D": draw.choice((24, 40, 48, 64, 64, 72, 80, 96, 128))}
        yield Attention(f"seeded_{number}_{name}", name,
                  draw.randint(100, 3000), S=draw.randint(100, 3000),
                  B=draw.choice((1, 1, 2)), sizes=sizes, group="seeded",
                  even=f"{name}_n2048", goals={"even": 0.7}, peers=False)


def rows():
    """Those of a full run first."""
    for part in (headline, other_types, linear, causal, odd, small_model, decode, few,
                 lengths, seeded, quick):
        yield from part()


def compiled():
    for variant in FAMILIES + ("mlk_causal",):
        for dtype in ("f32", "bf16"):
            yield (f"{variant} {dtype}", Attention(variant, variant, 1, dtype=dtype),
                   MOST_COMPILING)


def remembered():
    for variant in BASE:
        for length in LENGTHS:
            yield Attention(f"{variant}_memory_n{length}", variant, length)
