# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a kernel wrong in one place after the other; each must be noticed.

    mutations.py FILE.ptx MANIFEST.json --entry=NAME --size=B=1 --size=N=130 …

Inputs are random. A mutant is noticed if the emulator reports it, or if its
results differ; one that is not is printed as «survives», and may be as good as
the original: a barrier too many, the release of a stage that nobody loads.
"""

import argparse
import json
import os
import pathlib
import re
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "numeric")]

import driver  # noqa: E402
import inputs  # noqa: E402
import run  # noqa: E402


def plus_one(match):
    return f"{match[1]}{int(match[2]) + 1};"


def halved(match):
    return f"{match[1]}{int(match[2]) // 2};"


# A name, a pattern, and its replacement.
MUTATIONS = [
    ("no barrier", r"\bbar(?:rier)?\.sync\s[^;]*;", ""),
    ("a cp.async group less is waited for",
     r"(cp\.async\.wait_group\s+)(\d+);", plus_one),
    ("a wgmma group less is waited for",
     r"(wgmma\.wait_group\.sync\.aligned\s+)(\d+);", plus_one),
    ("a bulk group less is waited for",
     r"(cp\.async\.bulk\.wait_group(?:\.read)?\s+)(\d+)\s*;", plus_one),
    ("no fence of the proxy", r"fence\.proxy\.async\S*;", ""),
    ("no wgmma.fence", r"wgmma\.fence\.sync\.aligned;", ""),
    ("half of the bytes", r"(expect_tx[^;]*?, )(\d+);", halved),
    ("another lane", r"(shfl\.sync\.bfly[^;]*, )2, 31",
     lambda match: f"{match[1]}1, 31"),
    ("not transposed", r"\.x4\.trans", lambda match: ".x4"),
    ("no arrival", r"(@!?%p\d+\s+)?mbarrier\.arrive\.shared[^;]*;", ""),
    ("asked once", r"@!?\w+ bra\.uni (?:waitLoop|LAB_WAIT);", ""),
    ("another parity", r"(try_wait\.parity[^;]*, )0([,;])",
     lambda match: f"{match[1]}1{match[2]}"),
]


def mutants(text, limit):
    """Names and texts; of each mutation the first and last `limit` places."""
    for name, pattern, replacement in MUTATIONS:
        found = list(re.finditer(pattern, text))
        places = found if len(found) <= 2 * limit \
            else found[:limit] + found[-limit:]
        for match in places:
            new = replacement(match) if callable(replacement) else replacement
            line = text.count("\n", 0, match.start()) + 1
            yield (f"line {line}: {name}",
                   text[:match.start()] + new + text[match.end():])


def random_inputs(entry, dims, seed):
    numbers = np.random.default_rng(seed)
    arrays = {}
    for argument in entry["arguments"]:
        shape = [dims.get(size, size) for size in argument["shape"]]
        dtype = argument["dtype"]
        if dtype[0] == "i":
            high = 2 if dtype == "i1" else 20
            arrays[argument["name"]] = numbers.integers(
                0, high, shape).astype(run.DTYPES[dtype])
            continue
        array = inputs.encode(numbers.standard_normal(shape), dtype)
        arrays[argument["name"]] = array.view(run.DTYPES[dtype])
    return arrays


def outcome(options, entry, arrays, chip, text):
    """The results or the error of a run, in a process of its own: a fault ends the context."""
    read, write = os.pipe()
    child = os.fork()
    if child:
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            result = pipe.read()
        os.waitpid(child, 0)
        return result
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        cuda = driver.Driver(options.library or run.find_library(), chip=chip,
                             seed=options.seed, landing=options.landing,
                             equal_writes=int(options.equal_writes))
        results, _ = run.Run(cuda, text, entry, arrays).run()
        answer = b"results " + b"".join(each.tobytes()
                                        for each in results.values())
    except driver.DriverError as error:
        answer = f"error {error}".encode()
    with os.fdopen(write, "wb") as pipe:
        pipe.write(answer)
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ptx", type=pathlib.Path)
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("--entry", required=True)
    parser.add_argument("--size", action="append", default=[],
                        metavar="DIM=SIZE")
    parser.add_argument("--limit", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--landing", choices=("issue", "wait"), default="wait")
    parser.add_argument("--equal-writes", action="store_true")
    parser.add_argument("--library", type=pathlib.Path)
    options = parser.parse_args()
    manifest = json.loads(options.manifest.read_text())
    entry = next(entry for entry in manifest["entries"]
                 if entry["name"] == options.entry)
    dims = {name: int(size) for name, size in
            (each.split("=") for each in options.size)}
    arrays = random_inputs(entry, dims, options.seed)
    text = options.ptx.read_text()
    chip = run.target_of(text) or manifest["target"]["cpu"]
    right = outcome(options, entry, arrays, chip, text)
    if not right.startswith(b"results"):
        print(right.decode())
        return 1
    noticed = total = 0
    for name, mutant in mutants(text, options.limit):
        result = outcome(options, entry, arrays, chip, mutant)
        total += 1
        noticed += result != right
        if result == right:
            print(f"{name}: survives")
        elif result.startswith(b"results"):
            print(f"{name}: other results")
        else:
            message = result.decode().split("CUDA_ERROR_LAUNCH_FAILED: ")[-1]
            print(f"{name}: {message[:200]}")
    print(f"{noticed} of {total} are noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
