# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes arguments of the entries of held.json, good and bad, into the folder
that is named."""

import os
import sys

import numpy as np


def save(name, values, dtype):
    np.save(os.path.join(sys.argv[1], name + ".npy"), np.array(values, dtype))


# Two heads of four rows; the second row of the first head sums up to 0.
band = np.ones((2, 4, 3), np.float32)
band[0, 1] = 2, -3, 1
save("band", band, np.float32)
# Here all rows do, where errors are 0.
save("band-nothing", [[[9, 1, -1], [2, -3, 1], [2, -3, 1], [1, -1, 9]]] * 2, np.float32)
save("error-nothing", [0, 0], np.float32)
save("at", [[0, 0, 3], [1, 2, 0]], np.int64)
save("error", [0.5, -0.25], np.float32)
save("v", np.random.default_rng(1).standard_normal((2, 1, 4, 3)), np.float32)

save("at-outside", [[0, 0, 3], [1, 4, 0]], np.int64)
save("at-twice", [[0, 0, 3], [0, 0, 3]], np.int64)
save("windows-empty", [[0, 3, 1], [0, 1, 0]], np.int64)
save("windows-outside", [[0, 2, 3]], np.int64)
save("windows-overlap", [[0, 2, 2], [0, 0, 1], [1, 0, 2]], np.int64)
save("prior-negative", [[0, 1], [-0.5, 1]], np.float32)
save("prior-off", [[0, 1], [0, 0]], np.float32)
save("log-prior-off", [[-np.inf, -np.inf], [0, 0]], np.float32)
