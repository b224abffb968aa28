# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The families of the paper: Sigma1, the identity; Sigma2(w), bands with entries
dropped; Sigma3, identities in which windows of rows attend to one of them.

Each has two faces. nearest_...: the best member of the family as the paper
defines it, exactly. sampled_...: random members as the paper's code makes them,
with a sparse error and each row divided by its sum. The best member of
Sigma2(w) is projections.onto_band, with nothing dropped.
"""

import numpy as np

from projections import band_mask, distance

# The paper's code: coeff_d is 1, coeff_sp 0.5, a band entry stays with 0.6.
ERROR = 0.5
KEPT = 0.6


def nearest_identity(matrices):
    """The only member of Sigma1, for each matrix."""
    return np.broadcast_to(np.eye(matrices.shape[-1]), matrices.shape)


def row_costs(matrices):
    """|h_i - e_t| for each row i and each unit vector e_t: [...,N,N]."""
    magnitudes = np.abs(matrices)
    return magnitudes.sum(axis=-1, keepdims=True) - magnitudes + np.abs(matrices - 1)


def window_costs(costs, length):
    """For each first row of a window of `length` rows: what the best of its rows
    costs as the one that all attend to, and which it is: two of [M, N - length + 1]."""
    size = costs.shape[-1]
    sums = np.pad(costs.cumsum(axis=-2), ((0, 0), (1, 0), (0, 0)))
    totals = sums[:, length:] - sums[:, :-length]
    first = np.arange(size - length + 1)[:, None]
    inside = totals[:, first, first + np.arange(length)]
    return inside.min(axis=-1), inside.argmin(axis=-1) + first[:, 0]


def choose_windows(costs, width, tokens):
    """Dynamic program over rows: the windows of 2 to `width` rows, at most `tokens`
    of them, that make the rows of each matrix [M,N,N] cheapest. Returns a list of
    (column, first row, length) for each matrix."""
    count, size = costs.shape[:2]
    tokens = min(tokens, size // 2)
    lengths = range(2, min(width, size) + 1)
    windows = {length: window_costs(costs, length) for length in lengths}
    alone = np.diagonal(costs, axis1=1, axis2=2)
    # least[k][:, i]: the rows before i with at most k windows; last: the length of
    # the window that ends there, 1 for a row alone, 0 for one window less.
    least = np.zeros((tokens + 1, count, size + 1))
    last = np.ones((tokens + 1, count, size + 1), int)
    for k in range(tokens + 1):
        for i in range(1, size + 1):
            best, length = least[k, :, i - 1] + alone[:, i - 1], np.ones(count, int)
            options = [(least[k - 1, :, i], 0)] if k else []
            options += [(least[k - 1, :, i - n] + windows[n][0][:, i - n], n)
                        for n in lengths if k and n <= i]
            for option, n in options:
                length = np.where(option < best, n, length)
                best = np.minimum(option, best)
            least[k, :, i], last[k, :, i] = best, length

    def trace(matrix):
        found, k, i = [], tokens, size
        while i:
            length = last[k, matrix, i]
            if length > 1:
                first = i - length
                found.append((int(windows[length][1][matrix, first]), int(first), int(length)))
            k -= length != 1
            i -= length
        return found[::-1]

    return [trace(matrix) for matrix in range(count)]


def rare_tokens(size, triples):
    """The identity, but the rows of each window attend to its column: [N,N]."""
    columns = np.arange(size)
    for column, first, length in triples:
        columns[first : first + length] = column
    return np.eye(size)[columns]


def nearest_rare_tokens(matrices, width, tokens):
    """The best member of Sigma3 for each matrix: windows of at most `width` rows, at
    most `tokens` of them, the column one of the window's own rows."""
    size = matrices.shape[-1]
    chosen = choose_windows(row_costs(matrices).reshape(-1, size, size), width, tokens)
    return np.stack([rare_tokens(size, triples) for triples in chosen]).reshape(matrices.shape)


def sparse_error(size, generator):
    """N entries of 0.5 U[0,1] anywhere but, in the end, on the diagonal."""
    error = np.zeros(size * size)
    error[generator.choice(size * size, size, replace=False)] = ERROR * generator.random(size)
    error = error.reshape(size, size)
    np.fill_diagonal(error, 0)
    return error


def sample_identity(size, _width, _tokens, generator):
    return np.diag(1 - 0.1 * generator.random(size))


def sample_band(size, width, _tokens, generator):
    kept = band_mask(size, width) & (generator.random((size, size)) < KEPT)
    return np.where(kept, generator.uniform(0.7, 1, (size, size)), 0)


def sample_rare_tokens(size, width, tokens, generator):
    """Windows of `width` rows, as many of `tokens` as fit, at random places; all
    attend to the first."""
    tokens = min(tokens, size // width) if width else 0
    places = generator.choice(size - tokens * width + tokens, tokens, replace=False)
    windows = [(first, first, width) for first in np.sort(places) + np.arange(tokens) * (width - 1)]
    return generator.uniform(0.7, 1, size)[:, None] * rare_tokens(size, windows)


SAMPLERS = {"sigma1": sample_identity, "sigma2": sample_band, "sigma3": sample_rare_tokens}


def samples(family, size, width, tokens, count, seed):
    """`count` members of a family as the paper's code makes them: [count,N,N]; a
    row of zeros becomes one of NaN, as there."""
    generator = np.random.default_rng([seed, int(family[-1]), width])
    made = np.stack([SAMPLERS[family](size, width, tokens, generator)
                     + sparse_error(size, generator) for _ in range(count)])
    with np.errstate(invalid="ignore"):
        return made / made.sum(axis=-1, keepdims=True)


def sampled_distances(matrices, members):
    """From each matrix to the nearest of the members: [...]. Members that hold NaN
    have no distance and are passed over; NaN where all do."""
    least = np.full(matrices.shape[:-2], np.nan)
    for member in members:
        least = np.fmin(least, distance(matrices, member))
    return least
