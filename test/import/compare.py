# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a compiled model and compares its results with the right ones, or what is said of models
that cannot be compiled.
"""

import json
import os
import subprocess
import sys

import numpy as np

LIMIT = 1e-4


def run(path, inputs):
    """The results of path.so with the weights next to it."""
    command = ["mixattn-run", path + ".so", "--inputs=" + inputs,
               "--outputs=" + path + "-outputs.npz"]
    if os.path.exists(path + ".safetensors"):
        command.append("--weights=" + path + ".safetensors")
    subprocess.run(command, check=True)
    with np.load(path + "-outputs.npz") as results:
        return dict(results)


def compare(name, results, expected):
    """Whether every result is within 1e-4 of its largest number; integers are the same."""
    worst, bad = 0.0, 0
    for key, right in expected.items():
        result = results[key]
        if result.shape != right.shape or result.dtype.kind != right.dtype.kind:
            print(f"{name}: {key} is {result.dtype} of shape {result.shape}, expected "
                  f"{right.dtype} of shape {right.shape}")
            bad += 1
            continue
        if np.issubdtype(right.dtype, np.integer) or right.dtype == np.bool_:
            error, limit = float(not np.array_equal(result, right)), 0
        else:
            error = np.abs(result - right).max() / np.abs(right).max()
            limit = LIMIT
        # NaN is no number that is small enough.
        if not error <= limit:
            print(f"{name}: {key} is off by {error:.2e} of its largest number")
            bad += 1
        worst = max(worst, error)
    print(f"{name}: {len(expected)} results, {bad} of them wrong, "
          f"error {worst:.1e} of the largest number")
    return bad == 0


def refuse(sentences):
    """Compiles files, and compares what is said of each."""
    bad = 0
    for path, sentence in sentences.items():
        ran = subprocess.run(["mixattn-compile", path, "--stop-after=graph", "-o", "-"], text=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        expected = f"mixattn-compile: error: {path}: {sentence}\n"
        if ran.returncode != 1 or ran.stderr != expected:
            bad += 1
            print(f"{path}: expected {json.dumps(expected)}, got {json.dumps(ran.stderr)} and "
                  f"{ran.returncode}")
    print(f"{len(sentences)} refusals, {bad} of them other than expected")
    sys.exit(bad != 0)
