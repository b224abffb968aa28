# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Projections compiled and run, against sums entry by entry: check_pool.py FOLDER
TOOLS OUT, where pool.py and the tools lie, and a folder to make."""

import os
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import pool  # pylint: disable=C0413
from distances import Setting  # pylint: disable=C0413
from matrices import Failure  # pylint: disable=C0413

HEADS, SIZE, FEATURES = 2, 9, 4


def layer_of(generator):
    """Weights that sum to 1, values, and what the weights pool."""
    weights = generator.dirichlet(np.ones(SIZE), (HEADS, SIZE)).astype(np.float32)
    values = generator.normal(size=(HEADS, SIZE, FEATURES)).astype(np.float32)
    return weights, values, weights @ values


def by_hand(folder, entry, normalise):
    """The result that an entry must give for the inputs in a folder."""
    def load(name):
        return np.load(os.path.join(folder, f"{entry}_{name}.npy")).astype(np.float64)

    band, values = load("band"), load("v")[0]
    width = band.shape[-1] // 2
    result, sums = np.zeros_like(values), np.zeros(values.shape[:2])

    def add(head, row, column, weight):
        result[head, row] += weight * values[head, column]
        sums[head, row] += weight

    for head, row, t in np.ndindex(band.shape):
        if 0 <= row + t - width < SIZE:
            add(head, row, row + t - width, band[head, row, t])
    if "sparse" in entry:
        for place, weight in zip(load("error_index").astype(int), load("error_value")):
            add(*place, weight)
    return result / sums[..., None] if normalise else result


def check(layer, setting, library, tools, out):
    found = pool.compare(layer, setting, library, tools, out)
    for entry, (_, normalise) in pool.ENTRIES.items():
        if entry in found:
            compiled = np.load(os.path.join(out, entry + "_o.npy"))[0]
            expected = by_hand(out, entry, normalise)
            assert np.abs(compiled - expected).max() <= 1e-6 * np.abs(expected).max(), entry
            far = np.linalg.norm(expected - layer[2]) / np.linalg.norm(layer[2])
            assert abs(found[entry]["distance"] - far) < 1e-6, entry
    return found


def main():
    tools, out = sys.argv[2:]
    os.makedirs(out)
    layer = layer_of(np.random.default_rng(0))
    narrow = pool.build(HEADS, FEATURES, 3, tools, out)
    found = check(layer, Setting(width=1, budget=5), narrow, tools, os.path.join(out, "narrow"))
    assert list(found) == list(pool.ENTRIES)
    assert found["band_plus_sparse"]["distance"] < found["band"]["distance"]
    check(layer, Setting(width=1, budget=0), narrow, tools, os.path.join(out, "no-error"))
    # A budget and a cap for everything: the true attention.
    everything = check(layer, Setting(width=1, budget=SIZE**2, cap=1), narrow, tools,
                       os.path.join(out, "everything"))
    assert everything["band_plus_sparse"]["distance"] < 1e-6
    assert everything["band_plus_sparse_normalised"]["distance"] < 1e-6
    # Sums other than 1 are not divided by.
    signed = (layer[0] - np.float32(0.25), layer[1], layer[2])
    found = check(signed, Setting(width=1), narrow, tools, os.path.join(out, "signed"))
    assert list(found) == ["band", "band_plus_sparse"]
    print("pooled as by hand")

    run = pool.run
    pool.run = lambda *arguments: run(*arguments) + np.float32(0.01)
    try:
        pool.compare(layer, Setting(width=1), narrow, tools, os.path.join(out, "wrong"))
    except Failure as failure:
        print(failure)


main()
