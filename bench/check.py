# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a result is right."""

import numpy as np

import oracle
import signatures
from oracle.beyond import CAUSAL

UNIT = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
# Peers round scores and weights to 16 bits and add up in any order.
SLACK = 64
SAMPLED = 3


def blocks(row):
    """Batches and ranges of queries that stand for all."""
    queries = min(SAMPLED, row.N)
    starts = sorted({0, (row.N - queries) // 2, row.N - queries})
    return [(batch, start, start + queries)
            for batch in sorted({0, row.B - 1}) for start in starts]


def dims_of(row, name):
    """The dims of an argument, by letter or as numbers."""
    return next(dims for other, dims, _ in signatures.arguments(row.variant)
                if other == name)


def sample(arguments, x, batch, start, stop):
    """The arguments of these queries alone. A causal mask is aligned at the
    ends: keys after the position of the last query are cut off. These are all
    where that position is before the first key."""
    row = arguments.row
    keys = max(0, row.keys - (row.N - stop)) if row.causal else row.keys
    cut = {"B": slice(batch, batch + 1), "N": slice(start, stop),
           "S": slice(keys)}
    return {name: array[tuple(cut.get(dim, slice(None))
                              for dim in dims_of(row, name))]
            for name, array in x.items()}


def distance(actual, expected):
    """The largest error, relative to the largest value."""
    difference = np.abs(np.asarray(actual, np.float64) - expected).max(initial=0)
    if not np.isfinite(difference):
        return float("inf")
    return float(difference / np.abs(expected).max(initial=1e-30))


class Expected:
    """Compared with what `cut` takes of a result."""

    def __init__(self, expected, limit, cut=lambda result: result):
        self.expected, self.limit, self.cut = expected, limit, cut

    def error(self, result):
        return distance(self.cut(result), self.expected)


class Oracle:
    """A sample of the rows of attention against the oracle, computed once for all
    who are checked."""

    def __init__(self, arguments):
        self.row = row = arguments.row
        formula, masks = oracle.VARIANTS[row.variant]
        if row.causal:
            masks = masks | CAUSAL
        x = {name: arguments.doubles(name) for name in arguments.arrays}
        self.expected, self.size = {}, 0
        for block in blocks(row):
            found = formula(sample(arguments, x, *block), **masks)
            self.expected[block] = found.results["o"][0]
            self.size = max(self.size, found.score)

    @property
    def limit(self):
        """Relative to the largest value; `size` is that of the scores."""
        return SLACK * UNIT[self.row.dtype] * (1 + self.size / 8)

    def error(self, result):
        """The largest error of a result [B,H,N,E] in any float type."""
        return max(distance(result[batch, :, start:stop], expected)
                   for (batch, start, stop), expected in self.expected.items())
