# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws made-up measures twice, if there is matplotlib, and compares the files:
draw.py FOLDER OUT, pictures.py lying in FOLDER."""

import os
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import measures  # pylint: disable=C0413

NAMES = ["attention_three_heads", "attention_two_heads", "components", "distances",
         "overview", "ranks", "singular_values"]


def layers_of(heads, generator):
    """Two layers of weights [B,H,N,S], rows summing to 1."""
    weights = generator.random((2, 3, heads, 16, 16))
    return weights / weights.sum(axis=-1, keepdims=True)


def main():
    try:
        import pictures  # pylint: disable=C0415
    except ImportError:
        print("skipped: no matplotlib")
        return
    generator = np.random.default_rng(0)
    editions = {"two_heads": layers_of(2, generator), "three_heads": layers_of(3, generator)}
    results = {e: [measures.measure(w) for w in layers] for e, layers in editions.items()}
    examples = {e: [w[0] for w in layers] for e, layers in editions.items()}
    files = []
    for turn in "01":
        folder = os.path.join(sys.argv[2], turn)
        os.makedirs(folder, exist_ok=True)
        pictures.save_all(results, examples, folder)
        files.append({})
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                files[-1][name] = file.read()
    assert list(files[0]) == [name + suffix for name in NAMES for suffix in (".png", ".svg")]
    assert files[0] == files[1]
    print("drawn, the same bytes twice")


main()
