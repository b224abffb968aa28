# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normal numbers from Philox4x32-10 (Salmon et al. 2011), as `philox` of the dialect has them."""

import math

import torch
from torch import Tensor

WORD = 0xFFFFFFFF
HALF = 1 << 32
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
WEYL = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10


def _high(product: Tensor) -> Tensor:
    """Bits 32 to 63 of an integer whose bit 63 may be a sign."""
    return (product // HALF) & WORD


def _words(counter: list, key: list) -> list:
    """Four words of 32 bits from a counter of four and a key of two, in i64."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        p0, p1 = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = _high(p1) ^ c1 ^ k0, p1 & WORD, _high(p0) ^ c3 ^ k1, p0 & WORD
        k0, k1 = (k0 + WEYL[0]) & WORD, (k1 + WEYL[1]) & WORD
    return [c0, c1, c2, c3]


def _box_muller(first: Tensor, second: Tensor, dtype: torch.dtype) -> list:
    u, v = (((word // 512).to(dtype) + 0.5) * 2.0**-23
            for word in (first, second))
    radius = torch.sqrt(-2 * torch.log(u))
    return [radius * torch.cos(2 * math.pi * v), radius * torch.sin(2 * math.pi * v)]


def normals(seed: Tensor, offset: Tensor, shape: tuple, dtype: torch.dtype) -> Tensor:
    """Normal numbers [B, heads, N, S]: counter (j div 4, i, b heads + head, offset), key (seed low,
    seed high), number j mod 4."""
    batches, heads, queries, keys = shape
    blocks = (keys + 3) // 4
    column, row, head = (torch.arange(size, device=seed.device)
                         for size in (blocks, queries, batches * heads))
    zero = torch.zeros_like(column)
    counter = [column, row[:, None] + zero, head[:, None, None] + zero, (offset & WORD) + zero]
    words = _words(counter, [seed & WORD, _high(seed)])
    words = [each + 0 * (head[:, None, None] + row[:, None] + column) for each in words]
    numbers = torch.stack(_box_muller(words[0], words[1], dtype) + _box_muller(words[2], words[3], dtype), -1)
    return numbers.reshape(batches, heads, queries, 4 * blocks)[..., :keys]
