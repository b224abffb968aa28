# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers by seed, the same with every version of NumPy."""

import zlib

import numpy as np

ROWS = 7


def floats(name, shape):
    """Numbers from -1 to 1 that follow from the name."""
    random = np.random.RandomState(zlib.crc32(name.encode()))
    return (2 * random.random_sample(shape) - 1).astype(np.float32)


def rows(name, shape):
    """Rows of a table with ROWS rows, counted from either end."""
    random = np.random.RandomState(zlib.crc32(name.encode()))
    return random.randint(-ROWS, ROWS, shape).astype(np.int64)


def bf16_of(array):
    """The numbers of bf16 at or next to those of `array`, in f32."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32) & 0xFFFF0000
    return bits.view(np.float32).reshape(np.shape(array))


def small(name, shape):
    """Weights of models of bf16: sums of some dozen products are about 1."""
    return bf16_of(floats(name, shape) / 4)


def argument(name, shape):
    if name == "start":
        return np.array(7)
    if name == "visible":
        return floats(name, shape) > -0.5
    return rows(name, shape) if name == "index" else floats(name, shape)
