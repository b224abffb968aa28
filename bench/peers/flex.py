# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FlexAttention, compiled, of the exact fold where the row is not plain
attention."""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from bench.peers import Setting, folds, formulas


def block_mask(row, components):
    """Made once, as a model would."""
    if not row.causal:
        return None
    keys, offset = row.keys, row.keys - row.N

    def visible(b, h, i, j):
        return j % keys <= i + offset
    return create_block_mask(visible, None, None, row.N, components * keys,
                             device="cpu")


def folded(row, x):
    fold = folds.fold_of(row)
    mask = block_mask(row, 2 if row.variant in ("mgk", "smgk_full") else 1)

    def call(x):
        plain = fold(x)
        return plain.finish(flex_attention(
            plain.q, plain.k, plain.v, block_mask=mask, scale=plain.scale))
    return compiled(call, x)


def shared_key(row, x):
    """Shifted keys as one key and a change of its score."""
    mask = block_mask(row, 1)

    def call(x):
        of_query, of_key = formulas.shared_key_terms(x)
        (first, second), (one, two) = of_query.unbind(-1), of_key.unbind(-1)

        def modify(score, b, h, i, j):
            u, w = first[b, h, i] + one[b, h, j], second[b, h, i] + two[b, h, j]
            top = torch.maximum(u, w)
            return score + top + torch.log(torch.exp(u - top) + torch.exp(w - top))
        return flex_attention(x["q"], x["k"], x["v"], score_mod=modify,
                              block_mask=mask, scale=1 / 8)
    return compiled(call, x)


def compiled(call, x):
    code = torch.compile(call, dynamic=False, fullgraph=True)
    code(x)
    return lambda: code(x)


def settings(task):
    folds.fold_of(task.row)
    label = "" if task.row.variant == "softmax" else "fold"
    yield Setting(label, lambda: folded(task.row, task.x), task.threads)
    if task.row.variant == "smgk_full":
        yield Setting("shared key", lambda: shared_key(task.row, task.x), task.threads)
