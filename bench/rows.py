# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of all kinds, by name."""

import fnmatch
import functools

from bench import kinds

# Rows of these groups are measured only when they are asked for.
ON_REQUEST = ("seeded", "few")


def matching(patterns):
    """The rows whose name, group or variant is like one of these, * matching
    anything."""
    return [row for row in all_rows().values() if any(
        fnmatch.fnmatch(name, pattern) for pattern in patterns
        for name in (row.name, row.group, row.variant))]


@functools.cache
def all_rows():
    """Every row by name; those of a full run first within a kind."""
    rows = {}
    for kind in kinds.KINDS:
        for row in kinds.load(kind).rows():
            if row.name in rows:
                raise ValueError(f"two rows are called '{row.name}'")
            rows[row.name] = row
    for row in rows.values():
        for other in (row.against, row.even):
            if other and other not in rows:
                raise ValueError(f"{row.name}: no row is called '{other}'")
    return rows
