# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of onnx_ops.py: parts of size 0, of which nothing is left where they are put side by side
with others."""

import numpy as np

from onnx_cases import inputs, longs


def parts(p):
    inputs(p)
    none, every, rest = p.value("Split", "x", longs(0, 6, 0), axis=2, results=3,
                                ref=lambda x, s: np.split(x, [0, 6], 2))
    # Computed with and turned there and back.
    none = p.value("Transpose", p.value("Relu", none, ref=lambda x: x), perm=[1, 2, 0],
                   ref=lambda x: x.transpose(1, 2, 0))
    none = p.value("Transpose", none, perm=[2, 0, 1], ref=lambda x: x.transpose(2, 0, 1))
    both = p.value("Concat", none, rest, axis=2, ref=lambda a, b: a)
    p.out("Concat", both, "y", rest, every, both, axis=2,
          ref=lambda a, y, b, x, c: np.concatenate([y, x], 2))
    # The sum over nothing is 0.
    p.out("Add", p.value("ReduceSum", both, longs(2), ref=lambda x, a: x.sum(2, keepdims=True)),
          "y", ref=np.add)
    p.out("Add", p.value("MatMul", both, p.value("Transpose", rest, perm=[0, 2, 1],
                                                 ref=lambda x: x.transpose(0, 2, 1)),
                         ref=np.matmul), 1.0, ref=np.add)
    early = p.value("Slice", "x", longs(3), longs(3), longs(1), ref=lambda x, *_: x[:, 3:3])
    p.out("Concat", early, "y", axis=1, ref=lambda a, y: y)
    # Parts along a dim of what has nothing along another one, once more side by side.
    lines = p.value("Slice", none, longs(1), longs(3), longs(1), ref=lambda x, *_: x[:, 1:3])
    lines = p.value("Concat", lines, lines, axis=1, ref=lambda a, b: np.concatenate([a, b], 1))
    p.out("Add", p.value("ReduceSum", lines, longs(2), ref=lambda x, a: x.sum(2, keepdims=True)),
          1.0, ref=np.add)
    flat = p.value("Flatten", none, axis=1, ref=lambda x: x.reshape(len(x), -1))
    p.out("Add", p.value("ReduceSum", flat, longs(1), ref=lambda x, a: x.sum(1, keepdims=True)),
          2.0, ref=np.add)
