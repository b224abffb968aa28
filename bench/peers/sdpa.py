# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.functional.scaled_dot_product_attention, of the exact fold where the
row is not plain attention."""

from torch.nn.functional import scaled_dot_product_attention

from bench.peers import Setting, eager, folds, formulas


def folded(row, x, is_wide):
    fold = folds.fold_of(row)
    hidden = formulas.causal_mask(row, x["q"].dtype)

    def call():
        plain = fold(x)
        if is_wide:
            plain = folds.widened(plain)
        is_causal = row.causal and plain.components == 1 and row.N == row.keys
        mask = None
        if row.causal and not is_causal:
            mask = hidden.repeat(1, plain.components)
        return plain.finish(scaled_dot_product_attention(
            plain.q, plain.k, plain.v, attn_mask=mask, is_causal=is_causal,
            scale=plain.scale))
    return call


def settings(task):
    folds.fold_of(task.row)
    widths = [False] if task.row.variant == "softmax" else [True, False]
    for is_wide in widths:
        label = {"softmax": ""}.get(task.row.variant, "padded" if is_wide else "fold")
        for threads in eager.thread_counts(task):
            yield Setting(label, lambda is_wide=is_wide: folded(task.row, task.x, is_wide),
                          threads)
