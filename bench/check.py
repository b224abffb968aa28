# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a result is right: a sample of its rows against the oracle."""

import numpy as np

import oracle
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


def sample(arguments, x, batch, start, stop):
    """The arguments of these queries alone. A causal mask is aligned at the
    ends, so that what comes after the last query is cut off."""
    row = arguments.row
    keys = row.keys - (row.N - stop) if row.causal else row.keys
    cut = {"B": slice(batch, batch + 1), "N": slice(start, stop),
           "S": slice(keys)}
    return {name: array[tuple(cut.get(dim, slice(None))
                              for dim in arguments.dims_of(name))]
            for name, array in x.items()}


class Check:
    """The expected rows, computed once for all who are checked."""

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
        worst = 0.0
        for (batch, start, stop), expected in self.expected.items():
            actual = np.asarray(result[batch, :, start:stop], np.float64)
            difference = np.abs(actual - expected).max(initial=0)
            if not np.isfinite(difference):
                return float("inf")
            worst = max(worst, difference / np.abs(expected).max(initial=1e-30))
        return float(worst)
