# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that all formulas share: who sees whom, heads in groups, sums of values."""

import functools
from typing import NamedTuple

import numpy as np


class Expected(NamedTuple):
    """The expected results of a variant."""
    # By name.
    results: dict
    # The largest finite |score| at any stage, of those that matter().
    score: float = 0.0
    # Where the result is a quotient, for each row of it the sum of the
    # denominator's |terms| over their |sum|; inf where terms cancel to nothing.
    kappas: np.ndarray | None = None


def sizes_of(x):
    """Batches, queries and keys, of whatever there is."""
    if "scores" in x:
        return x["scores"].shape[0], *x["scores"].shape[2:]
    keys = x["keys"] if "keys" in x else x["k"]
    return len(x["q"]), x["q"].shape[2], keys.shape[-2]


def within(band, queries, keys, start=None):
    """Whether key j lies in the band (lower, upper) of query i; queries and
    keys are aligned at their ends, or query 0 of batch row b stands at key
    start[b]: then [B, 1, N, S]."""
    lower, upper = band
    first = keys - queries if start is None else start[:, None, None, None]
    row = np.arange(queries)[:, None] + first
    column = np.arange(keys)[None, :]
    return (column - row <= upper) & (row - column <= lower)


def visible(x, causal=False, band=None):
    """Whether query i may attend to key j: a boolean [B, 1 or H, N, S]."""
    batches, queries, keys = sizes_of(x)
    allow = np.ones((batches, 1, queries, keys), bool)
    if causal:
        allow &= within((np.inf, 0), queries, keys, x.get("start"))
    if band:
        allow &= within(band, queries, keys, x.get("start"))
    if "lengths" in x:
        allow &= np.arange(keys) < x["lengths"][:, None, None, None]
    if "neighbours" in x:
        allow &= x["neighbours"]
    if "mask" in x:
        allow = allow & x["mask"]
    return allow


def repeat_heads(array, heads):
    """Gives each of `heads` query heads the key head that it reads."""
    return np.repeat(array, heads // array.shape[1], axis=1)


def keys_of(x):
    """The keys of each component: several, shifted from one, or one."""
    if "keys" in x:
        return list(np.moveaxis(x["keys"], 2, 0))
    if "shifts" in x:
        return [x["k"] + shift[:, None, :]
                for shift in np.moveaxis(x["shifts"], 1, 0)]
    return [x["k"]]


def relu(x):
    return np.maximum(x, 0)


def quotient(dividend, divisor):
    """Zero where the divisor is."""
    return dividend / np.where(divisor == 0, 1, divisor) * (divisor != 0)


def pool(weights, v):
    """weights v per head; what has no weight adds nothing, NaN included."""
    v = repeat_heads(v, weights.shape[1])
    finite = np.isfinite(v)
    result = weights @ np.where(finite, v, 0)
    if finite.all():
        return result
    def any_of(rows, columns):
        return rows.astype(float) @ columns.astype(float) > 0

    above, below = v == np.inf, v == -np.inf
    rises = any_of(weights > 0, above) | any_of(weights < 0, below)
    falls = any_of(weights > 0, below) | any_of(weights < 0, above)
    result = np.where(rises, np.inf, np.where(falls, -np.inf, result))
    unknown = rises & falls | any_of(weights != 0, np.isnan(v))
    return np.where(unknown | np.isnan(weights).any(-1, keepdims=True), np.nan, result)


def size_of_score(stages):
    """For each score its largest finite magnitude at any stage."""
    sizes = [np.where(np.isfinite(stage), np.abs(stage), 0)
             for stage in stages]
    return functools.reduce(np.maximum, sizes)


def of_all_heads(stage):
    """The size of what a mixer of heads reads is that of every head it makes."""
    return size_of_score([stage]).max(1, keepdims=True)


def matter(log_shares, sizes):
    """Which scores have rounding errors that can be seen: those whose share in
    a sum of exponentials, grown by 2^-22 of their size, would be at least the
    smallest normal number of f32."""
    return log_shares + 2.0**-22 * sizes >= -126 * np.log(2)


def largest_that_matters(log_shares, sizes):
    return np.where(matter(log_shares, sizes), sizes, 0).max(initial=0)
