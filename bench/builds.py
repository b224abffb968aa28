# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether another build's compiler makes faster kernels: python -m bench.builds.

Each row is compiled by both. The two artifacts take turns in one process, on the
same arguments; what counts is the ratio of their times in each round. Plans are
told too, and whether results are equal bit by bit.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

from bench import machine, ours, paths, plans, results, rows, session, timing
from bench.arguments import Arguments
from bench.child import restrict
from bench.contest import enter_ours, reason_of

# A row is slower where its ratio exceeds 1 by more than this and its spread.
MOST = 0.02
ROUNDS, SLOT = 11, 0.1
EXAMPLES = """examples:
  scripts/bench.sh --against=../before
  scripts/bench.sh --against=../before/build --only=quick
  scripts/bench.sh --against=/tmp/tools --only='softmax*' --threads=1
"""


def tools_of(folder):
    """Where mixattn-compile lies in a folder: a checkout, a build, or tools."""
    for tools in (folder / "build" / "bin", folder / "bin", folder):
        if (tools / "mixattn-compile").is_file():
            return tools.resolve()
    raise FileNotFoundError(
        f"expected mixattn-compile in {folder}, its bin or its build/bin")


def measure(spec):
    """A row on so many threads: times of both, plans, whether bits are equal."""
    row, threads = rows.all_rows()[spec["row"]], spec["threads"]
    restrict(threads)
    arguments = Arguments(row)
    check = row.check(arguments)
    calls, chosen = {}, {}
    for name in ("ours", "other"):
        tools = pathlib.Path(spec[name])
        artifact = ours.compile_row(row, tools, (f"--threads={threads}",),
                                    paths.WORK / name)
        calls[name], _ = enter_ours(row, arguments, artifact, threads, check)
        chosen[name] = "; ".join(sorted({
            plans.option_of(op["chosen"])
            for op in plans.explain(row, artifact.source, threads, tools)}))
    times, _ = timing.rounds(calls, spec["rounds"], lambda: 1.0, spec["slot"])
    same = calls["ours"].result.tobytes() == calls["other"].result.tobytes()
    return {"seconds": times, "plans": chosen, "same_bits": same}


def judge(point):
    """Adds the ratio, its spread (half of what lies between its quartiles), and
    whether the row is slower."""
    ratios = [own / other for own, other in
              zip(point["seconds"]["ours"], point["seconds"]["other"])]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    point |= {"ratio": middle, "spread": (high - low) / 2}
    point["is_slower"] = middle - 1 > MOST + point["spread"]
    return point


def line(name, threads, point):
    text = f"{name:28} {threads} thread{'s' if threads > 1 else ' '} "
    if "failed" in point:
        return f"{text} FAILED: {point['failed']}"
    own, other = point["plans"]["ours"], point["plans"]["other"]
    text += (f"{1e3 * statistics.median(point['seconds']['ours']):9.3f} ms "
             f"{point['ratio']:6.3f} +- {point['spread']:.3f}")
    if point["is_slower"]:
        text += "  SLOWER"
    if own != other:
        text += f"  plan {own}, was {other}"
    return text + ("" if point["same_bits"] else "  other bits")


def parse():
    cpus = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(
        prog="scripts/bench.sh", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Kernels of this build and of another's take turns in one "
        "process. Prints times of this one over those of the other: the median of "
        "rounds, and half of what lies between their quartiles.")
    parser.add_argument("--against", type=pathlib.Path, metavar="FOLDER",
                        required=True, help="the other build: a checkout, a build "
                        "folder, or where mixattn-compile lies")
    parser.add_argument("--only", metavar="NAME", action="append", default=[],
                        help="rows of this name, group or variant, * matching "
                        "anything; repeatable")
    parser.add_argument("--threads", metavar="LIST", default=f"1,{cpus}",
                        help="counts of threads (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=ROUNDS,
                        help="default: %(default)s")
    parser.add_argument("--slot", type=float, default=SLOT, metavar="SECONDS",
                        help="of each artifact in a round (default: %(default)s)")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE.json",
                        default=paths.RESULTS / "against.json",
                        help="default: bench/results/against.json")
    parser.add_argument("--list", action="store_true",
                        help="the names of the rows, and nothing else")
    parser.add_argument("--tools", type=pathlib.Path,
                        default=paths.ROOT / "build" / "bin", help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        options.other = tools_of(options.against)
    except FileNotFoundError as failure:
        parser.error(f"--against: {failure}")
    options.threads = machine.parse_threads(parser, options.threads)
    if options.rounds < 5:
        parser.error("--rounds: expected at least 5")
    options.rows = rows.matching(options.only) if options.only else [
        row for row in rows.all_rows().values() if row.group not in rows.ON_REQUEST]
    if not options.rows:
        parser.error(f"nothing is called {' or '.join(options.only)}")
    return options


def run(options):
    """All points by row and count of threads, printed as they come."""
    env = session.environment(**session.KEPT_MEMORY, **session.BOUND_THREADS)
    start, points = time.perf_counter(), []
    for number, row in enumerate(options.rows, 1):
        for threads in options.threads:
            spec = {"row": row.name, "threads": threads, "rounds": options.rounds,
                    "slot": options.slot, "ours": str(options.tools.resolve()),
                    "other": str(options.other)}
            point = session.run("bench.builds", "--child", json.dumps(spec), env=env)
            if "failed" not in point:
                judge(point)
            points.append({"row": row.name, "threads": threads} | point)
            print(f"[{number}/{len(options.rows)}, "
                  f"{time.perf_counter() - start:.0f} s] "
                  + line(row.name, threads, point), flush=True)
    return points


def told(points):
    """A summary of all points."""
    measured = [point for point in points if "failed" not in point]
    slower = sum(point["is_slower"] for point in measured)
    other_plans = sum(point["plans"]["ours"] != point["plans"]["other"]
                      for point in measured)
    other_bits = sum(not point["same_bits"] for point in measured)
    middle = statistics.median(point["ratio"] for point in measured) if measured else 1
    return (f"{len(measured)} of {len(points)} measured: {slower} slower by more than "
            f"{100 * MOST:.0f} % beyond their spread, {other_plans} with other plans, "
            f"{other_bits} with other bits; median of ratios {middle:.3f}")


def main():
    options = parse()
    if options.list:
        print("\n".join(row.name for row in options.rows))
        return 0
    try:
        points = run(options)
    except KeyboardInterrupt:
        print("interrupted: nothing is written")
        return 130
    print(told(points))
    results.write(options.out, {
        "format": results.FORMAT, "commit": machine.commit(),
        "machine": machine.cpu(), "busy": machine.busy(),
        "rounds": options.rounds, "slot": options.slot, "points": points})
    print(f"written: {os.path.relpath(options.out)}")
    return 1 if any("failed" in point or point["is_slower"] for point in points) else 0


def child(text, file):
    try:
        found = measure(json.loads(text))
    except Exception as failure:  # pylint: disable=W0718
        found = {"failed": reason_of(failure)}
    file.write_text(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], pathlib.Path(sys.argv[3]))
    else:
        sys.exit(main())
