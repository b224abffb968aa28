# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws made-up matrices twice, if there is matplotlib, and compares the files:
draw.py FOLDER OUT, drawings.py lying in FOLDER."""

import os
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import distances  # pylint: disable=C0413

NAMES = ["heads_one_0", "heads_two_0", "heads_two_1", "over_budget", "over_width", "overview"]


def main():
    try:
        import drawings  # pylint: disable=C0415
    except ImportError:
        print("skipped: no matplotlib")
        return
    generator = np.random.default_rng(0)
    layers = {"one": [generator.dirichlet(np.ones(12), (2, 1, 12))],
              "two": [generator.normal(size=(1, 2, 12, 12)) for _ in range(2)]}
    setting = distances.Setting(width=2, samples=3)
    results = {name: [distances.measure(w, setting) for w in parts]
               for name, parts in layers.items()}
    examples = {name: [w[0] for w in parts] for name, parts in layers.items()}
    files = []
    for turn in "01":
        folder = os.path.join(sys.argv[2], turn)
        os.makedirs(folder, exist_ok=True)
        drawings.save_all(results, examples, setting, folder)
        files.append({})
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                files[-1][name] = file.read()
    assert list(files[0]) == [name + suffix for name in NAMES for suffix in (".png", ".svg")]
    assert files[0] == files[1]
    print("drawn, the same bytes twice")


main()
