# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what analyse.py left: check_weights.py FOLDER CHARLM.

The graph with weights computes the recorded logits; weights look at nothing
that comes later; those of a softmax alone sum to 1 in each row; no two layers
have the same.
"""

import os
import sys

import numpy as np

HEADS = {"mixture_of_keys": 4, "admixture_heads": 8, "mix_heads": 8}


def main():
    folder, charlm = sys.argv[1:]
    for edition, heads in HEADS.items():
        def load(name):
            return np.load(os.path.join(folder, edition, name + ".npy"))

        recorded = np.load(os.path.join(charlm, "recorded", edition + ".npy"))
        assert np.abs(load("logits")[0] - recorded).max() <= 1e-4, edition
        first, second = load("weights0"), load("weights1")
        assert np.abs(first - second).max() > 0.1, edition
        for weights in first, second:
            assert weights.shape == (2, heads, 128, 128) and weights.dtype == np.float32
            assert not np.triu(weights, k=1).any(), edition
            if edition != "mix_heads":
                assert weights.min() >= 0, edition
                assert np.abs(weights.sum(axis=-1) - 1).max() < 1e-5, edition
    print("weights are right")


main()
