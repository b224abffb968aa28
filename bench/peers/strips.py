# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch op by op over strips of queries, whose scores stay in the caches."""

import torch

from bench.peers import Setting, Unsupported, formulas
from bench.written.attention import forms

QUERIES = (16, 32, 64, 128, 256, 512)


def cut(x, batches, queries, keys):
    """The arguments of some batches and queries, and the first keys."""
    found = {}
    for name, t in x.items():
        if name == "q":
            t = t[batches, :, queries]
        elif name in ("k", "v", "keys"):
            t = t[batches][..., :keys, :]
        found[name] = t
    return found


def strips_of(row, x, rows):
    """Strips of about `rows` queries: of one batch, or whole batches. Masks are
    made beforehand; what a causal strip does not see is cut off."""
    batches = max(1, rows // row.N)
    strips = []
    for batch in range(0, row.B, batches):
        for start in range(0, row.N, rows):
            stop = min(row.N, start + rows)
            keys = row.keys - row.N + stop if row.causal else row.keys
            strips.append((slice(batch, batch + batches), slice(start, stop), keys,
                           formulas.causal_mask(row, x["q"].dtype, start, stop)))
    return strips


def in_strips(form, row, x, rows):
    strips = strips_of(row, x, rows)
    d = row.dims()
    result = torch.empty(d["B"], d["H"], d["N"], d["D"], dtype=x["q"].dtype)

    def call():
        for batches, queries, keys, hidden in strips:
            result[batches, :, queries] = form(cut(x, batches, queries, keys), hidden)
        return result
    return call


def settings(task):
    row = task.row
    if row.is_linear:
        raise Unsupported("linear attention has no rows of scores")
    sizes = [rows for rows in QUERIES if rows < row.N * row.B]
    if not sizes:
        raise Unsupported("there are too few queries for strips")
    for label, form in forms(row).items():
        for rows in sizes:
            yield Setting(f"{label} {rows} rows".strip(),
                          lambda form=form, rows=rows: in_strips(form, row, task.x, rows),
                          task.threads)
