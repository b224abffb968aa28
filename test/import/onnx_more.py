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


def transposed(x, w, stride=1, dilation=1, groups=1, pads=(0, 0, 0, 0), more=0):
    """What ConvTranspose adds up, of strides and dilations that both dims share."""
    b, c, h, wide = x.shape
    _, o, i, j = w.shape
    sizes = [stride * (size - 1) + dilation * (window - 1) + 1 + more for size, window in ((h, i), (wide, j))]
    y = np.zeros((b, groups * o, *sizes))
    for a in range(i):
        for d in range(j):
            parts = [np.einsum("bchw,co->bohw", x[:, part], w[part, :, a, d])
                     for part in np.split(np.arange(c), groups)]
            y[:, :, a * dilation:a * dilation + stride * (h - 1) + 1:stride,
              d * dilation:d * dilation + stride * (wide - 1) + 1:stride] += np.concatenate(parts, 1)
    return y[:, :, pads[0]:sizes[0] - pads[2], pads[1]:sizes[1] - pads[3]].astype(np.float32)


def enlarged(p):
    """Images that grow: transposed convolutions, and the nearest elements."""
    x = draw.floats("onnx.small", (2, 4, 3, 5)).astype(np.float32)
    w = draw.floats("onnx.window", (4, 3, 2, 3)).astype(np.float32)
    bias = draw.floats("onnx.bias", (3,)).astype(np.float32)
    p.input("x", x, ["B", 4, "H", 5])
    p.out("ConvTranspose", "x", w, ref=transposed)
    p.out("ConvTranspose", "x", w, bias, strides=[2, 2], pads=[1, 0, 0, 2], output_padding=[1, 1],
          ref=lambda x, w, b: transposed(x, w, 2, pads=(1, 0, 0, 2), more=1) + b[:, None, None])
    p.out("ConvTranspose", "x", w, dilations=[2, 2], group=2, pads=[3, 1, 1, 1], strides=[3, 3],
          ref=lambda x, w: transposed(x, w, 3, 2, 2, (3, 1, 1, 1)))
    p.out("ConvTranspose", "x", w[:, :, :, :2], strides=[2, 2], group=2, ref=lambda x, w: transposed(x, w, 2, groups=2))
    twice = lambda x, *_: x.repeat(2, 2).repeat(3, 3)
    p.out("Resize", "x", None, np.array([1, 1, 2, 3], np.float32), ref=twice)
    p.out("Resize", "x", None, np.array([1, 1, 2, 3], np.float32), coordinate_transformation_mode="asymmetric",
          nearest_mode="floor", ref=twice)
    p.out("Resize", x, None, None, longs(2, 4, 6, 15), ref=twice)


def weights(d, kernel, a):
    """Of elements at distances d."""
    d = np.abs(d)
    if kernel == "linear":
        return np.maximum(1 - d, 0)
    near, far = (a + 2) * d**3 - (a + 3) * d**2 + 1, a * (d**3 - 5 * d**2 + 8 * d - 4)
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def resized(x, scale, size, kernel, places=lambda i, r, n, m: (i + 0.5) * r - 0.5, a=-0.75, smooths=False, drops=False):
    """The last dim of x at `size`: a row of weights for each place, as ONNX's Resize describes them."""
    n = x.shape[-1]
    at = places(np.arange(size), 1 / scale, n, size)[:, None]
    beyond = int(np.ceil(4 / scale)) + 2
    taps = np.arange(-beyond, n + beyond)
    if callable(kernel):
        matrix = (taps == kernel(at)).astype(float)
    else:
        matrix = weights((taps - at) * (min(scale, 1) if smooths else 1), kernel, a)
    if drops:
        matrix[:, (taps < 0) | (taps >= n)] = 0
    matrix /= matrix.sum(1, keepdims=True)
    return (x[..., np.clip(taps, 0, n - 1)] @ matrix.T).astype(np.float32)


def resampled(p):
    """Images of other sizes: each mode, and each way to say where an element lies."""
    p.input("x", draw.floats("onnx.small", (2, 4, 3, 10)).astype(np.float32), ["B", 4, "H", 10])
    named = {"asymmetric": lambda i, r, n, m: i * r, "align_corners": lambda i, r, n, m: i * (n - 1) / (n / r - 1),
             "half_pixel_symmetric": lambda i, r, n, m: n / 2 * (1 - m * r / n) + (i + 0.5) * r - 0.5}

    def out(scale, kernel, axis=3, size=None, **options):
        own = {}
        if place := options.get("coordinate_transformation_mode"):
            own["places"] = named.get(place, lambda i, r, n, m: (i + 0.5) * r - 0.5)
        for ours, theirs in (("a", "cubic_coeff_a"), ("smooths", "antialias"), ("drops", "exclude_outside")):
            if theirs in options:
                own[ours] = options[theirs]
        said = [np.array([scale], np.float32), None] if scale else [None, longs(size)]

        def reference(x, *_):
            x = np.moveaxis(x, axis, -1)
            many = size or int(np.float32(scale) * np.float32(x.shape[-1]))
            factor = float(np.float32(scale)) if scale else many / x.shape[-1]
            return np.moveaxis(resized(x, factor, many, kernel, **own), -1, axis)

        mode = "nearest" if callable(kernel) else kernel
        p.out("Resize", "x", None, *said, mode=mode, axes=[axis], ref=reference, **options)

    out(1.7, "linear")
    out(0.6, "linear", coordinate_transformation_mode="align_corners")
    out(2.0, "linear", 2, coordinate_transformation_mode="asymmetric")
    out(2.0, "cubic", 2, coordinate_transformation_mode="align_corners")
    out(0.75, "linear", coordinate_transformation_mode="half_pixel_symmetric")
    out(0.4, "cubic", antialias=1)
    out(0.4, "linear", antialias=1, exclude_outside=1)
    out(1.3, "cubic", cubic_coeff_a=-0.5, exclude_outside=1)
    out(None, "cubic", size=7, coordinate_transformation_mode="pytorch_half_pixel")
    for name, kernel in [("floor", np.floor), ("ceil", np.ceil), ("round_prefer_floor", lambda at: np.ceil(at - 0.5)),
                         ("round_prefer_ceil", lambda at: np.floor(at + 0.5))]:
        out(1.6, kernel, nearest_mode=name)
        out(0.7, kernel, nearest_mode=name, coordinate_transformation_mode="asymmetric")
    # One place is the first, of an open size, too.
    single = p.value("Sub", p.value("Shape", "x", start=2, end=3, ref=lambda x: longs(x.shape[2])), longs(2), ref=np.subtract)
    p.out("Resize", "x", None, None, single, mode="linear", axes=[2], coordinate_transformation_mode="align_corners",
          ref=lambda x, *_: x[:, :, :1])
    p.out("Resize", "x", None, None, longs(1), mode="linear", axes=[3], coordinate_transformation_mode="pytorch_half_pixel",
          ref=lambda x, *_: x[..., :1])


def bounded(p):
    """Sizes that one of several is, rests of sizes, shapes of no dims, and a batch that the file names twice."""
    inputs(p)
    p.input("z", draw.floats("onnx.z", (2, 3, 6)).astype(np.float32), ["A", "M", 6])
    shape = lambda name, **part: p.value("Shape", name, **part, ref=lambda x: longs(*x.shape[part["start"]:part["end"]]))
    rows, most = shape("x", start=1, end=2), longs(2**31 - 1)
    fewest = p.value("Min", longs(64), rows, ref=np.minimum)
    left = p.value("Max", longs(0), p.value("Sub", longs(64), rows, ref=np.subtract), ref=np.maximum)
    none = p.value("Max", longs(0), p.value("Sub", longs(1), rows, ref=np.subtract), longs(-1), ref=lambda *sizes: np.maximum.reduce(sizes))
    joined = lambda *parts: p.value("Concat", *parts, axis=0, ref=lambda *parts: np.concatenate(parts))
    table = np.linspace(-1, 1, 384, dtype=np.float32).reshape(64, 6)
    few = p.value("Min", shape("z", start=1, end=2), longs(7), ref=np.minimum)
    p.out("Reshape", "z", joined(longs(-1), few, longs(3, 2)), ref=lambda z, _: z.reshape(2, -1, 3, 2))
    p.out("Reshape", "x", joined(longs(-1), fewest, longs(3, 2)), ref=lambda x, _: x.reshape(2, -1, 3, 2))
    p.out("Add", "x", p.value("Slice", table, left, most, longs(0), ref=lambda t, first, *_: t[first[0]:]), ref=np.add)
    p.out("Slice", "x", none, most, longs(1), ref=lambda x, *_: x)
    for a, b, options in [(-14, 4, {}), (-14, 4, {"fmod": 1}), (14, -4, {"fmod": 0}), (3, -7, {"fmod": 1})]:
        first = p.value("Mod", longs(a), longs(b), **options, ref=np.fmod if options.get("fmod") else np.mod)
        p.out("Expand", np.float32(1), p.value("Add", first, longs(9), ref=np.add), ref=lambda one, n: np.full(n, one, np.float32))
    whole = p.value("Mod", p.value("Mul", rows, longs(4), ref=np.multiply), longs(2), ref=np.mod)
    p.out("Slice", "x", whole, most, longs(1), ref=lambda x, *_: x)
    one = p.value("ConstantOfShape", longs(), value=np.array([2], np.float32), ref=lambda _: np.float32(2))
    p.out("Mul", "x", one, ref=np.multiply)
    p.out("Reshape", "x", joined(shape("z", start=0, end=1), rows, longs(-1, 2)), ref=lambda x, _: x.reshape(2, 5, -1, 2))
    # Borders of dims from the last one on, in pairs, as PyTorch's first exporter turns them round.
    pairs = p.value("Reshape", longs(0, 0, 1, 2, 0, 0), longs(-1, 2), ref=lambda n, to: n.reshape(to))
    turned = p.value("Slice", pairs, longs(-1), longs(-2**63 + 1), longs(0), longs(-1), ref=lambda n, *_: n[::-1])
    ends = p.value("Transpose", turned, perm=[1, 0], ref=np.transpose)
    p.out("Pad", "x", p.value("Reshape", ends, longs(-1), ref=lambda n, _: n.reshape(-1)),
          ref=lambda x, _: np.pad(x, ((0, 0), (1, 2), (0, 0))))


def ranges(p):
    """Places counted from sums of sizes, downwards and by twos; diagonals between sizes."""
    inputs(p)
    p.input("z", draw.floats("onnx.z", (2, 3, 6)).astype(np.float32), ["B", "M", 6])
    n, m = (p.value("Squeeze", p.value("Shape", each, start=1, end=2, ref=lambda x: longs(x.shape[1])),
                    ref=lambda s: s[0]) for each in "xz")
    both = p.value("Add", n, m, ref=np.add)
    last = p.value("Sub", n, np.array(1), ref=np.subtract)
    odd = p.value("Sub", p.value("Add", n, n, ref=np.add), np.array(1), ref=np.subtract)
    zero, one, below = np.array(0), np.array(1), np.array(-1)
    p.out("Range", zero, both, one, ref=np.arange)
    p.out("Range", last, below, below, ref=np.arange)
    p.out("Range", odd, below, np.array(-2), ref=np.arange)
    p.out("Range", zero, odd, np.array(2), ref=np.arange)
    wide = p.value("Cast", last, to=1, ref=lambda n: n.astype(np.float32))
    p.out("Range", wide, np.float32(-1), np.float32(-1), ref=np.arange)
    p.out("Range", np.float32(0), p.value("Cast", both, to=1, ref=lambda n: n.astype(np.float32)), np.float32(1),
          ref=np.arange)
    shift = p.value("Sub", m, n, ref=np.subtract)
    scores = p.value("MatMul", "x", p.value("Transpose", "z", perm=[0, 2, 1], ref=lambda z: z.transpose(0, 2, 1)),
                     ref=np.matmul)
    p.out("Trilu", scores, shift, upper=0, ref=np.tril)
    rows = p.value("Shape", "x", start=1, end=2, ref=lambda x: longs(x.shape[1]))
    back = p.value("Neg", rows, ref=np.negative)
    joined = p.value("Concat", "x", "z", axis=1, ref=lambda x, z: np.concatenate([x, z], 1))
    p.out("Slice", joined, back, longs(2**31 - 1), longs(1), ref=lambda x, start, *_: x[:, start[0]:])
    p.out("Slice", joined, longs(0), back, longs(1), ref=lambda x, _, end, __: x[:, :end[0]])
    p.out("Slice", "x", p.value("Add", back, longs(1), ref=np.add), longs(2**31 - 1), longs(1),
          ref=lambda x, start, *_: x[:, start[0]:])
    p.out("Trilu", scores, p.value("Add", shift, one, ref=np.add), ref=np.triu)
