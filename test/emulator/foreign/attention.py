# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention written for Triton: softmax(q kT / sqrt(D)) v over tensors [B,H,N,D],
row by row as Milakov and Gimelshein (arXiv:1805.02867) have it.

One block computes ROWS rows of one head and reads keys KEYS at a time. `scale` is
log2(e) / sqrt(D), since exponentials are powers of two. make.py compiles this file.
"""

import triton
import triton.language as tl


@triton.jit
def step(row, column, n, scale, query, key, value, state, CAUSAL: tl.constexpr):
    """The largest score, sum and result after one more block of keys."""
    largest, total, result = state
    scores = tl.dot(query, key.T) * scale
    seen = (column < n)[None, :]
    if CAUSAL:
        seen = seen & (column[None, :] <= row[:, None])
    scores = tl.where(seen, scores, float("-inf"))
    now = tl.maximum(largest, tl.max(scores, 1))
    weights, shrink = tl.exp2(scores - now[:, None]), tl.exp2(largest - now)
    result = tl.dot(weights.to(value.dtype), value, result * shrink[:, None])
    return now, total * shrink + tl.sum(weights, 1), result


@triton.jit
def begin(ROWS: tl.constexpr, D: tl.constexpr):
    """The state before the first block of keys."""
    return (tl.full([ROWS], float("-inf"), tl.float32),
            tl.zeros([ROWS], tl.float32), tl.zeros([ROWS, D], tl.float32))


@triton.jit
def by_pointers(q, k, v, o, n, scale, D: tl.constexpr, ROWS: tl.constexpr,
                KEYS: tl.constexpr, CAUSAL: tl.constexpr):
    """q, k, v, o are contiguous [B,H,N,D]; rows after the last are read as zeros."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    head = tl.program_id(1).to(tl.int64) * n * D
    feature, within = tl.arange(0, D)[None, :], (row < n)[:, None]
    at = head + row[:, None] * D + feature
    query = tl.load(q + at, within, 0.0)
    state = begin(ROWS, D)
    end = tl.minimum(n, (tl.program_id(0) + 1) * ROWS) if CAUSAL else n
    for first in tl.range(0, end, KEYS):
        column = first + tl.arange(0, KEYS)
        there = head + column[:, None] * D + feature
        key = tl.load(k + there, (column < n)[:, None], 0.0)
        value = tl.load(v + there, (column < n)[:, None], 0.0)
        state = step(row, column, n, scale, query, key, value, state, CAUSAL)
    tl.store(o + at, (state[2] / state[1][:, None]).to(query.dtype), within)


@triton.jit
def rows_of(tensor, batch, head, first, ROWS: tl.constexpr, D: tl.constexpr):
    """ROWS rows from row `first`, by a descriptor: zeros after the last."""
    return tensor.load([batch, head, first, 0]).reshape(ROWS, D)


@triton.jit
def thread(shaped_like):
    """The thread that holds an element."""
    return tl.inline_asm_elementwise("mov.u32 $0, %tid.x;", "=r,r", [shaped_like],
                                     dtype=tl.int32, is_pure=False, pack=1)


@triton.jit
def by_descriptors(q, k, v, o, heads, n, scale, D: tl.constexpr, ROWS: tl.constexpr,
                   KEYS: tl.constexpr, STORE: tl.constexpr, WARPS: tl.constexpr,
                   HALVES: tl.constexpr):
    """k, v, q without HALVES, and o with STORE are descriptors of [B,H,N,D].

    With WARPS four warps copy and twice four compute. Without HALVES both compute all
    rows; the former four write them, since two writes of one value are a race, too.
    With HALVES each four have half of the rows, and descriptors of q and o are made
    here: Triton cannot halve one that is an argument (triton-lang/triton#7658)."""
    batch, head = tl.program_id(1) // heads, tl.program_id(1) % heads
    start, first_row = tl.program_id(1).to(tl.int64) * n * D, tl.program_id(0) * ROWS
    row = first_row + tl.arange(0, ROWS)
    if HALVES:
        rows = tl.make_tensor_descriptor(q + start, [n, D], [D, 1], [ROWS, D])
        query = rows.load([first_row, 0])
    else:
        query = rows_of(q, batch, head, first_row, ROWS, D)
    state = begin(ROWS, D)
    for first in tl.range(0, n, KEYS, warp_specialize=WARPS):
        key = rows_of(k, batch, head, first, KEYS, D)
        value = rows_of(v, batch, head, first, KEYS, D)
        column = first + tl.arange(0, KEYS)
        state = step(row, column, n, scale, query, key, value, state, False)
    result = (state[2] / state[1][:, None]).to(k.dtype)
    if HALVES:
        # By `row` the latter half would be written 64 rows too far by Triton 3.9.0,
        # which adds the half's place to first_row and to arange.
        rows = tl.make_tensor_descriptor(o + start, [n, D], [D, 1], [ROWS, D])
        rows.store([first_row, 0], result)
    elif STORE:
        o.store([batch, head, first_row, 0], result.reshape(1, 1, ROWS, D))
    else:
        writes = row < n
        if WARPS:
            writes = writes & (thread(row) < 2 * 128)
        at = start + row[:, None] * D + tl.arange(0, D)[None, :]
        tl.store(o + at, result, writes[:, None])
