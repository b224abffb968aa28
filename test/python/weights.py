# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which file of weights a library takes: weights.py FOLDER."""

import os
import shutil
import sys

import numpy as np

import mixattn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "import"))
from programs import FLOAT, T, members, node, program, weight, write  # noqa: E402


def archive(path, values):
    """A linear layer with weights of these values."""
    layer = program([node("aten.linear.default", input=T("x"), weight=T("w"))],
                    tensors={"w": (FLOAT, [6, 6])}, weights=["w"])
    write(path, members(layer, {"w": weight(values.astype(np.float32).tobytes(), [6, 6], [6, 1])}))


def said(load, *args):
    try:
        return load(*args).entries["layer"].arguments
    except ValueError as error:
        return error


def main():
    folder = sys.argv[1]
    first, second, whole = (os.path.join(folder, name, "layer.so") for name in ("first", "second", "whole"))
    values = np.arange(36.0).reshape(6, 6)
    x = np.ones((1, 2, 6), np.float32)
    right = x @ values.T.astype(np.float32)
    for path, scale in ((first, 1), (second, 2), (whole, 1)):
        os.makedirs(os.path.dirname(path))
        archive(path[:-3] + ".pt2", scale * values)
        made = mixattn.compile(path[:-3] + ".pt2", out=path, embed=path == whole)
        print(os.path.basename(os.path.dirname(path)), np.array_equal(made(x), scale * right))
    print("again:", np.array_equal(mixattn.load(first)(x), right))

    # Of another model, of the same names and shapes.
    weights = first[:-3] + ".safetensors"
    shutil.copy(second[:-3] + ".safetensors", weights)
    print("stale:", said(mixattn.load, first))
    print("given:", np.array_equal(mixattn.load(first, weights)(x), 2 * right))
    # A library that holds its weights, or was compiled of MLIR, has no file.
    shutil.copy(weights, whole[:-3] + ".safetensors")
    print("whole:", said(mixattn.load, whole), np.array_equal(mixattn.load(whole)(x), right))
    os.remove(weights)
    print("none:", said(mixattn.load, first))


main()
