# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which cases a sweep tries: a seeded sample of variants, types and sizes."""

import re
from typing import NamedTuple

import numpy as np

import cpu
import signatures

DTYPES = ("f32", "f16", "bf16")
LENGTHS = (1, 2, 7, 33, 64, 197, 513)
FEATURES = (16, 32, 41, 64, 128)
HEADS = (1, 2, 3, 8, 16)
# The sizes that each dim may have: named as in signatures.py; x is the scale of inputs.
VALUES = {"B": (1, 2, 3), "N": LENGTHS, "S": LENGTHS, "W": LENGTHS,
          "C": LENGTHS, "D": FEATURES, "V": FEATURES, "H": HEADS, "M": HEADS,
          "G": HEADS, "R": (1, 2, 3, 4), "x": (1, 8)}
MOST_SCORES = 2**23
# For each target every kind of plan that can be forced, in lanes of its own.
PLANS = {
    "native": ("online,width=64", "panel,width=64", "online,width=32,block=32",
               "panel,width=32,block=32", "online,width=16,block=128",
               "panel,width=16,block=16", "decode,split=128",
               "decode,block=16,split=16", "chunked_linear,block=64",
               "chunked_linear,block=16", "banded,block=16",
               "banded,block=64", "unfused"),
    "x86-64-v3": ("online,width=16", "panel,width=16", "online,width=8,block=32",
                  "panel,width=8,block=32", "decode,split=256",
                  "decode,block=32,split=32", "chunked_linear,block=64",
                  "banded,block=32", "unfused"),
}
if cpu.emulates_amx():
    PLANS["native+emulated-amx"] = (
        "online,width=64", "panel,width=32", "online,width=32,block=32",
        "panel,width=64,block=32", "online,width=16,block=128",
        "chunked_linear,block=64", "chunked_linear,block=32", "unfused")
# Weights after a block's products, not among them. Code for Zen 3 may have VAES.
if "vaes" in cpu.flags():
    PLANS["znver3"] = ("online,width=16", "panel,width=16", "online,width=8,block=32",
                       "panel,width=8,block=32")
# Those of a case that names its machine, too, though none is drawn for it:
# powers of 2 by a scaling.
NAMED = dict(PLANS)
if cpu.has_scaling():
    NAMED["skylake-avx512"] = ("online,width=64", "online,width=32,block=32",
                               "online,width=16", "panel,width=16",
                               "decode,split=128")
# Whose values must all be seen.
COVERED = {"B": "batches", "N": "queries", "S": "keys", "D": "features",
           "H": "heads", "M": "global heads", "R": "components",
           "x": "scale of inputs"}


class Case(NamedTuple):
    """One variant in one type at one size; `sizes` holds every dim of it that
    has a name, and x. Where a plan is forced, it and its target."""
    variant: str
    dtype: str
    sizes: dict
    target: str = ""
    plan: str = ""

    def __str__(self):
        sizes = ",".join(f"{dim}={size}" for dim, size in self.sizes.items())
        forced = f"/{self.target}/{self.plan}" if self.plan else ""
        return f"{self.variant}/{self.dtype}/{sizes}{forced}"

    def scores(self):
        """B H N S; H is the larger one of global and local heads."""
        sizes = {"B": 1, "N": self.sizes.get("W", 1)} | self.sizes
        keys = sizes.get("C", sizes.get("S", sizes["N"]))
        return (sizes["B"] * max(sizes.get("H", 1), sizes.get("M", 1))
                * sizes["N"] * keys)


def parse_case(text):
    """The case that str() gave; ValueError where there is none."""
    match = re.fullmatch(
        r"(\w+)/(\w+)/((?:\w=\d+,?)+)(?:/([\w+-]+)/([\w=,]+))?", text)
    if not match or match[1] not in signatures.SIGNATURES \
            or match[2] not in DTYPES:
        raise ValueError(f"'{text}' is no case")
    sizes = {part[0]: int(part[2:]) for part in match[3].split(",")}
    if set(sizes) != {*dims_of(match[1]), "x"}:
        raise ValueError(f"{match[1]} has the sizes "
                         f"{', '.join([*dims_of(match[1]), 'x'])}")
    return Case(match[1], match[2], sizes, match[4] or "", match[5] or "")


def dims_of(variant):
    """The dims with names that a case chooses."""
    dims = dict.fromkeys(dim for _, dims, _ in signatures.arguments(variant)
                         for dim in dims if dim in VALUES)
    return list(dims)


class Deck:
    """Values in random order, all of them before one comes again."""

    def __init__(self, values, rng):
        self.values, self.rng, self.left = list(values), rng, []

    def draw(self):
        if not self.left:
            self.left = [self.values[place] for place
                         in self.rng.permutation(len(self.values))]
        return self.left.pop()


def sample(variants, count, seed, with_plans=False):
    """`count` cases. As many as there are pairs of variant and type hold each
    pair, and more of them each pair as often. `with_plans` each forces a plan:
    one that its variant may not have."""
    rng = np.random.default_rng(seed)
    pairs = Deck([(variant, dtype) for variant in variants
                  for dtype in DTYPES], rng)
    decks = {dim: Deck(values, rng) for dim, values in VALUES.items()}
    cases = [draw_case(*pairs.draw(), decks) for _ in range(count)]
    if not with_plans:
        return cases
    plans = Deck([(target, plan) for target in PLANS
                  for plan in PLANS[target]], rng)
    return [case._replace(**dict(zip(("target", "plan"), plans.draw())))
            for case in cases]


def others(case):
    """The case with its plan, and with each other plan of its target."""
    plans = NAMED[case.target]
    first = plans.index(case.plan)
    return [case._replace(plan=plan)
            for plan in plans[first:] + plans[:first]]


def draw_case(variant, dtype, decks):
    """A case that is not too large: dims of features, heads and components are
    drawn once, lengths and batches until they fit."""
    dims = dims_of(variant)
    sizes = dict.fromkeys([*dims, "x"])
    for dim in sizes:
        sizes[dim] = decks[dim].draw()
    if "G" in sizes:
        # Key heads divide query heads.
        while sizes["H"] % sizes["G"]:
            sizes["G"] = decks["G"].draw()
    case = Case(variant, dtype, sizes)
    while case.scores() > MOST_SCORES:
        for dim in set(dims) & set("BNSWC"):
            sizes[dim] = decks[dim].draw()
    return case


def coverage(variants, cases):
    """Lines that say how often each value occurs in the cases, and what does
    not occur."""
    seen = len({(case.variant, case.dtype) for case in cases})
    pairs = len(variants) * len(DTYPES)
    lines = [f"variants x types: {seen} of {pairs}"]
    missing = [f"{pairs - seen} of variants x types"] if seen < pairs else []
    for dim, name in COVERED.items():
        counts = {value: sum(case.sizes.get(dim) == value for case in cases)
                  for value in VALUES[dim]}
        lines.append(f"{name}: " + ", ".join(
            f"{value} ({count}x)" for value, count in counts.items()))
        missing += [f"{name} {value}" for value, count in counts.items()
                    if not count]
    return lines, missing
