# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random programs of attention ops and checks what they compute.

A seed and a number make a program: one op of any kind or a graph of up to six,
with any clauses, sizes and types. It is compiled for several machines and
plans, called with values of many kinds on one thread and on two, and meets the
independent oracle (oracle/, put together by compositions/expect.py). A
program that fails is made as small as it can be and written as a test.
"""

import argparse
import collections
import os
import pathlib
import secrets
import shlex
import shutil
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from compositions import coverage, faults, shrink, work, write  # noqa: E402

EXAMPLES = """examples:
  compositions.py                            300 programs of a fresh seed
  compositions.py --seed=7 --programs=2000 --write=findings
  compositions.py --seed=7 --program=12      one program again
  compositions.py --trial=findings/x.json    what a test holds
  compositions.py --seed=7 --list            what programs there are
"""
# A run ends at so many findings.
MOST_BAD = 20
# A child tries so many programs.
BATCH = 40


class Run:
    """Programs tried, and what came of it."""

    def __init__(self, options):
        self.options, self.start = options, time.monotonic()
        self.counts = collections.Counter()
        self.worst, self.findings, self.bad = 0.0, [], set()

    def seconds(self):
        return time.monotonic() - self.start

    def is_over(self):
        limit = self.options.minutes
        most = 1 if self.options.stop else MOST_BAD
        if len(self.findings) + self.counts["broken"] >= most:
            return True
        return limit is not None and self.seconds() > 60 * limit

    def repeat(self, number):
        options = self.options
        words = [sys.executable, os.path.relpath(__file__),
                 f"--seed={options.seed}", f"--program={number}",
                 f"--calls={options.calls}", f"--artifacts={options.artifacts}",
                 f"--work={options.work:g}", f"--plain={options.plain:g}"]
        words += [f"--{name}={getattr(options, name)}"
                  for name in ("fault", "sanitize") if getattr(options, name)]
        return shlex.join(words)

    def take(self, number, message):
        """One message of a child."""
        if message[0] == "broken":
            self.counts["broken"] += 1
            print(f"FAIL program {number}: the oracle itself:\n{message[1]}")
            print("repeat:", self.repeat(number), flush=True)
            return
        _, finding, share, calls = message
        self.counts["calls"] += calls
        if finding and finding.kind == "refused":
            self.counts["refused"] += 1
            return
        self.counts["trials"] += 1
        if not finding:
            self.worst = max(self.worst, share)
            return
        # The first of a program tells most of its others, too.
        if number not in self.bad:
            self.bad.add(number)
            self.report(number, finding)

    def report(self, number, finding):
        """Prints a finding, makes it small, and writes it."""
        options = self.options
        print(f"FAIL program {number}: {finding.kind}: {finding.what}")
        print("repeat:", self.repeat(number), flush=True)
        if options.shrink and finding.trial is not None:
            finding = shrink.shrink(
                finding, lambda trial: work.try_once(trial, options),
                options.shrink)
        self.findings.append(finding)
        if finding.trial is None:
            return
        name = f"{finding.kind.replace(' ', '_')}_{options.seed}_{number}"
        path = write.write_finding(finding, options.write, name,
                                   self.repeat(number))
        print(f"smallest: {finding.kind}: {finding.what}\n{path.read_text()}",
              flush=True)

    def batch(self, numbers):
        """Tries these; a child that dies is followed by another."""
        left = list(numbers)
        while left and not self.is_over():
            child = work.Child(left, self.options)
            for message in work.listen(child):
                self.take(child.number, message)
                if self.is_over():
                    break
            child.stop()
            left = child.left
        self.counts["programs"] += len(numbers) - len(left)

    def progress(self):
        counts = self.counts
        return (f"{counts['programs']} programs, {counts['trials']} artifacts, "
                f"{counts['refused']} refused, {counts['calls']} calls, "
                f"{len(self.findings) + counts['broken']} bad, worst error "
                f"{self.worst:.3f} of the limit, {self.seconds():.0f} s")


def run_all(options):
    run, number = Run(options), 0
    while not run.is_over() and (options.minutes is not None
                                 or number < options.programs):
        most = BATCH if options.minutes is not None else min(
            BATCH, options.programs - number)
        run.batch(range(number, number + most))
        number += most
        print(f"seed {options.seed}: {run.progress()}", flush=True)
    return 1 if run.findings or run.counts["broken"] else 0


def run_program(options):
    run = Run(options)
    run.batch([options.program])
    print(f"seed {options.seed}, program {options.program}: {run.progress()}")
    return 1 if run.findings or run.counts["broken"] else 0


def run_trial(options):
    """One trial that write.py wrote."""
    trial = write.from_json(options.trial.read_text())
    finding = work.try_once(trial, options)
    if finding:
        print(f"FAIL {finding.kind}: {finding.what}")
    return 1 if finding else 0


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="default: a fresh one")
    parser.add_argument("--programs", type=int, default=300, metavar="COUNT")
    parser.add_argument("--minutes", type=float,
                        help="run so long, whatever the count")
    parser.add_argument("--program", type=int, metavar="NUMBER",
                        help="this one only")
    parser.add_argument("--trial", type=pathlib.Path, metavar="FILE.json",
                        help="what a finding's file holds")
    parser.add_argument("--list", action="store_true",
                        help="print programs and their coverage, run none")
    parser.add_argument("--calls", type=int, default=4,
                        help="of each artifact, on one thread and on two")
    parser.add_argument("--artifacts", type=int, default=2,
                        help="of each program, by machine and plan")
    parser.add_argument("--work", type=float, default=5e6,
                        help="multiplications of a call at most; of a few, "
                        "ten times as many")
    parser.add_argument("--plain", type=float, default=0.3, metavar="SHARE",
                        help="of artifacts compiled with -O0, which is fast")
    parser.add_argument("--shrink", type=float, default=60, metavar="SECONDS",
                        help="to make a finding small; 0: as it is")
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER",
                        default=pathlib.Path("compositions-findings"),
                        help="of what is found")
    parser.add_argument("--stop", action="store_true",
                        help="at the first finding")
    parser.add_argument("--sanitize", default="",
                        choices=["", "address", "thread"],
                        help="sanitize kernels; this process then holds the "
                        "sanitizer's runtime, as scripts/fuzz.sh sees to")
    parser.add_argument("--fault", default="", choices=["", *faults.FAULTS],
                        help="makes the oracle wrong")
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = secrets.randbelow(2**31)
    name = str(pathlib.Path(options.bin) / "mixattn-compile") \
        if options.bin else "mixattn-compile"
    options.tool = shutil.which(name)
    if options.tool is None and not options.list:
        parser.error(f"there is no {name}")
    if options.seed < 0 or options.programs < 1 or options.calls < 1 \
            or options.artifacts < 1:
        parser.error("seed and counts are positive numbers")
    return options


def main():
    options = parse()
    if options.trial:
        return run_trial(options)
    print(f"seed {options.seed}", flush=True)
    if options.list:
        print(*coverage.lines(options.seed, options.programs), sep="\n")
        return 0
    if options.program is not None:
        return run_program(options)
    return run_all(options)


if __name__ == "__main__":
    sys.exit(main())
