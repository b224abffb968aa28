# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile of the same ways; weights of modules are constants that it may
pack."""

import torch

from bench.peers import Setting, eager
from bench.written import first

# Tuning tries other products; it is long, and done for the first way only.
DEFAULT, TUNED = "default", "max-autotune-no-cudagraphs"


def compiled(way, mode, is_frozen):
    # As options, so that modes differ where the compiler looks for what it has. Its
    # front end sees those of the process.
    options = torch._inductor.list_mode_options(mode) | {"freezing": is_frozen}
    with torch._inductor.config.patch(freezing=is_frozen):
        code = torch.compile(way.code, options=options, dynamic=False, fullgraph=True)
        code(*way.inputs)
    return lambda: first(code(*way.inputs))


def variations(ways, counts):
    """Ways, modes, whether weights are constants, and counts of threads."""
    ways = {label: way for label, way in ways.items() if not way.is_packed}
    for number, (label, way) in enumerate(ways.items()):
        is_module = isinstance(way.code, torch.nn.Module)
        for threads in counts if is_module and number == 0 else counts[-1:]:
            yield label, way, DEFAULT, is_module, threads
        if number == 0:
            yield label, way, TUNED, is_module, counts[-1]
            # Constants are folded by other code, which may fail.
            if is_module:
                yield label, way, DEFAULT, False, counts[-1]


def settings(task):
    for label, way, mode, is_frozen, threads in variations(task.ways(),
                                                           eager.thread_counts(task)):
        words = label, mode, "frozen" if is_frozen else ""
        yield Setting(" ".join(filter(None, words)),
                      lambda way=way, mode=mode, is_frozen=is_frozen:
                      compiled(way, mode, is_frozen), threads)
