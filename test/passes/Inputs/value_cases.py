# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that entries refuse, and the nearest that they take.

Each function gives its cases to `check`: a title, the values, and what else the
case needs. Of coordinates and windows there are two heads, and five rows.
"""

import numpy as np

INF, NAN = np.inf, np.nan


def coordinates(check):
    """Of elements: head, row, column."""
    check("in order", [[0, 0, 0], [0, 4, 4], [1, 0, 0], [1, 0, 4], [1, 4, 0]])
    check("none", [])
    check("head", [[0, 0, 0], [2, 0, 0]])
    check("negative head", [[-1, 0, 0]])
    check("row", [[0, 5, 0]])
    check("column", [[0, 0, 0], [1, 1, -1]])
    check("twice", [[0, 1, 2], [0, 1, 2]])
    check("columns descend", [[0, 1, 2], [0, 2, 3], [0, 2, 2]])
    check("rows descend", [[0, 2, 0], [0, 1, 1]])
    check("heads descend", [[1, 0, 0], [0, 1, 1]])
    check("i32", [[0, 1, 2], [0, 1, 5]], np.int32)


def windows(check):
    """A column, the first row, and how many."""
    check("all rows", [[4, 2, 3], [0, 0, 2]])
    check("no window", [])
    check("column beyond", [[0, 0, 2], [5, 2, 1]])
    check("first row beyond", [[0, 5, 1]])
    check("no row", [[0, 0, 2], [1, 2, 0]])
    check("too long", [[0, 0, 2], [1, 2, 4]])
    check("far too long", [[1, 2, 2**63 - 1]])
    check("overlap", [[0, 0, 2], [1, 3, 2], [2, 1, 1]])
    check("one holds the other", [[0, 1, 1], [1, 0, 5]])


def shares(check):
    """Logarithms of priors, of components or of components and three keys."""
    check("one component on", [[-INF, 0], [0, -INF]])
    check("a head off", [[0, 0], [-INF, -INF]])
    check("NaN and one that is on", [[NAN, 0], [0, 0]])
    check("NaN alone", [[NAN, -INF], [0, 0]])
    by_key = np.full((2, 2, 3), -INF)
    by_key[0, 1, 2] = by_key[1, 0, 0] = 0
    check("one key on", by_key)
    by_key[1, 0, 0] = -INF
    check("a head off by key", by_key)
    check("no keys", by_key[:, :, :0], keys=0)


def updates(check):
    """Sizes of what a prior is made of: batch, queries, keys."""
    check("something", 1, 2, 3)
    check("no batch", 0, 2, 3)
    check("no queries", 1, 0, 3)
    check("no keys", 1, 2, 0)
