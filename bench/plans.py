# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether plans are good and predictions true: python -m bench.plans.

On a seeded grid of shapes and threads, every plan that can be forced is timed
in turns with the chosen plan.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys

from bench import ours, paths, session, timing
from bench.arguments import Arguments
from bench.kinds.attention import FAMILIES, Attention

SEED, COUNT = 5, 60
# A plan is good within so much of the fastest; a prediction within a factor.
NEAR, LOW, HIGH = 1.10, 0.67, 1.5
# How many of ten have to be good.
OF_TEN = 9
# Rounds, and the seconds of each candidate in one.
ROUNDS, SLOT = 5, 0.04
VARIANTS = FAMILIES + ("mlk_causal",)


def grid(count, seed, threads):
    """Rows and counts of threads that nobody chose; a fifth of them decode."""
    draw = random.Random(seed)

    def length(least, most):
        return round(least * (most / least) ** draw.random())

    for number in range(count):
        variant = draw.choice(VARIANTS)
        is_decode = number % 5 == 4
        queries = draw.randint(1, 8) if is_decode else length(17, 3000)
        keys = length(1024, 16384) if is_decode else length(17, 3000)
        if variant == "mlk_causal":
            keys = queries = length(64, 8192)
        row = Attention(f"plan_{number}_{variant}", variant, queries, S=keys,
                       B=draw.choice((1, 1, 2)),
                       sizes={"D": draw.choice((16, 32, 41, 64, 64, 64, 128))},
                       causal=draw.random() < 0.25 and not is_decode,
                       target=draw.choice(("native", "native", "x86-64-v3")))
        yield row, draw.choice(threads)


def explain(row, source, threads, tools, options=()):
    """The report of `--explain` on each op, at the sizes of the row."""
    named = set(re.findall(r'"(\w+)"', " ".join(
        re.findall(r"attn\.dims = \[([^]]*)\]", source.read_text()))))
    dims = [f"--dim={name}={size}" for name, size in row.dims().items()
            if name in named]
    text = subprocess.run(
        [tools / "mixattn-compile", source, "--explain=json",
         f"--target={row.target}", f"--threads={threads}", *dims,
         *options],
        capture_output=True, text=True, check=True).stdout
    return json.loads(text)["entries"][0]["ops"]


def option_of(plan):
    """A candidate as `--plan` takes it: its algorithm, and the numbers that
    are no figure of its prediction."""
    figures = ("algorithm", "bytes", "reason", "seconds", "share_of_peak",
               "when")
    return ",".join([plan["algorithm"]] + [
        f"{name}={number}" for name, number in sorted(plan.items())
        if name not in figures])


def child(spec):
    """One point of the grid: seconds of each plan, and those predicted."""
    row, threads = Attention(**spec["row"]), spec["threads"]
    tools = pathlib.Path(spec["tools"])
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[-threads:])
    arguments = Arguments(row)

    def enter(*options):
        artifact = ours.compile_row(row, tools, (f"--threads={threads}", *options))
        call = ours.Ours(row, arguments, artifact, threads)
        call.prepare()
        call()
        return call, artifact

    call, artifact = enter()
    op, = explain(row, artifact.source, threads, tools)
    chosen = option_of(op["chosen"])
    calls = {chosen: call}
    for candidate in op["candidates"]:
        option = option_of(candidate)
        # The plain path takes part only where it is all there is.
        if ("seconds" in candidate and candidate["algorithm"] != "unfused"
                and option != chosen):
            calls[option], _ = enter(f"--plan={option}")
    times, _ = timing.rounds(calls, ROUNDS, lambda: 1.0, SLOT)
    return {"chosen": chosen, "predicted": op["chosen"]["seconds"],
            "seconds": {option: statistics.median(each)
                        for option, each in times.items()}}


def judge(point):
    """Adds how a point did."""
    seconds = point["seconds"]
    measured = seconds[point["chosen"]]
    point["fastest"] = min(seconds, key=seconds.get)
    point["loss"] = measured / seconds[point["fastest"]]
    point["ratio"] = point["predicted"] / measured
    point["is_good"] = point["loss"] <= NEAR
    point["is_true"] = LOW <= point["ratio"] <= HIGH
    return point


def line(row, threads, point):
    if "failed" in point:
        return f"{row.name} {row.shape()}, {threads}: failed: {point['failed']}"
    text = (f"{row.name} {row.shape()}, {threads}: {point['chosen']} "
            f"{1e3 * point['seconds'][point['chosen']]:.3f} ms, predicted "
            f"{point['ratio']:.2f} of it")
    if not point["is_good"]:
        text += f"; {point['fastest']} is {point['loss']:.2f} times as fast"
    return text


def parse():
    cpus = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(
        prog="scripts/bench.sh --plans", description="Times chosen plans against all "
        "that can be forced, on a seeded grid, and predictions against times.")
    parser.add_argument("--plans", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true",
                        help="the grid, and nothing else")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--threads", default=f"1,{cpus}",
                        help="to draw from (default: %(default)s)")
    parser.add_argument("--out", type=pathlib.Path,
                        default=paths.RESULTS / "plans.json")
    parser.add_argument("--tools", type=pathlib.Path,
                        default=paths.ROOT / "build" / "bin", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.threads = sorted({int(count) for count in options.threads.split(",")})
    return options


def main():
    options = parse()
    points = list(grid(options.count, options.seed, options.threads))
    if options.list:
        for row, threads in points:
            print(f"{row.name} {row.shape()} {row.target}, {threads}")
        return 0
    env = session.environment(**session.KEPT_MEMORY, **session.BOUND_THREADS)
    results = []
    for row, threads in points:
        spec = {"row": dataclasses.asdict(row), "threads": threads,
                "tools": str(options.tools)}
        point = session.run("bench.plans", "--child", json.dumps(spec), env=env)
        if "failed" not in point:
            judge(point)
        results.append(point | {"row": row.name, "variant": row.variant,
                               "shape": row.shape(), "target": row.target,
                               "causal": row.causal, "threads": threads})
        print(line(row, threads, point), flush=True)
    good = sum(point.get("is_good", False) for point in results)
    true = sum(point.get("is_true", False) for point in results)
    print(f"within {100 * (NEAR - 1):.0f} % of the fastest: {good} of {len(results)}")
    print(f"predicted in {LOW}..{HIGH} of measured: {true} of {len(results)}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(
        {"seed": options.seed, "good": good, "true": true, "points": results},
        indent=1) + "\n")
    return 0 if 10 * min(good, true) >= OF_TEN * len(results) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        pathlib.Path(sys.argv[3]).write_text(json.dumps(child(json.loads(sys.argv[2]))))
    else:
        sys.exit(main())
