# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that no query makes: bands, sparse errors, windows of rare tokens."""

import numpy as np

from oracle import basics
from oracle.basics import Expected


def band_matrix(band, length):
    """P[h,i,i+t-w] = band[h,i,t]; what would lie outside is left out."""
    heads, rows, width = band.shape
    matrix = np.zeros((heads, rows, length))
    for t in range(width):
        column = np.arange(rows) + t - width // 2
        row = np.flatnonzero((0 <= column) & (column < length))
        matrix[:, row, column[row]] = band[:, row, t]
    return matrix


def window_matrix(triples, heads, length):
    """The identity, but the rows of each window (column, first row, length)
    read its column."""
    source = np.arange(length)
    for column, first, rows in triples:
        source[first:first + rows] = column
    return np.broadcast_to(np.eye(length)[source], (heads, length, length))


def error_matrix(index, value, shape):
    """E, zero but for its values at (head, row, column)."""
    matrix = np.zeros(shape)
    matrix[tuple(index.T)] = value
    return matrix


def matrices_of(x):
    """P, and E or nothing."""
    heads, length = x["v"].shape[1:3]
    if "band" in x:
        p = band_matrix(x["band"], length)
    else:
        p = window_matrix(x.get("triples", ()), heads, length)
    if "error_index" not in x:
        return p, np.zeros_like(p)
    return p, error_matrix(x["error_index"], x["error_value"], p.shape)


def weights_of_rows(p, e):
    return p + e


def row_sums(p, e):
    return weights_of_rows(p, e).sum(-1, keepdims=True)


def structured(x, normalised=False):
    """(P + E) v, the rows of P + E divided by their sums or not."""
    p, e = matrices_of(x)
    weights, batches = weights_of_rows(p, e), len(x["v"])
    kappas = None
    if normalised:
        sums = row_sums(p, e)
        sizes = np.abs(weights).sum(-1)
        kappas = np.where(sizes == 0, 1, sizes / np.abs(sums[..., 0]))
        kappas = np.broadcast_to(kappas, (batches, *kappas.shape))
        weights = basics.quotient(weights, sums)
    weights = np.broadcast_to(weights, (batches, *weights.shape))
    return Expected({"o": basics.pool(weights, x["v"])}, kappas=kappas)
