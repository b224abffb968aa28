# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long mixattn-compile takes: its process, less one that only prints its
version."""

import statistics
import subprocess
import time

from bench import ours
from bench.rows import FAMILIES, Row

RUNS = 7


def version_seconds(tools):
    start = time.perf_counter()
    subprocess.run([tools / "mixattn-compile", "--version"], capture_output=True,
                   check=True)
    return time.perf_counter() - start


def run_all(tools, say):
    found = {}
    for variant in FAMILIES + ("mlk_causal",):
        for dtype in ("f32", "bf16"):
            row = Row(variant, variant, 1, dtype=dtype)
            seconds = [ours.compile_row(row, tools)[1] - version_seconds(tools)
                       for _ in range(RUNS)]
            found[f"{variant} {dtype}"] = statistics.median(seconds)
            say(f"compile {variant} {dtype}: {1e3 * statistics.median(seconds):.0f} ms")
    return found
