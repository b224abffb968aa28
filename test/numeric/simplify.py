# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that attn-simplify rewrites every entry of Inputs/simplify.mlir, and
that both forms of it compute the same."""

import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import run_variant

SOURCE = pathlib.Path(__file__).parent / "Inputs" / "simplify.mlir"
SIZES = [(1, 1), (5, 7), (33, 17), (19, 40)]
# Scores of these entries stay below: |q|^2 + |k|^2 of 8 features, over 2.
LARGEST_SCORE = 64


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options)


def compile_both(folder):
    """The library with the rewrites, and the one without."""
    libraries = []
    for simplify in ("true", "false"):
        ir = run("mixattn-opt", SOURCE, f"--attn-to-llvm=simplify={simplify}").stdout
        library = folder / f"{simplify}.so"
        run("mixattn-compile", "-", "--target=x86-64", "-o", library, input=ir)
        libraries.append(library)
    return libraries


def check_rewritten(entries):
    """Each entry leaves the remark of the rule that it is named after."""
    remarks = run("mixattn-opt", SOURCE, "--attn-generalize", "--attn-simplify",
                  "--remark-format=emitRemark", "--remarks-filter-passed=attn-simplify").stderr.decode()
    applied = re.findall(r"\[Passed\] (\w+)", remarks)
    if len(applied) < len(entries):
        sys.exit(f"expected a rewrite of each of {len(entries)} entries, but got {applied}")


def main():
    entries = re.findall(r"func\.func @(\w+)", SOURCE.read_text())
    check_rewritten(entries)
    limit = run_variant.limit("f32", LARGEST_SCORE)
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        libraries = compile_both(folder)
        for entry in entries:
            for queries, keys in SIZES:
                results = []
                for library in libraries:
                    output = folder / "result.npy"
                    run("mixattn-run", library, f"--entry={entry}", "--random=7", "--guard",
                        f"--dim=N={queries}", f"--dim=S={keys}", f"--output=result0={output}")
                    results.append(np.load(output).astype(np.float64))
                error = run_variant.error(*results)
                if error > limit:
                    failed += 1
                    print(f"{entry} N={queries} S={keys}: error {error:.2e} (limit {limit:.2e})")
    print(f"{len(entries)} entries at {len(SIZES)} sizes, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
