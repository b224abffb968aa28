# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what project.py left of the character models: check_models.py FOLDER.

The values are those that the attentions pool; the distances follow from the
weights by their definitions, and keep the order that the sets have.
"""

import json
import os
import sys

import numpy as np

HEADS = {"mixture_of_keys": 4, "admixture_heads": 8, "mix_heads": 8}
SIZE, WIDTH, BUDGET = 24, 2, 10


def off_band(weights, width):
    """The sum of what lies off the band, entry by entry: [T,H]."""
    result = np.zeros(weights.shape[:2])
    for i in range(SIZE):
        for j in range(SIZE):
            if abs(i - j) > width:
                result += np.abs(weights[:, :, i, j])
    return result


def check_layer(weights, measured):
    assert measured["size"] == SIZE and WIDTH in measured["widths"]
    assert measured["dimensions"] == [(w + 1) * (2 * SIZE - w) - SIZE for w in measured["widths"]]
    found = {name: np.array(rows, float) for name, rows in measured["over_width"].items()}
    for row, width in zip(found["band"], measured["widths"]):
        assert np.allclose(row, off_band(weights, width).mean(axis=0), 0, 1e-9)
    identity = np.abs(weights - np.eye(SIZE)).sum(axis=(2, 3)).mean(axis=0)
    assert np.allclose(found["sigma1"], identity, 0, 1e-9)
    # Each set holds the next; what is drawn is no nearer than what is nearest.
    for near, far in (("band", "sigma3"), ("sigma3", "sigma1")):
        assert (found[near] <= found[far] + 1e-9).all()
    assert (found["sampled_sigma2"][1:] > found["band"][1:]).all()
    assert np.isfinite(found["sampled_sigma2"][2:]).all()

    over_budget = np.array(measured["over_budget"])
    assert (np.diff(over_budget, axis=1) <= 0).all()
    at = measured["budgets"].index(BUDGET)
    assert np.allclose(over_budget[:, at], found["band_plus_sparse"], 0, 1e-9)
    if weights.min() >= 0:
        assert np.allclose(over_budget[:, 0], found["band"], 0, 1e-9)


def check_pooled(weights, value, pooled, found):
    """How far the band of the first text's weights pools from the truth."""
    off = np.array([[abs(i - j) > WIDTH for j in range(SIZE)] for i in range(SIZE)])
    missing = np.where(off, weights[0], 0) @ value[0]
    share = np.linalg.norm(missing) / np.linalg.norm(pooled[0])
    assert abs(found["band"]["distance"] - share) < 1e-5
    assert all(entry["error"] < 2e-6 for entry in found.values())


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "distances.json"), encoding="ascii") as file:
        record = json.load(file)
    assert record["setting"]["width"] == WIDTH and record["setting"]["budget"] == BUDGET
    for edition, heads in HEADS.items():
        for layer, measured in enumerate(record["distances"][edition]):
            weights, value, pooled = (
                np.load(os.path.join(folder, edition, f"{name}{layer}.npy")).astype(np.float64)
                for name in ("weights", "value", "pooled"))
            assert weights.shape == (2, heads, SIZE, SIZE)
            assert np.abs(weights @ value - pooled).max() <= 1e-5 * np.abs(pooled).max()
            check_layer(weights, measured)
            check_pooled(weights, value, pooled, record["pooled"][edition][layer])
    print("distances are right")


main()
