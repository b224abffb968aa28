# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles variants of the list at random sizes and checks what they compute.

A seed and a count of cases say which: variants, types, batches, lengths,
features, heads, components and scales of inputs. As many cases as there are
pairs of variant and type hold every pair. Each artifact runs under --guard and
meets NumPy (oracle/) and, unless the case is large, lib/Reference.

With --plans each case forces a plan, the next one that its variant can have, and
runs on one thread and twice on two: all three results are equal, bit by bit.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import shlex
import sys
import tempfile
import time

import run_variant
import sampler

EXAMPLES = """examples:
  sweep.py --seed=7                        every variant in every type
  sweep.py --seed=7 --cases=2000
  sweep.py --seed=7 --cases=20 --variants='mgk*,linear'
  sweep.py --seed=7 --plans
  sweep.py --case=mgk/bf16/B=2,H=3,N=33,D=41,R=4,S=7,x=8
"""
# Beyond so many multiplications lib/Reference takes seconds.
MOST_OF_REFERENCE = 2**26


def work_of(case):
    """Multiplications of both products, about."""
    return (case.scores() * case.sizes.get("R", 1)
            * 2 * case.sizes.get("D", case.sizes.get("V", 64)))


def compiled(case, folder, options):
    """The case's variant; a case whose plan it cannot have takes the next."""
    sizes = {dim: size for dim, size in case.sizes.items() if dim not in "BNSx"}
    if not case.plan:
        return case, run_variant.Variant(case.variant, case.dtype, folder,
                                         options.bin, sizes)
    for each in sampler.others(case):
        forced = (f"--plan={each.plan}", f"--target={each.target}")
        try:
            return each, run_variant.Variant(case.variant, case.dtype, folder,
                                             options.bin, sizes, forced)
        except RuntimeError as failure:
            if "cannot be computed as planned" not in str(failure):
                raise RuntimeError(f"{each}: {failure}") from failure
    raise RuntimeError("it can have no plan")


def changed(variant):
    """Complaints about results that one thread, two, or a second run change."""
    file = variant.folder / "inputs.npz"
    results = {name: variant.actual(file, threads=threads)
               for name, threads in (("one thread", 1), ("two threads", 2),
                                     ("two threads again", 2))}
    first = results.pop("one thread")
    return [f"{name} of {who} is not that of one thread"
            for who, each in results.items() for name in first
            if first[name].tobytes() != each[name].tobytes()]


def check(case, options):
    """The case as it ran, complaints, and its error as a share of the limit."""
    lengths = [case.sizes.get(dim, 1) for dim in "BNS"]
    with tempfile.TemporaryDirectory() as folder:
        try:
            case, variant = compiled(case, pathlib.Path(folder), options)
            variant.has_reference = work_of(case) <= MOST_OF_REFERENCE
            complaints, share = variant.check(
                "x".join(map(str, [*lengths, case.sizes["x"]])), options.seed)
            if case.plan:
                complaints += changed(variant)
            return case, complaints, share
        except RuntimeError as failure:
            return case, [str(failure)], 0.0


def repeat(case, options):
    """The command that runs one failed case again."""
    words = [sys.executable, os.path.relpath(__file__), f"--case={case}",
             f"--seed={options.seed}"]
    if options.bin:
        words.append(f"--bin={options.bin}")
    return shlex.join(words)


def run_all(cases, options):
    """Prints what went wrong and how far it is; gives the count of bad cases,
    and the worst error."""
    bad, worst, start = 0, 0.0, time.monotonic()
    forced = collections.Counter()
    step = max(1, len(cases) // 10)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda case: check(case, options), cases)
        for number, (case, complaints, share) in enumerate(results, 1):
            forced[f"{case.target} {case.plan}"] += 1
            worst = max(worst, share)
            bad += bool(complaints)
            for complaint in complaints:
                print(f"FAIL {case}: {complaint}")
            if complaints:
                print("repeat:", repeat(case, options))
            if number % step == 0 or number == len(cases) or complaints:
                print(f"{number} of {len(cases)} cases, {bad} bad, "
                      f"{time.monotonic() - start:.0f} s", flush=True)
    if options.plans:
        print("plans:", *(f"{plan} ({count}x)" for plan, count
                          in sorted(forced.items())), sep="\n  ")
    return bad, worst


def print_coverage(variants, cases):
    lines, missing = sampler.coverage(variants, cases)
    print("covered:", *lines, sep="\n  ")
    if missing:
        enough = len(variants) * len(sampler.DTYPES)
        print(f"not covered, as fewer than {enough} cases may do:",
              ", ".join(missing))


def chosen(patterns):
    """The variants of the list that a pattern fits."""
    names = sorted(file.stem for file in run_variant.FOLDERS[0].glob("*.mlir"))
    return [name for name in names if any(
        pathlib.PurePath(name).match(pattern) for pattern in patterns)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, metavar="COUNT",
                        help="default: one for each variant and type")
    parser.add_argument("--case", help="one case, as a failed one prints it")
    parser.add_argument("--variants", default="*", metavar="PATTERN,...",
                        help="default: all of examples/variants")
    parser.add_argument("--plans", action="store_true",
                        help="force plans, on one thread and on two")
    parser.add_argument("--jobs", type=int, default=2, help="default: 2")
    parser.add_argument("--list", action="store_true",
                        help="print the cases and their coverage, run none")
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    variants = chosen(options.variants.split(","))
    if not variants:
        parser.error(f"there is no variant {options.variants}")
    if options.cases is None:
        options.cases = len(variants) * len(sampler.DTYPES)
    if options.seed < 0 or options.cases < 1 or options.jobs < 1:
        parser.error("seed, count of cases and jobs are positive numbers")
    try:
        cases = ([sampler.parse_case(options.case)] if options.case
                 else sampler.sample(variants, options.cases, options.seed,
                                     options.plans))
    except ValueError as fault:
        parser.error(str(fault))
    if options.list:
        print(*cases, sep="\n")
        print_coverage(variants, cases)
        return 0
    bad, worst = run_all(cases, options)
    if not options.case:
        print_coverage(variants, cases)
    print(f"seed {options.seed}: {len(cases)} cases, {bad} bad, worst error "
          f"{worst:.3f} of the limit")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
