# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools at places that the graph computes, as the op's description says: what
lies outside is left out, the last of windows that overlap counts, and errors at
one place add up, in any order."""

import pathlib
import sys
import tempfile

import numpy as np

import run_variant

HEADS, ROWS, FEATURES = 4, 50, 20


def expected(x):
    """The result, index by index."""
    columns = np.arange(ROWS)
    for column, first, count in 2 * x["windows"]:
        if 0 <= column < ROWS and 0 <= first < ROWS:
            columns[first:min(first + max(count, 0), ROWS)] = column
    weights = np.zeros((HEADS, ROWS, ROWS))
    weights[:, np.arange(ROWS), columns] = 1
    for (head, row, column), value in zip(2 * x["errors"], x["error_value"]):
        if 0 <= head < HEADS and 0 <= row < ROWS and 0 <= column < ROWS:
            weights[head, row, column] += value
    sums = weights.sum(axis=-1, keepdims=True)
    return (weights / sums) @ x["v"].astype(float)


def draw(rng):
    """Half of the places: they are doubled. Some lie outside on either side,
    some occur twice."""
    errors = rng.integers(-3, [HEADS + 4, ROWS + 6, ROWS + 6], (300, 3)) // 2
    errors[200:] = errors[:100]
    windows = rng.integers(-3, [ROWS + 6, ROWS + 6, 12], (30, 3)) // 2
    far, near = 2**61, 2**29
    errors[7], windows[5], windows[6] = (far, -far, far), (3, 4, near), (near, 1, 2)
    return {"errors": errors, "windows": windows.astype(np.int32),
            "error_value": rng.uniform(0.1, 1, len(errors)).astype(np.float32),
            "v": rng.standard_normal((2, HEADS, ROWS, FEATURES)).astype(np.float32)}


def main():
    x = draw(np.random.default_rng(3))
    right, bad = expected(x), 0
    for target, plan in (("native", "banded,block=16"), ("x86-64-v3", "banded,block=32"),
                         ("native", "banded,block=1024"),
                         ("x86-64", "unfused")):
        with tempfile.TemporaryDirectory() as folder:
            variant = run_variant.Variant("computed_places", "f32", pathlib.Path(folder), None, (),
                                          [f"--target={target}", f"--plan={plan}"])
            variant.has_reference = False
            file = variant.folder / "inputs.npz"
            np.savez(file, **x)
            error = np.abs(variant.actual(file)["o"] - right).max()
            if not error < 1e-5:
                bad += 1
                print(f"FAIL {target} {plan}: expected an error below 1e-5, but got {error:.2g}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
