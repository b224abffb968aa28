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


def argument(name, shape):
    return rows(name, shape) if name == "index" else floats(name, shape)
