# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows that are measured: each is a variant in one shape, with the figures
that it is to reach."""

import fnmatch
import random
from dataclasses import dataclass, field

import signatures

# Those that are measured in every shape.
FAMILIES = ("softmax", "mgk", "smgk_full", "fish_hard", "gfish_hard",
            "mixhead_a", "mixhead_b")
BASE = ("softmax", "mgk", "fish_hard", "mixhead_a")


@dataclass(frozen=True)
class Row:
    """A case. `sizes` are those of static dims that are not as in the file of
    the variant; `against` is the row whose time this one is compared with, `even`
    that whose share of peak is; `goals` by what they are about: share1 and share2
    (of peak, by threads), peer (ratio to the best peer), time (to `against`),
    even (of the share of `even`), linear (time a position, over that of `even`)."""
    name: str
    variant: str
    N: int
    S: int = 0
    B: int = 1
    dtype: str = "f32"
    causal: bool = False
    target: str = "native"
    sizes: dict = field(default_factory=dict)
    group: str = ""
    against: str = ""
    even: str = ""
    goals: dict = field(default_factory=dict)
    peers: bool = True

    @property
    def keys(self):
        return self.S or self.N

    @property
    def is_linear(self):
        return self.variant.startswith(("linear", "mlk", "smlk"))

    @property
    def is_decode(self):
        """Few queries: bytes bound it, not products."""
        return self.N <= 8

    def dims(self):
        """All sizes by letter."""
        return (signatures.static_sizes(self.variant) | self.sizes
                | {"B": self.B, "N": self.N, "S": self.keys})

    def shape(self):
        """As a person writes it; as many keys as queries are not said."""
        dims = self.dims()
        letters = "BMHRDNS" if dims["S"] != dims["N"] else "BMHRDN"
        return " ".join(f"{letter}{dims[letter]}" for letter in letters
                        if letter in dims)

    def flops(self):
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
    yield Row("softmax_h4_n2048", "softmax", 2048, sizes={"H": 4}, peers=False,
              group="main")
    for name in FAMILIES:
        for length in (2048, 4096) if name == "softmax" else (2048,):
            other = against.get(name)
            yield Row(f"{name}_n{length}", name, length, group="main",
                      against=f"{other}_n{length}" if other else "",
                      goals=goals[name])


def other_types():
    shares = {"softmax": (0.82, 0.80, 1.3), "mgk": (0.75, None, 1.5),
              "fish_hard": (0.72, None, 1.5), "mixhead_a": (0.65, None, 1.5)}
    for name, (one, two, peer) in shares.items():
        goals = {"share1": one, "share2": two, "peer": peer}
        yield Row(f"{name}_bf16", name, 2048, dtype="bf16", group="bf16",
                  goals={k: v for k, v in goals.items() if v})
    for name in ("softmax", "mgk"):
        yield Row(f"{name}_avx2", name, 2048, target="x86-64-v3", peers=False,
                  group="avx2", goals={"share1": 0.85, "share2": 0.85})


def linear():
    for length in (4096, 65536):
        yield Row(f"mlk_causal_n{length}", "mlk_causal", length, causal=True,
                  group="linear", even="mlk_causal_n4096",
                  goals={"peer": 2} | ({"linear": 1.05} if length > 4096 else {}))


def causal():
    """Causal rows, each compared with the same row without a mask."""
    for name in FAMILIES:
        if name != "softmax":
            yield Row(f"{name}_n4096", name, 4096, group="lengths",
                      peers=name in BASE)
        yield Row(f"{name}_causal_n4096", name, 4096, causal=True,
                  group="causal", against=f"{name}_n4096", goals={"time": 0.56})


def odd():
    for name in BASE:
        even = f"{name}_n2048"
        for length in (197, 513, 1000):
            yield Row(f"{name}_n{length}", name, length, group="odd", even=even,
                      goals={"even": 0.75, "peer": 1})
        for size in (16, 32, 41, 128):
            yield Row(f"{name}_d{size}", name, 2048, sizes={"D": size},
                      group="odd", even=even,
                      goals={"even": 0.55 if size == 16 else 0.75, "peer": 1})


def small_model():
    """The language model of the papers on WikiText-103, small."""
    for name in FAMILIES + ("mlk_causal",):
        yield Row(f"{name}_wikitext", name, 256, B=96, sizes={"D": 16},
                  causal=True, group="wikitext", goals={"peer": 1.3})


def decode():
    for name in BASE:
        for length in (4096, 65536):
            yield Row(f"{name}_decode_s{length}", name, 1, S=length,
                      group="decode",
                      goals={"share1": 0.85, "share2": 0.85, "peer": 1})


def lengths():
    """For the plots against N."""
    for name in BASE:
        for length in (256, 512, 1024):
            yield Row(f"{name}_n{length}", name, length, group="lengths")


def quick():
    """A handful at small N, without peers."""
    for name in FAMILIES + ("mlk_causal",):
        yield Row(f"quick_{name}", name, 256, causal=name == "mlk_causal",
                  group="quick", peers=False)
    yield Row("quick_softmax_bf16", "softmax", 256, dtype="bf16", group="quick",
              peers=False)
    yield Row("quick_softmax_decode", "softmax", 1, S=4096, group="quick",
              peers=False)


def seeded(count=30, seed=5):
    """Shapes that nobody chose."""
    draw = random.Random(seed)
    for number in range(count):
        name = draw.choice(FAMILIES)
        sizes = {"D": draw.choice((24, 40, 48, 64, 64, 72, 80, 96, 128))}
        yield Row(f"seeded_{number}_{name}", name,
                  draw.randint(100, 3000), S=draw.randint(100, 3000),
                  B=draw.choice((1, 1, 2)), sizes=sizes, group="seeded",
                  even=f"{name}_n2048", goals={"even": 0.7}, peers=False)


def matching(patterns):
    """The rows whose name, group or variant is like one of these, * matching
    anything."""
    return [row for row in all_rows().values() if any(
        fnmatch.fnmatch(name, pattern) for pattern in patterns
        for name in (row.name, row.group, row.variant))]


def all_rows():
    """Every row by name; those of a full run first."""
    parts = (headline, other_types, linear, causal, odd, small_model, decode,
             lengths, seeded, quick)
    rows = {}
    for part in parts:
        for row in part():
            if row.name in rows:
                raise ValueError(f"two rows are called '{row.name}'")
            rows[row.name] = row
    for row in rows.values():
        for other in (row.against, row.even):
            if other and other not in rows:
                raise ValueError(f"{row.name}: no row is called '{other}'")
    return rows
