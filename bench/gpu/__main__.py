# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on a GPU: results against the oracle, memory under compute-sanitizer, times
next to those of PyTorch's kernels and to the prediction of --explain.

Rows come in the order of the value of knowing them, and what is known is written
after each: a run may be cut off anywhere.
"""

import argparse
import concurrent.futures
import datetime
import functools
import multiprocessing
import os
import pathlib
import sys
import time

from bench import results
from bench.gpu import ROOT, Failure, artifacts, check, rows, times

EXAMPLES = """examples:
  scripts/bench-gpu.sh
  scripts/bench-gpu.sh --targets=sm_90a --only=make,time --timed=softmax:H=16,D=128
where the GPU is another machine's: first here, then there, with this repository and
the folder build/bench/gpu carried to it:
  scripts/bench-gpu.sh --only=make
  scripts/bench-gpu.sh --only=check,time --out=gpu.json
"""
STEPS = ("make", "check", "sanitize", "time", "peers")


class Session:
    """The figures of a run, written after each."""

    def __init__(self, options):
        self.options, self.failed = options, 0
        self.record = {"format": results.FORMAT,
                       "date": datetime.date.today().isoformat(),
                       "check": {}, "sanitize": {}, "time": {}, "peers": {}}
        self.begin = time.monotonic()

    def tell(self, step, name, figures, text, failed=False):
        self.failed += failed
        self.record[step][name] = figures
        spent = time.monotonic() - self.begin
        print(f"{spent:5.0f} s  {name} {step}: {'FAIL ' if failed else ''}{text}",
              flush=True)
        self.write()

    def write(self):
        if self.options.out:
            results.write(self.options.out, self.record)

    def parallel(self, step, work, made, words):
        """`work` of each artifact, in processes; `words` says what it found."""
        os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
        with concurrent.futures.ProcessPoolExecutor(self.options.jobs) as pool:
            for artifact, future in [(each, pool.submit(work, each)) for each in made]:
                try:
                    found = future.result()
                    text, failed = words(found), bool(found.get("bad"))
                except Failure as failure:
                    found, text, failed = {"error": str(failure)}, str(failure), True
                self.tell(step, artifact.name, found, text, failed)

    def alone(self, work, *arguments):
        """In a process of its own, which has PyTorch from this one: a fault of the GPU
        ends it alone. This one has no part in CUDA, which no fork survives."""
        times.preload()
        context = multiprocessing.get_context("fork")
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            return pool.submit(work, *arguments).result()

    def time(self, step, made):
        if "ceilings" not in self.record:
            try:
                self.record["ceilings"] = self.alone(times.ceilings)
            except Failure as failure:
                return self.tell(step, "ceilings", {"error": str(failure)}, str(failure),
                                 True)
            print("{device}, PyTorch {torch}: copy {copy:.3g} bytes/s, "
                  "product {product:.3g} FLOP/s".format(**self.record["ceilings"]))
        others = times.compiled if step == "peers" else \
            times.nobody if self.options.alone else times.eager
        for artifact in made:
            try:
                found = self.alone(times.time, artifact, self.options.rounds, others)
                self.tell(step, artifact.name, found,
                          times.sentence(found, self.record["ceilings"]))
            except (Failure, concurrent.futures.process.BrokenProcessPool,
                    RuntimeError) as failure:
                said = (str(failure).splitlines() or [type(failure).__name__])[0]
                self.tell(step, artifact.name, {"error": said}, said, True)
        return None


def of_check(found):
    bad = [f"{case}: {'; '.join(said)}" for case, said in found["bad"].items()]
    return " | ".join([f"{found['cases']} cases, error {found['worst']:.3f} of the limit",
                       *bad])


def of_sanitizer(found):
    if "skipped" in found:
        return f"skipped: {found['skipped']}"
    return " | ".join(f"{kind}: {said}" for kind, said in found["bad"].items()) or \
        "memcheck, racecheck, initcheck and synccheck found nothing"


def parse():
    parser = argparse.ArgumentParser(
        prog="scripts/bench-gpu.sh", description=__doc__, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", default="sm_90a,sm_90", metavar="GPUS",
                        help="code for which GPUs; default: sm_90a,sm_90, the two "
                             "families of schedules on Hopper")
    parser.add_argument("--dtypes", default="bf16", help="of bf16 and f16; default: bf16")
    parser.add_argument("--checked", nargs="*", metavar="VARIANT",
                        help="what is checked; default: all of examples/variants")
    parser.add_argument("--cases", default=",".join(check.CASES),
                        help="BxNxSxSCALE of checks; default: %(default)s")
    parser.add_argument("--timed", nargs="*", default=rows.TIMED, metavar="ROW",
                        help="a variant and its sizes; default: those that goals are "
                             "about, and one of each schedule")
    parser.add_argument("--only", default=",".join(STEPS), metavar="STEPS",
                        help=f"of {', '.join(STEPS)}; default: all. peers are those "
                             "that PyTorch compiles first, which takes long")
    parser.add_argument("--alone", action="store_true",
                        help="times without peers, such as of two builds: --artifacts")
    parser.add_argument("--rounds", type=int, default=10, help="calls of each contestant")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="checks at a time; default: one for each CPU")
    parser.add_argument("--artifacts", type=pathlib.Path,
                        default=ROOT / "build" / "bench" / "gpu",
                        help="the folder of what is made; default: build/bench/gpu")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin",
                        help="the folder of the tools; default: build/bin")
    parser.add_argument("--out", type=pathlib.Path, help="a JSON file for all figures")
    options = parser.parse_args()
    options.steps = options.only.split(",")
    for step in options.steps:
        if step not in STEPS:
            parser.error(f"expected steps of {', '.join(STEPS)}, but got '{step}'")
    return options


def main():
    options = parse()
    session = Session(options)
    wanted = rows.checked() if options.checked is None else options.checked
    pairs = [(target, dtype) for target in options.targets.split(",")
             for dtype in options.dtypes.split(",")]

    def each_of(texts):
        return [artifacts.Artifact(rows.Row.of(text), *pair, options)
                for pair in pairs for text in texts]
    try:
        checked, timed = each_of(wanted), each_of(options.timed)
        if "make" in options.steps:
            failed = artifacts.make_all([(each, True) for each in timed] +
                                        [(each, False) for each in checked], options)
            session.failed += len(failed)
        if "check" in options.steps:
            session.parallel("check", functools.partial(
                check.check, chosen=options.cases.split(",")), checked, of_check)
        if "time" in options.steps:
            session.time("time", timed)
        if "sanitize" in options.steps:
            session.parallel("sanitize", check.sanitize, checked, of_sanitizer)
        if "peers" in options.steps:
            session.time("peers", timed)
    except Failure as failure:
        print(f"bench-gpu: {failure}", file=sys.stderr)
        return 1
    return 1 if session.failed else 0


if __name__ == "__main__":
    sys.exit(main())
