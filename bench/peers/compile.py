# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile of the same formulas."""

import torch

from bench.peers import Setting, eager, formulas

MODES = ("default", "max-autotune-no-cudagraphs")


def compiled(form, mode, x, hidden):
    call = torch.compile(form, mode=mode, dynamic=False, fullgraph=True)
    call(x, hidden)
    return lambda: call(x, hidden)


def settings(task):
    hidden = formulas.causal_mask(task.row, task.x["q"].dtype)
    for label, form in eager.forms(task.row).items():
        for mode in MODES:
            yield Setting(f"{label} {mode}".strip(),
                          lambda form=form, mode=mode: compiled(form, mode, task.x,
                                                                hidden),
                          task.threads)
