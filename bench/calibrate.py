# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the numbers that predictions of this CPU depend on:
scripts/calibrate.sh.

Rates come from micro-benchmarks (peak.c). Every other number has probes: small
kernels by forced plans, whose time it changes. All numbers are fitted together,
in logarithms, so that what `--explain` predicts meets what was measured; each
stays near its built-in value as far as no probe says better.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import numpy as np

from bench import machine, ours, paths, plans, session, timing
from bench.arguments import Arguments
from bench.kinds.attention import Attention
from bench.kinds.dense import Dense
from bench.peak import Peak

# Rounds, and the seconds of each plan in one.
ROUNDS, SLOT = 5, 0.04
# So far may a logarithm be from what the model says, and a number's logarithm
# from the built-in one, with equal weight; the most that one step changes it.
RESIDUAL, PRIOR, STEP = 0.05, 0.7, 0.7
STEPS = 4
# Of the step that derivatives are taken with.
NUDGE = math.log(1.1)
SOFTMAX = ("score_overhead", "pool_overhead", "hidden_exp", "naked_exp",
           "one_vector", "two_vectors", "block")


@dataclass(frozen=True, eq=False)
class Probe:
    """A row and threads, the plans to force (by algorithm; all if empty), and
    the numbers that they measure."""
    row: object
    numbers: tuple
    threads: int = 1
    algorithms: tuple = ()


def probes(threads):
    """All of them; those of several threads on `threads`."""
    def attention(variant, numbers, queries, keys=0, size=64, *, count=1,
                  algorithms=(), **more):
        return Probe(Attention(f"{variant}_n{queries}_s{keys or queries}_d{size}",
                               variant, queries, S=keys, sizes={"D": size}, **more),
                     numbers, count, algorithms)

    for size in (16, 32, 64, 128):
        yield attention("softmax", SOFTMAX, 512, size=size, algorithms=("online",))
    if machine.has_pairs():
        yield attention("softmax", ("one_pair_vector",), 512, dtype="bf16",
                        algorithms=("online",))
    yield attention("softmax", ("overflow", "most_overflow"), 512, size=256,
                    algorithms=("online",))
    yield attention("softmax", ("pack", "tile", "naked_exp"), 2048, 32,
                    algorithms=("online",))
    yield attention("softmax", ("pack", "tile", "naked_exp"), 512, 64, 16,
                    algorithms=("online",))
    yield attention("mgk", ("hidden_exp", "other", "hiding_slots"), 512,
                    algorithms=("online",))
    yield attention("fish_hard", ("mix", "other", "overflow", "most_overflow",
                                  "crowding"), 512, algorithms=("online",))
    yield attention("gfish_hard", ("mix", "other"), 512, algorithms=("online",))
    yield attention("softmax_bias", ("read",), 512, algorithms=("online",))
    yield attention("fish_philox", ("draw",), 256, algorithms=("online",))
    for length in (256, 1024, 2048):
        yield attention("mixhead_a", ("mix", "strip", "roomy", "crowding",
                                    "hidden_reads"), length,
                        algorithms=("panel",))
    for queries, keys in ((1, 4096), (1, 16384), (8, 4096)):
        yield attention("softmax", ("decode_row", "exposed", "merge"), queries,
                        keys, algorithms=("decode",))
    yield attention("mixhead_a", ("decode_row", "exposed", "merge"), 4, 4096,
                    algorithms=("decode",))
    for length in (1024, 4096):
        yield attention("mlk_causal", ("linear_share",), length,
                        algorithms=("chunked_linear",))
    for variant in ("structured_band", "structured_normalised"):
        yield attention(variant, ("piece_share", "piece_overhead",
                                         "piece_other"), 2048,
                        algorithms=("banded",))
    for rows, depth, columns in ((197, 768, 768), (1024, 768, 768), (48, 512, 2048)):
        yield Probe(Dense(f"dense_n{rows}_{depth}x{columns}", rows, depth, columns),
                    ("dense_share", "packed_vector"), 1, ("dense",))
    yield attention("softmax", ("call",), 1, 16, algorithms=("online", "decode"))
    for queries in (32, 64):
        yield attention("softmax", ("plain_multiply_add", "plain_other", "plain_exp"),
                        queries, algorithms=("unfused",))
    if threads > 1:
        yield attention("softmax", ("threads",), 1024, count=threads,
                        algorithms=("online",))
        yield attention("softmax", ("wake",), 64, count=threads,
                        algorithms=("online",))
    if machine.has_amx():
        yield from with_amx(attention)


def with_amx(attention):
    """Those of products by AMX."""
    for size in (64, 128):
        yield attention("softmax", ("amx_multiply_add", "amx_store", "amx_sums",
                                    "amx_weight", "amx_exposed"), 1024, size=size,
                        dtype="bf16", algorithms=("online",))
    yield attention("softmax", ("amx_pack",), 16, 4096, dtype="bf16",
                    algorithms=("online",))
    yield attention("fish_hard", ("amx_overflow", "amx_weight"), 1024, dtype="bf16",
                    algorithms=("online",))
    yield Probe(Dense("dense_bf16", 1024, 768, 768, dtype="bf16"),
                ("amx_dense_share",), 1, ("dense",))


def rates(peak, caches, threads):
    """The rates of this machine, in cycles of the clock under vector code."""
    kind = peak.kind_of_type("f32")
    flops = peak.flops(kind, 1, 0.25)
    lanes = 16 if kind == "f32 zmm" else 8
    found = {"hertz": flops.hertz,
             "multiply_adds": nearest(flops.rate / (2 * lanes * flops.hertz))}
    if peak.has("bf16 zmm"):
        pairs = peak.flops("bf16 zmm", 1, 0.25)
        found["pair_products"] = nearest(pairs.rate / (4 * lanes * pairs.hertz))

    def read(size, count=1):
        data = np.ones(int(size) * count // 4 // 1024 * 1024, np.float32)
        return peak.read(data, count, 0.3) / flops.hertz

    found["l2_rate"] = read(caches["l2"] * 0.6)
    found["l3_rate"] = read(min(caches["l2"] * 6, caches["l3"] / 4))
    far = max(4 * min(caches["l3"], 2**27), 2**28)
    found["memory_rate"] = read(far)
    found["all_memory_rate"] = max(found["memory_rate"], read(far // threads, threads))
    return found


def nearest(count):
    """Ports begin whole operations, or one every other cycle."""
    return max(0.5, round(2 * count) / 2)


def child(spec):
    """Seconds of each plan of a probe, at the clock `hertz`."""
    row = (Dense if spec["dense"] else Attention)(**spec["row"])
    tools = pathlib.Path(spec["tools"])
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[-spec["threads"]:])
    arguments = Arguments(row)
    calls = {}
    for option in spec["options"]:
        artifact = ours.compile_row(
            row, tools, (f"--threads={spec['threads']}", f"--plan={option}"))
        calls[option] = ours.Ours(row, arguments, artifact, spec["threads"],
                                  keeps_memory=not spec["dense"])
        calls[option].prepare()
        calls[option]()
    peak = Peak()
    kind = peak.kind_of_type("f32")
    times, clocks = timing.rounds(calls, ROUNDS, lambda: peak.flops(kind, 1).hertz,
                                  SLOT)
    return {option: statistics.median(
        seconds * clock / spec["hertz"]
        for seconds, clock in zip(times[option], clocks[option]))
        for option in calls}


class Session:
    """Probes that are measured, and predictions with any numbers."""

    def __init__(self, tools, folder, threads, only):
        self.tools, self.folder = tools, folder
        self.probes = [probe for probe in probes(threads)
                       if not only or only & set(probe.numbers)]
        self.sources = {}
        for number, probe in enumerate(self.probes):
            self.sources[probe] = folder / f"{number}.mlir"
            self.sources[probe].write_text(probe.row.source())
        # The compiler's description of this machine: `name`, caches, `numbers`.
        text = subprocess.run([tools / "mixattn-compile",
                               self.sources[self.probes[0]], "--explain=json"],
                              check=True, capture_output=True, text=True).stdout
        self.machine = json.loads(text)["cpu"]
        self.measured = {}

    def file(self, numbers):
        """A target file that holds them, but for those of what this CPU has not,
        which are 0."""
        there = {name: number for name, number in numbers.items() if number}
        return json.dumps({"format": 1, "cpu": self.machine["name"], "numbers": there},
                          indent=1) + "\n"

    def predict(self, probe, numbers):
        """Predicted seconds of each plan of a probe."""
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=self.folder) as file:
            file.write(self.file(numbers))
            file.flush()
            op, = plans.explain(probe.row, self.sources[probe], probe.threads,
                                self.tools, (f"--target-file={file.name}",))
        return {plans.option_of(each): each["seconds"] for each in op["candidates"]
                if "seconds" in each and (not probe.algorithms or
                                          each["algorithm"] in probe.algorithms)}

    def measure(self, numbers, say):
        """Measures all probes."""
        env = session.environment(**session.KEPT_MEMORY, **session.BOUND_THREADS)
        for count, probe in enumerate(self.probes, 1):
            spec = {"row": dataclasses.asdict(probe.row), "threads": probe.threads,
                    "dense": isinstance(probe.row, Dense), "tools": str(self.tools),
                    "options": list(self.predict(probe, numbers)),
                    "hertz": numbers["hertz"]}
            times = session.run("bench.calibrate", "--child", json.dumps(spec), env=env)
            if "failed" in times:
                say(f"[{count}/{len(self.probes)}] {probe.row.name}: left out: "
                    f"{times['failed']}")
                continue
            self.measured[probe] = times
            best = min(times.values())
            say(f"[{count}/{len(self.probes)}] {probe.row.name}, {probe.threads}: "
                f"{1e3 * best:.3f} ms, {len(times)} plans")

    def residuals(self, numbers):
        """Logarithms of predicted over measured, by probe; the plans of a probe
        count as one, half of which is its fastest."""
        def of(probe):
            times = self.measured[probe]
            predicted = self.predict(probe, numbers)
            best = min(times, key=times.get)
            rest = math.sqrt(0.5 / len(times))
            return [math.log(predicted[option] / times[option])
                    * (math.sqrt(0.5) if option == best else rest)
                    for option in times]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip(self.measured, pool.map(of, self.measured)))

    def fit(self, numbers, names, say):
        """The numbers with `names` so changed that predictions meet times."""
        start = {name: numbers[name] for name in names}
        now = numbers
        for step in range(STEPS):
            residuals = self.residuals(now)
            flat = np.concatenate([residuals[probe] for probe in self.measured])
            say(f"step {step}: predicted over measured off by "
                f"{100 * math.expm1(spread(residuals)):.0f} % at the median")
            if step + 1 == STEPS:
                return now
            slopes = np.zeros((len(flat), len(names)))
            for column, name in enumerate(names):
                nudged = self.residuals_of(name, now | {
                    name: now[name] * math.exp(NUDGE)}, residuals)
                slopes[:, column] = (np.concatenate(
                    [nudged[probe] for probe in self.measured]) - flat) / NUDGE
            # Least squares of residuals and of the way from where it began.
            weight = RESIDUAL / PRIOR
            gone = np.array([math.log(now[name] / start[name]) for name in names])
            matrix = np.vstack([slopes, weight * np.eye(len(names))])
            change, *_ = np.linalg.lstsq(
                matrix, -np.concatenate([flat, weight * gone]), rcond=None)
            now = self.moved(now, start, dict(zip(names, change)))
        return now

    def moved(self, now, start, change):
        """The numbers after a step, which is halved until it makes them better; as
        they are where it does not."""
        def squares(numbers):
            flat = np.concatenate(list(self.residuals(numbers).values()))
            gone = [math.log(numbers[name] / first) for name, first in start.items()]
            return np.sum(flat**2) + (RESIDUAL / PRIOR) ** 2 * np.sum(np.square(gone))

        before = squares(now)
        for part in (1, 1 / 2, 1 / 4, 1 / 8):
            after = now | {name: now[name] * math.exp(part * np.clip(delta, -STEP, STEP))
                           for name, delta in change.items()}
            if squares(after) < before:
                return after
        return now

    def residuals_of(self, name, numbers, known):
        """The same as `residuals`, where only probes of `name` change."""
        kept = self.measured
        self.measured = {probe: times for probe, times in kept.items()
                         if name in probe.numbers}
        changed = self.residuals(numbers)
        self.measured = kept
        return known | changed


def spread(residuals):
    """How far the fastest plans' logarithms are off, at the median."""
    return statistics.median(max(map(abs, each)) * math.sqrt(2)
                             for each in residuals.values())


def table(built_in, found, sources):
    """Lines of the numbers of this machine, next to the built-in ones."""
    lines = [f"{'number':20} {'built in':>12} {'measured':>12}  by"]
    for name, number in found.items():
        known = f"{built_in[name]:.4g}" if name in built_in else "?"
        lines.append(f"{name:20} {known:>12} {number:>12.4g}  {sources[name]}")
    return "\n".join(lines)


def parse():
    parser = argparse.ArgumentParser(
        prog="scripts/calibrate.sh", description="Measures the numbers that "
        "predictions of this CPU depend on, prints them next to the built-in ones, and "
        "writes a file for mixattn-compile's --target-file. The machine has to be idle.",
        epilog="examples:\n  scripts/calibrate.sh --out=this-machine.json\n"
        "  scripts/calibrate.sh --only=hidden_exp --only=naked_exp\n",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="NUMBER",
                        help="measure this number alone, by its probes; repeatable")
    parser.add_argument("--out", type=pathlib.Path, default=paths.WORK / "target.json",
                        help="default: build/bench/target.json")
    parser.add_argument("--list", action="store_true",
                        help="the numbers and their probes, and nothing else")
    parser.add_argument("--tools", type=pathlib.Path,
                        default=paths.ROOT / "build" / "bin", help=argparse.SUPPRESS)
    return parser, parser.parse_args()


def by_number(all_probes):
    """Names of the probes that measure a number."""
    found = {}
    for probe in all_probes:
        for name in probe.numbers:
            found.setdefault(name, []).append(probe.row.name)
    return found


def main():
    parser, options = parse()
    threads = len(os.sched_getaffinity(0))
    known = by_number(probes(threads))
    if options.list:
        for name, rows in known.items():
            print(f"{name:20} {', '.join(rows)}")
        return 0
    for name in options.only:
        if name not in known:
            parser.error(f"--only: expected one of {', '.join(known)}, but got '{name}'")
    if (busy := machine.busy()) > 0.2:
        print(f"calibrate: others use {busy:.1f} CPUs: times will be too long",
              file=sys.stderr)
    say = lambda text: print(text, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Session(options.tools, pathlib.Path(folder), threads,
                       set(options.only))
        built_in = work.machine["numbers"]
        found = rates(Peak(), work.machine, threads)
        numbers = built_in | found
        work.measure(numbers, say)
        names = [name for name in by_number(work.measured)
                 if not options.only or name in options.only]
        numbers = work.fit(numbers, names, say)
        found |= {name: numbers[name] for name in names}
        sources = dict.fromkeys(found, "peak.c") | {
            name: ", ".join(rows) for name, rows in by_number(work.measured).items()}
        print(table(built_in, found, sources))
        partial = options.out.with_suffix(".partial")
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(work.file({name: float(f"{number:.4g}")
                                      for name, number in sorted(found.items())}))
        partial.rename(options.out)
    print(f"written: {options.out}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        pathlib.Path(sys.argv[3]).write_text(json.dumps(child(json.loads(sys.argv[2]))))
    else:
        sys.exit(main())
