# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a result may lie from what it should be: the error and the limit of
mixattn-run --check, written again.

compare() gives both for a result that the oracle knows.
"""

import numpy as np

# Rounding the result to its type adds this to the limit: relative, absolute.
UNIT = {"f32": 0, "f16": 2.0**-10, "bf16": 2.0**-7}
UNDERFLOW = {"f32": 2.0**-133, "f16": 2.0**-24, "bf16": 2.0**-110}
# Quotients whose denominator cancels further are not compared.
LARGEST_KAPPA = 2.0**10


def limit(dtype, size, scale=np.inf):
    """The error that rounding and underflow may cause, relative to `scale`;
    `size` is that of the scores, or the largest kappa. 1 or more proves
    nothing: zeros would do."""
    absolute = UNDERFLOW[dtype] / scale if scale else 0
    return 2.0**-22 * (8 + size) + UNIT[dtype] + absolute


def compared(expected):
    """Which rows of the results count; a boolean that indexes them all."""
    if expected.kappas is None:
        return ...
    return ~(expected.kappas > LARGEST_KAPPA)


def size_of(expected):
    """The size that the limit grows with; infinite where no row counts."""
    if expected.kappas is None:
        return expected.score
    rows = compared(expected)
    if rows.size and not rows.any():
        return np.inf
    kappas = expected.kappas[rows]
    return kappas[np.isfinite(kappas)].max(initial=1)


def largest(values, rows=...):
    """The largest finite magnitude."""
    values = values[rows]
    return np.abs(values[np.isfinite(values)]).max(initial=0)


def scale_of(name, expected):
    """The size that errors of a result are relative to: its largest value, and
    at least 1 where it is a logarithm."""
    scale = largest(expected.results[name], compared(expected))
    return max(scale, 1) if name == "lse" else scale


def error(actual, expected, rows=..., scale=None):
    """The largest difference relative to `scale`, or else to the largest value
    expected."""
    if actual.shape != expected.shape:
        return np.inf
    if scale is None:
        scale = largest(expected, rows)
    actual, expected = actual[rows], expected[rows]
    if not np.array_equal(np.isnan(actual), np.isnan(expected)):
        return np.inf
    with np.errstate(invalid="ignore"):
        difference = np.where(actual == expected, 0, np.abs(actual - expected))
    difference = np.nanmax(difference, initial=0)
    if not difference > 0:
        return 0.0
    return difference / scale if scale else np.inf


def compare(name, actual, expected, dtype):
    """The error of a result, and its limit in that type."""
    scale = scale_of(name, expected)
    return (error(actual, expected.results[name], compared(expected), scale),
            limit(dtype, size_of(expected), scale))
