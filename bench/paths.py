# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where things lie, and the oracle of the numeric tests made importable."""

import os
import pathlib
import shutil
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
RESULTS = BENCH / "results"
# A run leaves these in addition to its results: artifacts, caches, the environment.
WORK = pathlib.Path(os.environ.get("MIXATTN_BENCH_WORK", ROOT / "build" / "bench"))
VARIANTS = ROOT / "examples" / "variants"

sys.path.append(str(ROOT / "test" / "numeric"))


def example(name):
    """A folder of examples/, whose modules can be imported from here on."""
    folder = ROOT / "examples" / name
    sys.path.append(str(folder))
    return folder


def build_c(name, work=WORK):
    """The shared library of a C file of this folder, built where it is older."""
    source, library = BENCH / f"{name}.c", work / f"lib{name}.so"
    if library.exists() and library.stat().st_mtime > source.stat().st_mtime:
        return library
    work.mkdir(parents=True, exist_ok=True)
    compiler = next((c for c in (os.environ.get("CC"), "clang-22", "clang", "gcc", "cc")
                     if c and shutil.which(c)), None)
    if not compiler:
        raise RuntimeError("no C compiler was found: run scripts/setup.sh")
    partial = library.with_suffix(f".{os.getpid()}")
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-shared", "-fPIC",
                    "-pthread", source, "-o", partial], check=True)
    partial.rename(library)
    return library
