# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks linear attention at sizes near those of chunks and vectors.

Each variant is compiled for each target and checked as run_variant.py does; on
one thread and on two the results are the same bytes.
"""

import argparse
import os
import pathlib
import sys
import tempfile

import run_variant

# Batch, queries, keys, scale.
CASES = ["2x1x1000x1", "1x15x17x1", "2x17x15x8", "2x63x64x1", "1x65x63x1",
         "2x64x130x1", "2x130x65x1", "1x130x130x1", "1x1000x1000x1"]
TARGETS = ["native", "x86-64-v3", "x86-64"]
# Beyond these lib/Reference takes long.
MOST_OF_REFERENCE = 200


class Compiled(run_variant.Variant):
    """A variant, compiled for `target`."""

    def __init__(self, name, dtype, target, folder, options):
        super().__init__(name, dtype, folder, options.bin,
                         {"D": options.features} if options.features else None)
        run_variant.run(run_variant.tool("mixattn-compile", options.bin),
                        self.artifact.with_suffix(".mlir"),
                        f"--target={target}", "-o", self.artifact)


def results_on(variant, file, threads):
    os.environ["OMP_NUM_THREADS"] = str(threads)
    try:
        return variant.actual(file)
    finally:
        del os.environ["OMP_NUM_THREADS"]


def check(variant, case, options):
    """Complaints about a case."""
    variant.has_reference = max(
        map(int, case.split("x"))) <= MOST_OF_REFERENCE
    complaints, _ = variant.check(case, options.seed)
    file = variant.folder / "inputs.npz"
    one, two = (results_on(variant, file, threads) for threads in (1, 2))
    if any(one[name].tobytes() != two[name].tobytes() for name in one):
        complaints.append("two threads compute other bytes than one")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("variants", nargs="+", help="their names")
    parser.add_argument("--dtypes", default="f32")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--features", type=int, help="D, if not the file's")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    bad = count = 0
    for name in options.variants:
        for dtype in options.dtypes.split(","):
            for target in options.targets.split(","):
                with tempfile.TemporaryDirectory() as folder:
                    variant = Compiled(name, dtype, target,
                                       pathlib.Path(folder), options)
                    for case in options.cases.split(","):
                        complaints = check(variant, case, options)
                        for complaint in complaints:
                            print(f"FAIL {name} {dtype} {target} {case}: "
                                  f"{complaint}")
                        bad += bool(complaints)
                        count += 1
    print(f"{count} cases, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
