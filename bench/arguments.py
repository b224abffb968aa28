# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of a row: random, contiguous, and the same memory for all."""

import math

import numpy as np

import inputs

ALIGNMENT = 64


class Arguments:
    """`arrays` by name as the C ABI takes them (bf16 as uint16), all within
    `arena`, whose size is that of what a call reads."""

    def __init__(self, row, seed=1):
        self.row = row
        drawn, dtypes = row.draw(np.random.default_rng(seed))
        self.dtypes = {name: dtypes.get(name) for name in drawn}
        stored = {name: self.stored(array, dtypes.get(name))
                  for name, array in drawn.items()}
        arena = np.zeros(sum(map(padded, stored.values())) + ALIGNMENT, np.uint8)
        self.arena = arena[-arena.ctypes.data % ALIGNMENT:]
        self.arrays, at = {}, 0
        for name, array in stored.items():
            place = self.arena[at:at + array.nbytes].view(array.dtype)
            self.arrays[name] = place.reshape(array.shape)
            self.arrays[name][...] = array
            at += padded(array)

    @staticmethod
    def stored(array, dtype):
        if dtype is None:
            return array
        encoded = np.asarray(inputs.encode(array, dtype))
        return encoded.view(np.uint16) if dtype == "bf16" else encoded

    def doubles(self, name):
        """An argument as it is rounded, in double precision."""
        array = self.arrays[name]
        if self.dtypes[name] == "bf16":
            array = array.view("V2")
        return inputs.decode(array)


def padded(array):
    """Bytes of an array in the arena."""
    return math.ceil(array.nbytes / ALIGNMENT) * ALIGNMENT
