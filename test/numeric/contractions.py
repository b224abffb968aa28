# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares contractions, written as einsums, with NumPy in f64."""

import os
import subprocess
import sys

import numpy as np

import cpu
import einsum_layer
from linalg_graph import numbers

# Layers, scores and mixers as models have them, and orders that none has.
FORMS = ["ij,jk->ik", "ij,kj->ik", "ji,jk->ik", "ji,kj->ik", "ij,jk->ki",
         "bij,bjk->bik", "bij,bkj->bik", "bij,jk->bik", "bhid,bhjd->bhij",
         "bhij,bhjd->bihd", "bni,ihd->bhnd", "bni,ihrd->bhrnd",
         "bhne,heo->bno", "bcnd,da->bnca", "ihj,jhk->hik", "ijc,kcj->ik",
         "jib,bkj->bik", "abi,acj->bcij"]
SIZES = [dict(zip("abcdehijknor", sizes)) for sizes in (
    (2, 3, 2, 5, 7, 3, 66, 33, 70, 9, 17, 2),
    (1, 1, 3, 16, 8, 2, 1, 130, 64, 4, 65, 3))]
# Whole steps of AMX in two pieces, two panels in a tile, and last rows of one
# square and of two.
SQUARES = [dict(zip("bijk", sizes)) for sizes in (
    (2, 37, 288, 128), (1, 59, 320, 64), (3, 16, 256, 192))]


def check(form, sizes, folder, compiler, runner, target, is_open, dtype,
          options=()):
    """Says what is wrong with a form, or nothing."""
    source, artifact = f"{folder}/f.mlir", f"{folder}/f.so"
    with open(source, "w", encoding="ascii") as file:
        file.write(einsum_layer.module(form, sizes, dtype, is_open))
    made = subprocess.run([compiler, source, f"--target={target}", "--remarks",
                           "-o", artifact], check=True, capture_output=True,
                          text=True)
    if "[Passed] dense" not in made.stderr:
        return "it is not planned as dense"
    arrays, expected, scale = einsum_layer.problem(form, sizes, dtype, is_open)
    np.savez(f"{folder}/in.npz", **arrays)
    results = []
    for threads in ("1", "2"):
        subprocess.run([runner, artifact, f"--inputs={folder}/in.npz", "--guard",
                        *options, f"--output=y={folder}/y.npy"], check=True,
                       stdout=subprocess.DEVNULL,
                       env=os.environ | {"OMP_NUM_THREADS": threads})
        results.append(np.load(f"{folder}/y.npy"))
    if results[0].tobytes() != results[1].tobytes():
        return "two threads give other bits than one"
    worst = np.max(np.abs(numbers(results[0]) - expected) / scale)
    return ("" if worst < einsum_layer.LIMITS[dtype]
            else f"an error of {worst:.2e} of its terms")


def main():
    folder, compiler, runner = sys.argv[1:]
    bad = 0
    for number, form in enumerate(FORMS):
        for sizes in SIZES:
            small, other = ("f16", "bf16")[::1 if number % 2 else -1]
            cases = [("native", True, "f32"), ("native", False, "f32"),
                     ("x86-64-v3", True, "f32"), ("native", False, small),
                     ("x86-64-v3", True, small), ("native", True, other)]
            if cpu.emulates_amx():
                cases.append(("native+emulated-amx", number % 2 == 0, "bf16"))
            for case in cases:
                wrong = check(form, sizes, folder, compiler, runner, *case)
                if wrong:
                    bad += 1
                    target, is_open, dtype = case
                    print(f"{form} {dtype} {'open' if is_open else 'known'} "
                          f"{target} {sizes}: {wrong}")
    for sizes in SQUARES if cpu.emulates_amx() else ():
        for form in ("ij,jk->ik", "bij,jk->bik", "bij,bjk->bik"):
            for is_open in ("", "i"):
                for options in ((), ("--pack-each-call",)):
                    wrong = check(form, sizes, folder, compiler, runner,
                                  "native+emulated-amx", is_open, "bf16", options)
                    if wrong:
                        bad += 1
                        print(f"{form} by AMX, {is_open or 'nothing'} open, "
                              f"{' '.join(options)} {sizes}: {wrong}")
    print(f"{len(FORMS)} forms, {bad} wrong")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
