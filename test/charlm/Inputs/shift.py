# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves one recorded figure by twice the tolerance: shift.py bits|logit FILE."""

import json
import sys

import numpy as np

SHIFT = 2e-4


def main():
    kind, name = sys.argv[1:]
    if kind == "logit":
        logits = np.load(name)
        logits[0, 100, 7] += SHIFT
        np.save(name, logits)
        return
    with open(name, encoding="ascii") as file:
        figures = json.load(file)
    figures["bits_of_windows"][0] += SHIFT
    with open(name, "w", encoding="ascii") as file:
        json.dump(figures, file)


main()
