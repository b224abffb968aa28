# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random values for the arguments of a graph."""

import numpy as np


def draw(arguments, generator):
    """Values by name, for pairs of names and shapes: weights that keep features
    near 1."""
    values = {}
    for name, shape in arguments:
        value = generator.standard_normal(shape, dtype=np.float32)
        if name.endswith("_gain"):
            value = 1 + value / 8
        elif name.endswith(("_bias", "_bq", "_bk", "_bv", "_bo", "_b1", "_b2")):
            value /= 8
        elif name.endswith(("_wq", "_wk", "_wv")):
            value /= np.sqrt(shape[0])
        elif name != "images" and not name.endswith("_table"):
            value /= np.sqrt(np.prod(shape[:-1]))
        values[name] = value
    return values
