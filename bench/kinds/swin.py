# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Swin-T of examples/swin with drawn weights, from pixels to logits, checked against
its forward pass in NumPy."""

import functools
from dataclasses import dataclass

from bench import paths
from bench.check import Expected
from bench.kinds import Row, graphs

FOLDER = paths.example("swin")
BATCHES = (1, 8)
LIMIT = 1e-4
# Milliseconds that compiling may take.
MOST_COMPILING = 3000


@functools.cache
def source_of(network, images):
    import swin
    return swin.network(network, images)


@dataclass(frozen=True)
class Network(Row):
    variant: str
    B: int

    def dims(self):
        return {"B": self.B}

    @property
    def is_read_bound(self):
        return False

    def source(self):
        return source_of(self.variant, self.B)

    def draw(self, generator):
        from weights import draw
        arguments = graphs.signature(self.source())
        return (draw([(name, shape) for name, shape, _ in arguments], generator),
                {name: dtype for name, _, dtype in arguments})

    def result_shape(self):
        return self.B, 1000

    def check(self, arguments):
        """The first image and the last one."""
        from forward import forward
        from swin import DEPTHS
        images = sorted({0, self.B - 1})
        values = arguments.arrays | {"images": arguments.arrays["images"][images]}
        return Expected(forward(values, DEPTHS), LIMIT, lambda result: result[images])


def rows():
    for batch in BATCHES:
        yield Network(f"swin_t_b{batch}", "swin_t", batch, group="swin",
                      goals={"peer": 1.0, "memory": 1.0})


def compiled():
    for row in rows():
        yield row.name, row, MOST_COMPILING


def remembered():
    return rows()
