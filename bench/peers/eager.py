# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch, op by op."""

import torch

from bench.peers import Setting, Unsupported, formulas, linear


def forms(row):
    """The ways to write a row."""
    if row.variant == "mlk_causal":
        return linear.forms(row)
    if row.variant not in formulas.FORMS:
        raise Unsupported(f"no formula of {row.variant} is written for PyTorch")
    return formulas.FORMS[row.variant]


def thread_counts(task):
    """All, and one where the work is so small that it may win."""
    return sorted({task.threads, 1} if task.row.flops() < 1e8 else {task.threads})


def settings(task):
    hidden = formulas.causal_mask(task.row, task.x["q"].dtype)
    for label, form in forms(task.row).items():
        for threads in thread_counts(task):
            yield Setting(label, lambda form=form: lambda: form(task.x, hidden),
                          threads)


def memory(task):
    """Bytes that scores and weights take at least."""
    d = task.row.dims()
    return 2 * d["B"] * d["H"] * d["N"] * d["S"] * torch.finfo(
        task.x["q"].dtype).bits // 8
