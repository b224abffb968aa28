# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows whose biases are all the lowest number of their type: no score tells
keys apart, none is hidden, and a result is the mean of the values.

The limits of variants.py grow with the biases and would prove nothing here.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np

import variants

QUERIES, KEYS, FEATURES = 20, 70, 64
# bf16 by its bits: the upper half of an f32's.
LOWEST = 0xFF7F


def bits(array):
    return (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def values(array):
    return (array.astype(np.uint32) << 16).view(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", required=True, help="the stand-in libcuda")
    options = parser.parse_args()
    options.dtype, options.bin, options.seed = "bf16", None, 1
    options.target, options.sizes = "sm_80", {"H": 1, "D": FEATURES}
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        kernel = variants.Kernel("softmax_bias", folder, options)
        tensors = {name: bits(rng.standard_normal((1, 1, rows, FEATURES)))
                   for name, rows in (("q", QUERIES), ("k", KEYS),
                                      ("v", KEYS))}
        bias = bits(rng.standard_normal((1, QUERIES, KEYS)))
        bias[:, ::3] = LOWEST
        np.savez(folder / "in.npz", **tensors, bias=bias)
        result = np.asarray(kernel.actual(folder / "in.npz")["o"])
    if result.dtype == np.uint16:
        result = values(result)
    mean = values(tensors["v"]).mean(axis=2, keepdims=True)
    error = np.abs(result[:, :, ::3] - mean).max()
    # A bf16 has 8 bits, and weights and results are rounded to it.
    limit = 2.0**-7
    print(f"error {error:.1e}, limit {limit:.1e}")
    return 0 if error <= limit else 1


if __name__ == "__main__":
    sys.exit(main())
