# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Projects matrices [...,N,N] on band matrices, and on band plus sparse ones.

The norm is the entrywise one, |M| = sum of |m_ij|. As it takes each entry by
itself, what is nearest is known in closed form: nothing here searches.
"""

import numpy as np


def band_mask(size, width):
    """Where a `width`-band matrix may be nonzero: |i - j| <= width."""
    places = np.arange(size)
    return np.abs(places[:, None] - places) <= width


def dimension(size, width):
    """How many numbers a `width`-band matrix holds; 0 <= width < size."""
    return (width + 1) * (2 * size - width) - size


def distance(first, second):
    """The entrywise-1 norm of the difference: [...]."""
    return np.abs(first - second).sum(axis=(-2, -1))


def onto_band(matrices, width):
    """The nearest band matrices: what lies off the band becomes zero. The distance
    is the sum of that, and no other band matrix has it."""
    return np.where(band_mask(matrices.shape[-1], width), matrices, 0.0)


def onto_band_plus_sparse(matrices, width, budget, cap, bounds=(0, 1)):
    """The nearest B + E: B in the band, entries within `bounds`, which hold 0; E
    anywhere, at most `budget` nonzeros, each at most `cap` in size. Returns B, E.

    B is the clipped band. An entry of E at a place with the rest r = h - b saves
    min(|r|, cap), whatever the others are: so E takes the places that save most,
    of equal ones the first, row by row.
    """
    band = np.where(band_mask(matrices.shape[-1], width), matrices.clip(*bounds), 0.0)
    entries = (matrices - band).clip(-cap, cap)
    flat = entries.reshape(*entries.shape[:-2], -1)
    taken = np.argsort(-np.abs(flat), axis=-1, kind="stable")[..., :budget]
    error = np.zeros_like(flat)
    np.put_along_axis(error, taken, np.take_along_axis(flat, taken, axis=-1), axis=-1)
    return band, error.reshape(entries.shape)


def distances_over_budget(matrices, width, budgets, cap, bounds=(0, 1)):
    """Of each matrix to the nearest B + E, for each of the budgets:
    [..., len(budgets)]."""
    band, _ = onto_band_plus_sparse(matrices, width, 0, cap, bounds)
    rest = np.abs(matrices - band).reshape(*matrices.shape[:-2], -1)
    saved = np.sort(np.minimum(rest, cap), axis=-1)
    not_saved = np.concatenate([np.zeros_like(saved[..., :1]), saved.cumsum(axis=-1)], axis=-1)
    left = [rest.shape[-1] - min(budget, rest.shape[-1]) for budget in budgets]
    return (rest - np.minimum(rest, cap)).sum(axis=-1)[..., None] + not_saved[..., left]


def to_storage(band, width):
    """Band matrices [H,N,N] as attn.structured_pool takes them, [H,N,2 width + 1]:
    entry t of row i is at column i + t - width, zero where there is no such."""
    size = band.shape[-1]
    columns = np.arange(size)[:, None] + np.arange(2 * width + 1) - width
    inside = (columns >= 0) & (columns < size)
    picked = np.take_along_axis(band, np.broadcast_to(columns.clip(0, size - 1),
                                                      band.shape[:-1] + columns.shape[1:]), -1)
    return np.where(inside, picked, 0.0)


def from_storage(stored):
    """The band matrices that to_storage was given."""
    heads, size, diagonals = stored.shape
    band = np.zeros((heads, size, size), stored.dtype)
    for t in range(diagonals):
        offset = t - diagonals // 2
        rows = np.arange(max(0, -offset), min(size, size - offset))
        band[:, rows, rows + offset] = stored[:, rows, t]
    return band


def coordinates(error):
    """The nonzeros of E [H,N,N]: their places (head, row, column) as [K,3], strictly
    increasing, and their values [K]."""
    places = np.ascontiguousarray(np.argwhere(error))
    return places, error[tuple(places.T)]
