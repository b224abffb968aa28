# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile of the same formulas."""

import torch

from bench.peers import Setting, eager, formulas

# Tuning tries other products; it is long, and done for the first form only.
DEFAULT, TUNED = "default", "max-autotune-no-cudagraphs"


def compiled(form, mode, x, hidden):
    code = torch.compile(form, mode=mode, dynamic=False, fullgraph=True)
    code(x, hidden)
    return lambda: code(x, hidden)


def settings(task):
    hidden = formulas.causal_mask(task.row, task.x["q"].dtype)
    forms = eager.forms(task.row)
    ways = [(label, form, DEFAULT) for label, form in forms.items()]
    ways.append((*next(iter(forms.items())), TUNED))
    for label, form, mode in ways:
        yield Setting(f"{label} {mode}".strip(),
                      lambda form=form, mode=mode: compiled(form, mode, task.x, hidden),
                      task.threads)
