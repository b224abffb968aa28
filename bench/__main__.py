# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures rows one after the other, each in processes of its own, and writes what
came of it when all are done."""

import argparse
import datetime
import json
import os
import pathlib
import sys
import time

from bench import (compiling, kinds, machine, memory, paths, peers, plots, report, results,
                   rows, session, tables)
from bench.peak import Peak
from bench.report import say

FULL = paths.RESULTS / "full.json"
# Results that the next run of a part replaces.
UNKEPT = ("quick", "only")
# Measured in addition to the rows.
PARTS = ("memory", "compile")
# CPUs in use by others that falsify times.
BUSY = 0.1


def parse():
    cpus = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(
        prog="scripts/bench.sh", description="Measures compiled attention against "
        "its peers and the machine's peak. Times are medians over rounds in which "
        "all take turns; figures are ratios, or shares of the peak measured in the "
        "same round.")
    parser.add_argument("--quick", action="store_true",
                        help="a few small rows without peers, under two minutes")
    parser.add_argument("--only", metavar="NAME", action="append", default=[],
                        help="rows of this name, group or variant, * matching "
                        "anything; or memory, compile, of the kinds of these rows; "
                        "repeatable")
    parser.add_argument("--peers", default=",".join(peers.MODULES),
                        metavar="none|NAMES", help="of " + ", ".join(peers.MODULES))
    parser.add_argument("--threads", metavar="LIST", default=f"1,{cpus}",
                        help="counts of threads; peers run with the last (default: "
                        "%(default)s)")
    parser.add_argument("--peers-always", action="store_true",
                        help="peers run with every count of threads")
    parser.add_argument("--rounds", type=int, default=7, help="default: 7")
    parser.add_argument("--slot", type=float, default=0.12, metavar="SECONDS",
                        help="of each contestant in a round (default: 0.12)")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE.json",
                        help="default: bench/results/full.json; with --quick or "
                        "--only quick.json or only.json there")
    parser.add_argument("--tools", type=pathlib.Path,
                        default=paths.ROOT / "build" / "bin", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true",
                        help="the names of the rows, and nothing else")
    options = parser.parse_args()
    options.peers = [] if options.peers == "none" else options.peers.split(",")
    for name in options.peers:
        if name not in peers.MODULES:
            parser.error(f"there is no peer '{name}'")
    options.threads = machine.parse_threads(parser, options.threads)
    if options.rounds < 5:
        parser.error("--rounds: expected at least 5")
    name = "full"
    if options.quick:
        options.only, options.peers, name = ["quick"], [], "quick"
    elif options.only:
        name = "only"
    options.out = options.out or paths.RESULTS / f"{name}.json"
    options.rows, options.parts = chosen(options.only)
    # Memory and compilation of the kinds that are named, or of all.
    named = {row.kind() for row in options.rows}
    options.kinds = [kind for kind in kinds.KINDS if kind in named or not named]
    if not options.rows and not options.parts:
        parser.error(f"nothing is called {' or '.join(options.only)}")
    if not options.list and not (options.tools / "mixattn-compile").exists():
        parser.error(f"no mixattn-compile in {options.tools}: run scripts/build.sh")
    return options


def chosen(patterns):
    """The rows to measure, and which further parts."""
    if not patterns:
        return [row for row in rows.all_rows().values()
                if row.group not in ("quick", *rows.ON_REQUEST)], PARTS
    return rows.matching(patterns), [part for part in PARTS if part in patterns]


def described(row):
    """Facts of a row that results hold in addition to its figures."""
    return {"variant": row.variant, "group": row.group, "shape": row.shape(),
            "dims": row.dims(), "dtype": row.dtype, "causal": row.causal,
            "target": row.target, "against": row.against, "even": row.even,
            "goals": row.goals, "threads": {}}


def measure_row(row, options, env):
    """Its figures for each count of threads."""
    found = described(row)
    for threads in options.threads:
        with_peers = row.peers and (options.peers_always
                                    or threads == options.threads[-1])
        spec = {"row": row.name, "threads": threads, "rounds": options.rounds,
                "slot": options.slot, "tools": str(options.tools),
                "peers": options.peers if with_peers else []}
        measured = session.run("bench.child", json.dumps(spec), env=env)
        found["threads"][str(threads)] = measured
        say(report.line(row.name, threads, measured))
        for text in report.peers(measured):
            say(text)
    return found


def run(options):
    """Everything that is to be measured, as it goes into the file."""
    start, peak = time.perf_counter(), Peak()
    found = {"format": results.FORMAT, "commit": machine.commit(),
             "date": datetime.date.today().isoformat(), "machine": machine.cpu(),
             "versions": machine.versions(options.tools), "busy": machine.busy(),
             "settings": {"rounds": options.rounds, "slot": options.slot,
                          "threads": options.threads, "peers": options.peers},
             "peak": {str(count): peak.everything(count)
                      for count in options.threads}, "rows": {}}
    if found["busy"] > BUSY:
        say(f"others use {found['busy']:.1f} CPUs: figures will be wrong")
    for count, kinds in found["peak"].items():
        for kind, value in kinds.items():
            say(f"peak, {count} threads, {kind}: {value['rate'] / 1e9:.0f} GFLOP/s, "
                f"{value['share']:.3f} of clock x lanes x ports")
    env = session.environment(**session.KEPT_MEMORY)
    if options.peers:
        env, found["products"] = session.environment_of_peers(options.threads)
        for text in report.products(found["products"]):
            say(text)
    for number, row in enumerate(options.rows, 1):
        say(f"[{number}/{len(options.rows)}, {time.perf_counter() - start:.0f} s] "
            f"{row.name}: {row.variant} {row.shape()} {row.dtype}")
        found["rows"][row.name] = measure_row(row, options, env)
    if "memory" in options.parts:
        found["memory"] = memory.run_all(options.tools, options.threads[-1],
                                         options.peers, options.kinds, say)
    if "compile" in options.parts:
        found["compile"], found["most_compiling"] = compiling.run_all(
            options.tools, options.kinds, say)
    found["seconds"] = time.perf_counter() - start
    return found


def show_everywhere(file):
    """Draws a full run, and puts the tables of a run that is kept into the pages
    that show it."""
    if file == FULL:
        try:
            for picture in plots.draw_all(FULL, paths.RESULTS):
                say(f"drawn: {os.path.relpath(picture)}")
        except ImportError:
            say("not drawn: matplotlib is missing")
    for page in (paths.ROOT / "README.md", paths.BENCH / "README.md"):
        if not tables.update(page, FULL):
            say(f"rewritten: {os.path.relpath(page)}")


def main():
    options = parse()
    if options.list:
        print("\n".join(row.name for row in options.rows))
        return 0
    try:
        found = run(options)
    except KeyboardInterrupt:
        say("interrupted: nothing is written")
        return 130
    results.write(options.out, found)
    for text in report.goals(found):
        say(text)
    say(f"written: {os.path.relpath(options.out)}")
    if (options.out.resolve().is_relative_to(paths.RESULTS)
            and options.out.stem not in UNKEPT):
        show_everywhere(options.out.resolve())
    failed = any("failed" in measured for row in found["rows"].values()
                 for measured in row["threads"].values())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
