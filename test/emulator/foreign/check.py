# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels that make.py wrote in the emulator, and compares what they compute
with attention in float64.

    python3 test/emulator/foreign/check.py
    python3 test/emulator/foreign/check.py ptx --kernel=sm90_tma --length=130 --seed=1

Each kernel runs for each length and seed with copies that land at issue and copies that
land when they are waited for. The emulator must report nothing, the error be within
LIMITS, and the bits be the same for both landings. A length that no tile divides tests
the ends of tensors; 1 is less than a tile, 64 one tile.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import NamedTuple

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "numeric"))

import inputs  # noqa: E402

ROOT = HERE.parents[2]
BATCHES, HEADS = 2, 2
# How inputs.py holds a type.
STORED = {"bf16": "V2", "f16": np.float16}
LENGTHS, SEEDS = (1, 64, 130, 197), (1, 2, 3)
LANDINGS = ("issue", "wait")
# Relative error, in the 2-norm: three quarters of that by which one rounding to the
# type errs at most. Weights and results that are rounded, and nothing else, err by
# 2.2e-3 (bf16) and 2.8e-4 (f16), and with one key of zeros too many among 197 by
# 3.7e-3 and 3.0e-3.
LIMITS = {"bf16": 0.75 * 2.0**-8, "f16": 0.75 * 2.0**-11}
# Specialised warps begin by writing the same state, each the whole of it.
EQUAL_WRITES = ("sm90_warps", "sm90_warps_halves")


class Case(NamedTuple):
    name: str
    length: int
    seed: int


def attention(q, k, v, op):
    scores = op["scale"] * q @ k.swapaxes(-1, -2)
    if op.get("causal"):
        scores[..., ~np.tri(*scores.shape[-2:], dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def relative_error(actual, expected):
    error = np.linalg.norm(actual - expected) / np.linalg.norm(expected)
    # Not a number is no small error.
    return error if np.isfinite(error) else np.inf


def run_kernel(options, case, landing, folder):
    """The result as it is stored, or RuntimeError with what the emulator reports."""
    result = folder / f"o-{landing}.npy"
    command = [sys.executable, options.run, options.folder / f"{case.name}.ptx",
               options.folder / f"{case.name}.json", "--entry=attention",
               *(f"--input={name}={folder / name}.npy" for name in "qkv"),
               f"--output=o={result}", f"--seed={case.seed}", f"--landing={landing}",
               *(["--equal-writes"] if case.name in EQUAL_WRITES else []),
               *([f"--library={options.library}"] if options.library else [])]
    try:
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.STDOUT, timeout=options.timeout)
    except subprocess.TimeoutExpired as failure:
        raise RuntimeError(f"runs for more than {options.timeout} s") from failure
    if done.returncode:
        lines = done.stdout.strip().splitlines()
        raise RuntimeError(" / ".join(lines[-3:]) or f"exit {done.returncode}")
    return np.load(result)


def check(options, case, entry, folder):
    """The error of each run that gives a result, and what went wrong."""
    dtype = entry["results"][0]["dtype"]
    shape = (BATCHES, HEADS, case.length, entry["results"][0]["shape"][-1])
    rng = np.random.default_rng([case.seed, case.length])
    stored = {name: inputs.encode(rng.standard_normal(shape), dtype) for name in "qkv"}
    for name, array in stored.items():
        np.save(folder / f"{name}.npy", array)
    expected = attention(*(inputs.decode(stored[name]) for name in "qkv"),
                         entry["attention"])
    errors, messages, bits = [], [], set()
    for landing in options.landing or LANDINGS:
        try:
            result = run_kernel(options, case, landing, folder)
        except RuntimeError as failure:
            messages.append(f"seed {case.seed}, {landing}: {failure}")
            continue
        bits.add(result.tobytes())
        errors.append(relative_error(inputs.decode(result.view(STORED[dtype])), expected))
        if errors[-1] > LIMITS[dtype]:
            messages.append(f"seed {case.seed}, {landing}: error {errors[-1]:.2e} "
                            f"is above {LIMITS[dtype]:.2e}")
    if len(bits) > 1:
        messages.append(f"seed {case.seed}: other bits when copies land later")
    return errors, messages


def check_seeds(options, name, length, entry):
    """The errors and messages of check() for all seeds."""
    errors, messages = [], []
    for seed in options.seed or SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            more, wrong = check(options, Case(name, length, seed), entry,
                                pathlib.Path(folder))
        errors, messages = errors + more, messages + wrong
    return errors, messages


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path,
                        default=ROOT / "build" / "foreign" / "ptx",
                        help="what make.py wrote")
    parser.add_argument("--run", type=pathlib.Path, default=HERE.parent / "run.py",
                        help="runs one entry in the emulator")
    parser.add_argument("--library", help="the emulator, for run.py")
    parser.add_argument("--kernel", action="append", default=[])
    parser.add_argument("--length", action="append", type=int, default=[])
    parser.add_argument("--seed", action="append", type=int, default=[])
    parser.add_argument("--landing", action="append", choices=LANDINGS, default=[])
    parser.add_argument("--timeout", type=int, default=600, help="seconds of a run")
    return parser.parse_args()


def main():
    options = parse_options()
    names = options.kernel or sorted(
        path.stem for path in options.folder.glob("*.json"))
    lengths = options.length or LENGTHS
    bad = 0
    for name, length in itertools.product(names, lengths):
        manifest = json.loads((options.folder / f"{name}.json").read_text())
        errors, messages = check_seeds(options, name, length, manifest["entries"][0])
        bad += len(messages)
        print(f"{name:18} N={length:<4} {max(errors, default=np.nan):.2e} "
              f"{'FAIL' if messages else 'ok'}", *messages, sep="\n    ", flush=True)
    runs = (len(names) * len(lengths) * len(options.seed or SEEDS)
            * len(options.landing or LANDINGS))
    print(f"{len(names)} kernels, {runs} runs, {bad} bad")
    return 1 if bad or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
