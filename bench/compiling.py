# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long mixattn-compile takes: its process, less one that only prints its
version."""

import statistics
import subprocess
import time

from bench import kinds, ours

RUNS = 7


def version_seconds(tools):
    start = time.perf_counter()
    subprocess.run([tools / "mixattn-compile", "--version"], capture_output=True,
                   check=True)
    return time.perf_counter() - start


def run_all(tools, of_kinds, say):
    """Seconds by row, and the milliseconds that each may take, or None."""
    found, most = {}, {}
    for kind in of_kinds:
        for name, row, most[name] in kinds.load(kind).compiled():
            found[name] = statistics.median(
                ours.compile_row(row, tools).seconds - version_seconds(tools)
                for _ in range(RUNS))
            say(f"compile {name}: {1e3 * found[name]:.0f} ms")
    return found, most
