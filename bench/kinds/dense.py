# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A dense layer without a bias: x W, x being [N,K] with an open N and W [K,M]."""

from dataclasses import dataclass
from string import Template

import numpy as np

from bench import machine
from bench.check import UNIT, Expected
from bench.kinds import FEW, Row

LENGTHS = (1, 16, 197, 2048)
SIZES = ((768, 768), (768, 3072), (3072, 768), (512, 2048), (128, 512), (128, 96))
# From so many rows on, operations bound it.
MANY = 197
SOURCE = Template("""
func.func @dense(%x: tensor<?x${K}x$type> {attn.name = "x", attn.dims = ["N"]},
                 %w: tensor<${K}x${M}x$type> {attn.name = "w", attn.parameter})
    -> (tensor<?x${M}x$type> {attn.name = "y", attn.dims = ["N"]}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : $type
  %n = tensor.dim %x, %c0 : tensor<?x${K}x$type>
  %empty = tensor.empty(%n) : tensor<?x${M}x$type>
  %zeros = linalg.fill ins(%zero : $type) outs(%empty : tensor<?x${M}x$type>)
      -> tensor<?x${M}x$type>
  %y = linalg.matmul
      ins(%x, %w : tensor<?x${K}x$type>, tensor<${K}x${M}x$type>)
      outs(%zeros : tensor<?x${M}x$type>) -> tensor<?x${M}x$type>
  return %y : tensor<?x${M}x$type>
}
""")


@dataclass(frozen=True)
class Dense(Row):
    N: int
    K: int
    M: int

    @property
    def variant(self):
        return "dense"

    def dims(self):
        return {"N": self.N, "K": self.K, "M": self.M}

    def shape(self):
        return f"N{self.N} W {self.K} x {self.M}"

    @property
    def is_read_bound(self):
        return self.N <= FEW

    def source(self):
        return SOURCE.substitute(K=self.K, M=self.M, type=self.dtype)

    def draw(self, generator):
        w = generator.standard_normal((self.K, self.M)) / np.sqrt(self.K)
        return ({"x": generator.standard_normal((self.N, self.K)), "w": w},
                {"x": self.dtype, "w": self.dtype})

    def result_shape(self):
        return self.N, self.M

    def check(self, arguments):
        """The result is rounded once; sums of f32 are rounded K times at most."""
        return Expected(arguments.doubles("x") @ arguments.doubles("w"),
                        2 * UNIT[self.dtype] + self.K * UNIT["f32"])

    def flops(self, manifest=None):
        return 2 * self.N * self.K * self.M


def goals(length, dtype):
    """Nobody reaches the peak of AMX with matrices that lie in memory."""
    if length == 1:
        return {"share1": 0.85, "share2": 0.85}
    if length < MANY:
        return {}
    if dtype == "bf16" and machine.has_amx():
        return {"peer": 1.0}
    return {"share1": 0.85, "peer": 0.95}


def rows():
    for dtype in ("f32", "bf16"):
        suffix = "" if dtype == "f32" else "_" + dtype
        for depth, columns in SIZES:
            for length in LENGTHS:
                yield Dense(f"dense_n{length}_{depth}x{columns}{suffix}", length, depth,
                            columns, dtype=dtype, group="dense",
                            goals=goals(length, dtype))
    yield Dense("quick_dense", 197, 128, 512, group="quick", peers=False)


def compiled():
    for dtype in ("f32", "bf16"):
        yield f"dense {dtype}", Dense("dense", 197, 768, 768, dtype=dtype), 500


def remembered():
    return ()
