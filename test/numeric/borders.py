# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs fused kernels where their tiles, blocks and registers end.

Every variant below is compiled for f32 and the current machine, and by turns in
other types and for other machines, and again in parts of keys. Lengths stand at
the borders of tiles of queries and blocks of keys. Each result meets NumPy
(oracle/), and is the same, byte by byte, in a second run and with another count
of threads.
"""

import argparse
import os
import pathlib
import sys
import tempfile

import run_variant
import signatures

# One of each kind of schedule, score, mask and mixer.
VARIANTS = ["softmax_everything", "softmax_band", "softmax_padded", "softmax_masked",
            "mgk_causal", "smgk_unequal", "mgk_position_prior", "fish_hard_causal",
            "gfish_paper", "fish_philox", "mixhead_a_causal", "mixhead_b",
            "mixhead_relative_bias", "sigsoftmax"]
OTHERS = [("f32", "x86-64-v3"), ("bf16", "native"), ("f16", "x86-64-v3"),
          ("f32", "x86-64"), ("bf16", "x86-64-v3"), ("f16", "native"),
          ("bf16", "x86-64"), ("f16", "x86-64")]
LENGTHS = [1, 15, 16, 17, 63, 64, 65, 130]
THREADS = ["1", "2", "1"]
# Parts of keys, and blocks in them, whose borders lie among those lengths.
DECODE = "decode,block=16,split=32"


def cases(turn):
    """Each length once as N and once as S; then scores that rise along the keys by
    larger steps than a reference may lag, and a key of NaN."""
    for i, queries in enumerate(LENGTHS):
        yield f"2x{queries}x{LENGTHS[(i + turn) % len(LENGTHS)]}x1"
    yield "2x130x130x1-rise"
    yield "2x17x65x1-rise"
    yield "2x17x65x1-seen"


def outputs(variant):
    return {name: variant.output(name).read_bytes() for name in variant.dtypes}


def check(variant, case, seed):
    """Complaints about one case, and its error as a share of the limit."""
    os.environ["OMP_NUM_THREADS"] = THREADS[0]
    complaints, share = variant.check(case, seed)
    first = outputs(variant)
    for threads in THREADS[1:]:
        os.environ["OMP_NUM_THREADS"] = threads
        variant.actual(variant.folder / "inputs.npz")
        if outputs(variant) != first:
            complaints.append(f"{threads} threads give other bytes")
    return complaints, share


def check_all(name, dtype, target, plan, turn, options):
    """Prints what went wrong; gives the counts of cases and of bad ones."""
    bad, count = 0, 0
    sizes = {"D": 24} if "D" in signatures.static_sizes(name) else {}
    with tempfile.TemporaryDirectory() as folder:
        variant = run_variant.Variant(name, dtype, pathlib.Path(folder), options.bin,
                                      sizes, [f"--target={target}", *plan])
        variant.has_reference = False
        for case in cases(turn):
            if options.case not in (None, case):
                continue
            try:
                complaints, _ = check(variant, case, options.seed)
            except RuntimeError as failure:
                complaints = [str(failure)]
            count += 1
            bad += bool(complaints)
            for complaint in complaints:
                print(f"FAIL {name} {dtype} {target} {' '.join(plan)} {case}: "
                      f"{complaint}", flush=True)
    return count, bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--variants", help="those of the list, separated by commas")
    parser.add_argument("--case", help="one case, such as 2x64x65x1")
    parser.add_argument("--all", action="store_true", help="every type for every machine")
    parser.add_argument("--target", help="f32 for this machine alone, such as znver5")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    names = options.variants.split(",") if options.variants else VARIANTS
    total, bad = 0, 0
    for turn, name in enumerate(names):
        kinds = [("f32", "native")]
        kinds += OTHERS if options.all else [OTHERS[turn % len(OTHERS)]]
        kinds = [(*kind, []) for kind in kinds] + [
            (*OTHERS[(turn + 1) % len(OTHERS)], [f"--plan={DECODE}"])]
        if options.target:
            kinds = [("f32", options.target, [])]
        for number, kind in enumerate(kinds):
            counted = check_all(name, *kind, turn + number, options)
            total, bad = total + counted[0], bad + counted[1]
    print(f"{total} cases, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
