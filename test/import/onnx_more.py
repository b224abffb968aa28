# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of onnx_ops.py: activations, functions, orders and blocks of elements."""

import numpy as np

import draw
from onnx_cases import inputs, longs


def one_hot(i, depth, values, axis=-1):
    places = np.where(i < 0, i + depth, i)
    hot = np.arange(int(depth)) == places[..., None]
    return np.moveaxis(np.where(hot, values[1], values[0]), -1, axis)


def blocks(x, f, mode):
    """Channels as blocks of places."""
    b, c, h, w = x.shape
    if mode == "DCR":
        return x.reshape(b, f, f, c // f // f, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(b, -1, h * f, w * f)
    return x.reshape(b, c // f // f, f, f, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(b, -1, h * f, w * f)


def functions(p):
    inputs(p)
    elu = lambda x, a=1.0: np.where(x > 0, x, a * np.expm1(x))
    for op, ref, options in [
            ("Elu", lambda x: elu(x, 0.5), {"alpha": 0.5}), ("LeakyRelu", lambda x: np.where(x > 0, x, x * 0.01), {}),
            ("Selu", lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772), {}),
            ("Celu", lambda x: np.maximum(x, 0) + np.minimum(2 * np.expm1(x / 2), 0), {"alpha": 2.0}),
            ("ThresholdedRelu", lambda x: np.where(x > 0.5, x, 0), {"alpha": 0.5}),
            ("HardSigmoid", lambda x: np.clip(0.2 * x + 0.5, 0, 1), {}), ("Softsign", lambda x: x / (1 + np.abs(x)), {}),
            ("HardSwish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1), {}),
            ("Mish", lambda x: x * np.tanh(np.log1p(np.exp(x))), {}),
            ("Shrink", lambda x: np.where(x > 0.5, x - 0.25, np.where(x < -0.5, x + 0.25, 0)), {"lambd": 0.5, "bias": 0.25}),
            ("Sign", np.sign, {}), ("Round", np.round, {}), ("Sinh", np.sinh, {}), ("Cosh", np.cosh, {}), ("Atan", np.arctan, {}),
            ("Asinh", np.arcsinh, {}), ("IsInf", np.isinf, {})]:
        p.out(op, "x", ref=ref, **options)
    small = p.value("Tanh", "y", ref=np.tanh)
    for op, ref in [("Tan", np.tan), ("Asin", np.arcsin), ("Acos", np.arccos), ("Atanh", np.arctanh)]:
        p.out(op, small, ref=ref)
    p.out("Acosh", p.value("Exp", p.value("Abs", "x", ref=np.abs), ref=np.exp), ref=np.arccosh)
    p.out("PRelu", "x", np.linspace(0, 1, 6, dtype=np.float32), ref=lambda x, s: np.where(x > 0, x, x * s))
    p.out("IsInf", np.array([np.inf, -np.inf, 1], np.float32), detect_negative=0, ref=np.isposinf)
    p.out("Sum", "x", "y", "x", ref=lambda x, y, z: x + y + z)
    p.out("Mean", "x", "y", "y", ref=lambda x, y, z: (x + y + z) / 3)
    for op, ref in [("BitwiseAnd", np.bitwise_and), ("BitwiseOr", np.bitwise_or), ("BitwiseXor", np.bitwise_xor)]:
        p.out(op, "i", longs(6), ref=ref)
    p.out("BitwiseNot", "i", ref=np.bitwise_not)
    p.out("LpNormalization", "x", axis=1, p=1, ref=lambda x: x / np.abs(x).sum(1, keepdims=True))


def ordered(p):
    inputs(p)
    p.out("ArgMax", "x", axis=1, ref=lambda x: x.argmax(1)[:, None])
    p.out("ArgMin", "x", axis=-1, keepdims=0, ref=lambda x: x.argmin(-1))
    p.out("ArgMax", "i", axis=1, select_last_index=1, ref=lambda i: 4 - i[:, ::-1].argmax(1)[:, None])
    p.out("TopK", "x", longs(3), results=2, axis=1, ref=lambda x, k: (
        -np.sort(-x, 1)[:, :3], np.argsort(-x, 1, kind="stable")[:, :3]))
    p.out("TopK", "i", longs(2), results=2, largest=0, ref=lambda i, k: (
        np.sort(i, 1)[:, :2], np.argsort(i, 1, kind="stable")[:, :2]))
    p.out("OneHot", "i", longs(8), np.array([-1, 2], np.float32), ref=one_hot)
    p.out("OneHot", "i", longs(8), longs(0, 5), axis=1, ref=lambda *each: one_hot(*each, axis=1))
    p.out("Tile", "x", longs(1, 2, 3), ref=lambda x, r: np.tile(x, (1, 2, 3)))
    p.out("EyeLike", "i", k=1, dtype=1, ref=lambda i: np.eye(*i.shape, 1, dtype=np.float32))
    p.out("Slice", "x", longs(-1), longs(-(2**62)), longs(1), longs(-1), ref=lambda x, *_: x[:, ::-1])
    p.out("Slice", "x", longs(4), longs(0), longs(2), longs(-2), ref=lambda x, *_: x[:, :, 4:0:-2])
    p.out("Range", np.array(7), np.array(0), np.array(-3), ref=np.arange)
    for mode, values in (("edge", "edge"), ("reflect", "reflect"), ("wrap", "wrap")):
        p.out("Pad", "x", longs(0, 2, 0, 0, 1, 0), mode=mode, ref=lambda x, w, values=values: np.pad(
            x, ((0, 0), (2, 1), (0, 0)), values))
    x = draw.floats("onnx.blocks", (2, 8, 4, 6)).astype(np.float32)
    for mode in ("DCR", "CRD"):
        p.out("DepthToSpace", x, blocksize=2, mode=mode, ref=lambda x, mode=mode: blocks(x, 2, mode))
    p.out("SpaceToDepth", x, blocksize=2, ref=lambda x: x.reshape(2, 8, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(2, 32, 2, 3))
    p.out("MaxPool", x, kernel_shape=[2, 3], strides=[2, 3], ref=lambda x: x.reshape(2, 8, 2, 2, 2, 3).max((3, 5)))
    p.out("AveragePool", x, kernel_shape=[2, 1], auto_pad="SAME_UPPER", ref=lambda x: np.stack(
        [x[:, :, h:h + 2].mean(2) for h in range(4)], 2))
    places = np.argsort(x, 1)[:, :3]
    rows = x[:, :3] * 2

    def scattered(x, places, rows):
        result = x.copy()
        np.put_along_axis(result, places, rows, 1)
        return result

    p.out("ScatterElements", x, places, rows, axis=1, ref=scattered)
    table = draw.floats("onnx.table", (7, 3)).astype(np.float32)

    def written(table, places, rows):
        result = table.copy()
        result[places[:, 0]] = rows
        return result

    p.out("ScatterND", table, longs(4, 0, 4)[:, None], table[4:], ref=written)

    def added(table, places, rows):
        result = table.copy()
        np.add.at(result, places[:, 0], rows)
        return result

    p.out("ScatterND", table, longs(4, 0, 4)[:, None], table[:3], reduction="add", ref=added)
