# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shifted keys whose components lie far apart for some queries, on a GPU.

The inputs are those of test/numeric/far_shifts.py, where one exp for each query
and key gives sums of 0, but for every other 16 queries: theirs lie around 0, and
terms of their components near each other. So some warps of a kernel take one
exp, and others one for each component.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "numeric")]

import accuracy  # noqa: E402
import far_shifts  # noqa: E402
import inputs  # noqa: E402
import oracle  # noqa: E402
import variants  # noqa: E402

BATCHES, HEADS, QUERIES, KEYS, FEATURES = 1, 2, 150, 90, 64
# Queries of a warp.
ROWS = 16


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--library", required=True, help="the stand-in libcuda")
    parser.add_argument("--target", required=True, help="a GPU's name")
    parser.add_argument("--dtype", default="bf16")
    options = parser.parse_args()
    options.bin, options.seed, options.plan = None, 1, []
    options.sizes = {"H": HEADS, "D": FEATURES}

    x = far_shifts.draw(BATCHES, QUERIES, KEYS, HEADS, FEATURES)
    is_near = np.arange(QUERIES) // ROWS % 2 == 1
    x["q"][:, :, is_near] = np.random.default_rng(6).standard_normal(
        x["q"][:, :, is_near].shape)
    stored = {name: inputs.encode(array, options.dtype)
              for name, array in x.items()}
    known = {name: inputs.decode(array).astype(np.float64)
             for name, array in stored.items()}
    expected = oracle.expected(far_shifts.NAME, known)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kernel = variants.Kernel(far_shifts.NAME, folder, options)
        np.savez(folder / "inputs.npz", **stored)
        actual = kernel.actual(folder / "inputs.npz")["o"]
    error, limit = accuracy.compare("o", actual, expected, options.dtype)
    print(f"{options.target} {options.dtype}: error {error / limit:.3f} of the "
          "limit")
    return 0 if error <= limit else 1


if __name__ == "__main__":
    sys.exit(main())
