# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of onnx_ops.py: tensors of which rows are replaced."""

import numpy as np

import draw
from onnx_cases import B, N, inputs, longs


def replaced(tensor, places, rows):
    tensor = tensor.copy()
    tensor[places[:, 0]] = rows
    return tensor


def replacements(p):
    inputs(p)
    table = draw.floats("onnx.r.t", (7, 3))
    for first, count in ((0, 2), (3, 2), (5, 2), (0, 7), (-3, 2)):
        rows = draw.floats(f"onnx.r.{first}.{count}", (count, 3))
        p.out("ScatterND", table, first + np.arange(count)[:, None], rows, ref=replaced)
    # More rows than lists of integers that are followed.
    long = draw.floats("onnx.r.l", (90, 2))
    p.out("ScatterND", long, 4 + np.arange(80)[:, None], long[:80] * 2, ref=replaced)
    # Places that are computed, of a dim turned to the front.
    turned = p.value("Transpose", "x", perm=[1, 0, 2], ref=lambda x: x.transpose(1, 0, 2))
    some = p.value("Slice", turned, longs(0), longs(3), longs(0), ref=lambda x, *_: x[:3])
    count = p.value("Range", np.array(0), np.array(3), np.array(1), ref=np.arange)
    later = p.value("Add", count, np.array(1), ref=np.add)
    at = p.value("Unsqueeze", later, longs(-1), ref=lambda x, a: x[:, None])
    p.out("ScatterND", turned, at, some, ref=replaced)
    assert p.arrays[turned].shape == (N, B, 6)
