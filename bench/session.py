# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Child processes: one a row, in the environment that is best for its peers."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from bench import paths

# Idle threads of ours sleep after a millisecond.
POOLS = {"KMP_BLOCKTIME": "1", "PYTHONUNBUFFERED": "1"}
# Memory is kept, not given back and faulted in again at each call.
KEPT_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**34),
               "MALLOC_TRIM_THRESHOLD_": str(2**34),
               "MALLOC_TOP_PAD_": str(2**26)}
# Threads that wake stay on the CPU that they had: in calls of a tenth of a
# millisecond, two on one CPU would be all that is measured. Not for peers, whose
# own pools would inherit it.
BOUND_THREADS = {"OMP_PROC_BIND": "true"}


def environment(**more):
    """That of a child: ours, with `more`."""
    caches = {"TORCHINDUCTOR_CACHE_DIR": str(paths.WORK / "inductor"),
              "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    return os.environ | POOLS | caches | more


def run(module, *arguments, env):
    """The JSON that `python -m module arguments… FILE` leaves in FILE, or the
    reason why there is none. The child prints its progress."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "result.json"
        with open(pathlib.Path(folder) / "errors", "w+", encoding="utf-8",
                  errors="replace") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *map(str, arguments), file],
                cwd=paths.ROOT, env=env, stderr=errors)
            try:
                process.wait()
            except KeyboardInterrupt:
                process.kill()
                process.wait()
                raise
            if file.exists():
                return json.loads(file.read_text())
            errors.seek(0)
            lines = errors.read().strip().split("\n")
        return {"failed": f"exit {process.returncode}: {lines[-1][:300]}"}


def environment_of_peers(counts):
    """The environment in which the peers' library multiplies matrices faster: as
    it is, or with MKL told to look at the CPU and not at its maker; and all
    measurements, by environment and count of threads."""
    candidates = {"plain": environment(**KEPT_MEMORY),
                  "mkl": environment(**KEPT_MEMORY,
                                     LD_PRELOAD=str(paths.build_c("mkl")))}
    products = {name: {str(threads): run("bench.product", threads, env=env)
                       for threads in counts} for name, env in candidates.items()}
    best = max(products, key=lambda name: products[name][str(counts[0])].get(
        "torch", {}).get("f32", 0))
    return candidates[best], {"chosen": best, "products": products}
