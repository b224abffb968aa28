# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normal numbers from Philox4x32-10 (Salmon et al. 2011), anywhere in the
stream."""

import numpy as np

WORD = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
WEYL = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
ROUNDS = 10


def words(counter, key):
    """Four words of 32 bits from a counter of four and a key of two; arrays of
    uint64 that broadcast."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        p0, p1 = MULTIPLIERS[0] * c0, MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = ((p1 >> HALF) ^ c1 ^ k0, p1 & WORD,
                          (p0 >> HALF) ^ c3 ^ k1, p0 & WORD)
        k0, k1 = (k0 + WEYL[0]) & WORD, (k1 + WEYL[1]) & WORD
    return c0, c1, c2, c3


def box_muller(first, second):
    """Two normal numbers from two words."""
    u, v = (((word >> np.uint64(9)).astype(float) + 0.5) * 2.0**-23
            for word in (first, second))
    radius = np.sqrt(-2 * np.log(u))
    return radius * np.cos(2 * np.pi * v), radius * np.sin(2 * np.pi * v)


def normals(seed, offset, shape):
    """Normal numbers [B, heads, N, S]: counter (j div 4, i, b heads + a,
    offset), key (seed low, seed high), element j mod 4."""
    batches, heads, queries, keys = shape
    blocks = -(-keys // 4)
    column, row, head = (np.arange(size, dtype=np.uint64)
                         for size in (blocks, queries, batches * heads))
    seed = np.uint64(int(seed) % 2**64)
    counter = (column, row[:, None], head[:, None, None],
               np.uint64(int(offset) % 2**32))
    w = np.broadcast_arrays(*words(counter, (seed & WORD, seed >> HALF)))
    numbers = np.stack([*box_muller(w[0], w[1]), *box_muller(w[2], w[3])], -1)
    return numbers.reshape(batches, heads, queries, 4 * blocks)[..., :keys]
