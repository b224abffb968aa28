# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of the training side, and attention whose weights are a result: those of the
variants, checked against the oracle of the numeric tests."""

from dataclasses import dataclass

import numpy as np

import inputs
import oracle
import signatures
from bench import paths
from bench.check import SLACK, UNIT, Expected
from bench.kinds import Row

# Queries, from the first one on, that stand for all.
SAMPLED = 3
WEIGHTS = """
func.func @softmax_weights(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]},
        tensor<?x8x?x?xf32> {attn.name = "weights", attn.dims = ["B", "N", "S"]}) {
  %o, %weights = attn.softmax %q, %k, %v
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32> weights tensor<?x8x?x?xf32>
  return %o, %weights : tensor<?x8x?x64xf32>, tensor<?x8x?x?xf32>
}
"""


@dataclass(frozen=True)
class Training(Row):
    """`of` is the variant of examples/variants that arguments are drawn of, and the
    oracle's; `result` the name of the first result."""
    variant: str
    of: str
    result: str
    N: int
    B: int = 1

    def dims(self):
        return signatures.static_sizes(self.of) | {"B": self.B, "N": self.N, "S": self.N}

    def shape(self):
        named = {dim for _, dims, _ in signatures.arguments(self.of) for dim in dims}
        dims = self.dims()
        return " ".join(f"{letter}{dims[letter]}" for letter in "BHRDN" if letter in named)

    @property
    def is_read_bound(self):
        return self.variant == "prior_update"

    def source(self):
        if self.variant == "softmax_weights":
            return WEIGHTS
        return (paths.VARIANTS / f"{self.variant}.mlir").read_text()

    def draw(self, generator):
        return inputs.draw_all(self.of, self.dims(), 1, self.dtype, generator)

    def result_shape(self):
        d = self.dims()
        return {"o": lambda: (d["B"], d["H"], d["N"], d["D"]),
                "gamma": lambda: (d["B"], d["H"], d["R"], d["N"], d["S"]),
                "prior": lambda: (d["H"], d["R"]), "penalty": tuple}[self.result]()

    def further_shapes(self):
        d = self.dims()
        return [(d["B"], d["H"], d["N"], d["S"])] if self.result == "o" else []

    def check(self, arguments):
        """A mean is of all; what queries have, of some of them."""
        x = {name: arguments.doubles(name) for name in arguments.arrays}
        def cut(result):
            return result
        if "q" in x:
            x["q"] = x["q"][:, :, :SAMPLED]
            def cut(result):
                return result[..., :SAMPLED, :]
        formula, options = oracle.VARIANTS[self.of]
        found = formula(x, **options)
        limit = SLACK * UNIT[self.dtype] * (1 + np.max(found.score) / 8)
        return Expected(found.results[self.result], limit, cut)


def rows():
    for variant, of, result in (("softmax_weights", "softmax", "o"),
                                ("responsibilities", "responsibilities", "gamma"),
                                ("prior_update", "prior_update", "prior"),
                                ("orthogonal_penalty", "orthogonal_penalty", "penalty")):
        yield Training(f"{variant}_n1024", variant, of, result, 1024, group="training",
                       goals={"peer": 1.0})


def compiled():
    return ()


def remembered():
    return ()
