# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of onnx_ops.py: arithmetic of constants of integers, which the importer does itself."""

import numpy as np

from onnx_cases import longs


def lists(p):
    """Constants spread to each other as NumPy spreads them, and integers of 8 bits wrap."""
    column, row = np.array([[1], [2]], np.int64), longs(10, 20)
    p.input("x", np.ones((2, 3), np.float32), ["B", 3])
    p.out("Relu", "x", ref=lambda x: x)
    for op, ref in [("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply), ("Mod", np.mod),
                    ("Div", np.floor_divide), ("Equal", np.equal), ("Less", np.less),
                    ("Greater", np.greater)]:
        p.out(op, row, column, ref=ref)
        p.out(op, np.array([[[7]], [[2]], [[3]]]), column, ref=ref)
    truths = np.array([[True], [False]])
    for op, ref in [("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)]:
        p.out(op, truths, np.array([True, False]), ref=ref)
    p.out("Where", truths, row, column, ref=np.where)
    p.out("Where", truths, np.int64(3), np.arange(6).reshape(3, 1, 2), ref=np.where)
    most = np.array([100, -100], np.int8)
    wrapped = p.value("Add", most, most, ref=np.add)
    p.out("Cast", wrapped, to=7, ref=lambda x: x.astype(np.int64))
    p.out("Equal", wrapped, np.array([-56, 57], np.int8), ref=np.equal)
    for many in longs(200, 300), longs(200):
        narrow = p.value("Cast", many, to=3, ref=lambda x: x.astype(np.int8))
        p.out("Cast", narrow, to=7, ref=lambda x: x.astype(np.int64))
        p.out("Cast", narrow, to=1, ref=lambda x: x.astype(np.float32))
    # More than are followed: they are put side by side when the model runs.
    listed = row
    for _ in range(7):
        listed = p.value("Concat", listed, listed, axis=0, ref=lambda a, b: np.concatenate([a, b]))
    p.out("Cast", listed, to=1, ref=lambda x: x.astype(np.float32))
    # Numbers that follow from places, each read twice: 2^18 times the first.
    doubled = p.value("Range", np.array(0), np.array(5), np.array(1), ref=np.arange)
    for _ in range(18):
        doubled = p.value("Add", doubled, doubled, ref=np.add)
    p.out("Cast", doubled, to=1, ref=lambda x: x.astype(np.float32))
