# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FlexAttention, compiled, of the exact fold where the row is not plain
attention. The operands of the kernel are made before it: its CPU code knows only
inputs of the graph."""

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


def compiled():
    return torch.compile(flex_attention, dynamic=False, fullgraph=True)


def folded(row, x):
    fold, code = folds.fold_of(row), compiled()
    mask = block_mask(row, fold(x).components)

    def call():
        plain = fold(x)
        return plain.finish(code(plain.q, plain.k, plain.v, block_mask=mask,
                                 scale=plain.scale))
    call()
    return call


def shared_key(row, x):
    """Shifted keys as one key and a change of its score."""
    mask = block_mask(row, 1)

    def attend(q, k, v, first, second, one, two):
        def modify(score, b, h, i, j):
            u, w = first[b, h, i] + one[b, h, j], second[b, h, i] + two[b, h, j]
            top = torch.maximum(u, w)
            return score + top + torch.log(torch.exp(u - top) + torch.exp(w - top))
        return flex_attention(q, k, v, score_mod=modify, block_mask=mask,
                              scale=1 / formulas.VARIANCES["smgk_full"][0])
    code = torch.compile(attend, dynamic=False, fullgraph=True)

    def call():
        terms = [term.contiguous() for both in formulas.shared_key_terms(x)
                 for term in both.unbind(-1)]
        return code(x["q"], x["k"], x["v"], *terms)
    call()
    return call


def settings(task):
    folds.fold_of(task.row)
    label = "" if task.row.variant == "softmax" else "fold"
    yield Setting(label, lambda: folded(task.row, task.x), task.threads)
    if task.row.variant == "smgk_full":
        yield Setting("shared key", lambda: shared_key(task.row, task.x), task.threads)
