# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of onnx_ops.py: ops of ONNX, each with its formula in NumPy."""

import math

import numpy as np

import draw

B, N = 2, 5
erf = np.vectorize(math.erf)


def longs(*numbers):
    return np.array(numbers, np.int64)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def inputs(p):
    """x [B,N,6] and y [B,N,6] of floats, i [B,N] of integers, m [B,N,6] of bools."""
    x = draw.floats("onnx.x", (B, N, 6)).astype(np.float32) * 3
    p.input("x", x, ["B", "N", 6])
    p.input("y", draw.floats("onnx.y", (B, N, 6)).astype(np.float32), ["B", "N", 6])
    p.input("i", np.arange(B * N).reshape(B, N).astype(np.int64) % 7, ["B", "N"])
    p.input("m", x > 0.3, ["B", "N", 6])


def pointwise(p):
    inputs(p)
    for op, ref in [("Neg", np.negative), ("Abs", np.abs), ("Sigmoid", sigmoid),
                    ("Relu", lambda x: np.maximum(x, 0)), ("Reciprocal", lambda x: 1 / x),
                    ("Floor", np.floor), ("Ceil", np.ceil), ("Exp", np.exp), ("Tanh", np.tanh),
                    ("Erf", erf), ("Sin", np.sin), ("Cos", np.cos), ("Identity", lambda x: x),
                    ("Softplus", lambda x: np.log1p(np.exp(x))),
                    ("Swish", lambda x: x * sigmoid(x))]:
        p.out(op, "x", ref=ref)
    p.out("Swish", "x", alpha=0.5, ref=lambda x: x * sigmoid(0.5 * x))
    p.out("Log", p.value("Abs", "x", ref=np.abs), ref=np.log)
    p.out("Sqrt", p.value("Abs", "x", ref=np.abs), ref=np.sqrt)
    for op, ref in [("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply),
                    ("Div", np.divide)]:
        p.out(op, "x", "y", ref=ref)
        p.out(op, 2.5, "x", ref=ref)
    p.out("Div", "i", longs(-2), ref=lambda i, d: np.trunc(i / d).astype(np.int64))
    p.out("Mod", "i", longs(-3), ref=np.mod)
    p.out("Mod", "i", longs(-3), fmod=1, ref=np.fmod)
    p.out("Mod", "x", "y", fmod=1, ref=np.fmod)
    p.out("Pow", "x", 2.0, ref=np.power)
    p.out("Pow", "x", longs(3), ref=np.power)
    p.out("Gelu", "x", ref=lambda x: x * (1 + erf(x / 2**0.5)) / 2)
    p.out("Gelu", "x", approximate="tanh", ref=lambda x: x / 2 * (
        1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))))
    p.out("Clip", "x", -0.5, 1.25, ref=np.clip)
    p.out("Clip", "x", None, 0.5, ref=lambda x, low, high: np.minimum(x, high))
    p.out("Cast", "x", to=7, ref=lambda x: x.astype(np.int64))
    p.out("Cast", "i", to=1, ref=lambda i: i.astype(np.float32))
    p.out("Cast", "x", to=9, ref=lambda x: x != 0)
    p.out("CastLike", "m", "x", ref=lambda m, x: m.astype(np.float32))
    p.out("Dropout", "x", 0.5, ref=lambda x, ratio: x)


def comparisons(p):
    inputs(p)
    for op, ref in [("Equal", np.equal), ("Less", np.less), ("LessOrEqual", np.less_equal),
                    ("Greater", np.greater), ("GreaterOrEqual", np.greater_equal)]:
        p.out(op, "i", longs(3), ref=ref)
        p.out(op, "x", "y", ref=ref)
    # More integers than lie in the text.
    p.out("Equal", "i", np.arange(1030)[:, None, None] % 7, ref=np.equal)
    # Masks that exporters computed: one number up to a diagonal, another after it, but for one.
    mask = np.tri(33, 32, -2, dtype=bool)
    p.out("Where", mask, 1.5, -2.5, ref=np.where)
    p.out("Where", ~mask[None, None], 1.5, -2.5, ref=np.where)
    hidden = np.float32(np.finfo(np.float32).min) * (1 - np.tri(40, 40, 3, dtype=np.float32))
    p.out("Mul", hidden, 0.5, ref=np.multiply)
    p.out("Mul", np.tri(41, 41, dtype=np.float32), 0.5, ref=np.multiply)
    mask = mask.copy()
    mask[3, 30] = True
    p.out("Where", mask, 1.5, -2.5, ref=np.where)
    other = p.value("Less", "y", 0.1, ref=np.less)
    for op, ref in [("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)]:
        p.out(op, "m", other, ref=ref)
    p.out("Not", "m", ref=np.logical_not)
    p.out("IsNaN", p.value("Log", "x", ref=lambda x: np.log(x, where=x > 0, out=x * np.nan)),
          ref=np.isnan)
    p.out("Where", "m", "x", "y", ref=np.where)
    p.out("Where", "m", 1.5, "y", ref=np.where)
    p.out("Max", "x", "y", 0.25, ref=lambda *all: np.maximum.reduce(np.broadcast_arrays(*all)))
    p.out("Min", "i", longs(3), ref=np.minimum)
    p.out("Min", "x", ref=lambda x: x)


def total(p, name, axis):
    """A result along a dim whose size is computed."""
    p.out("ReduceSum", name, longs(axis), ref=lambda x, a: x.sum(axis, keepdims=True))


def views(p):
    inputs(p)
    p.out("Reshape", "x", longs(0, 0, 2, 3), ref=lambda x, s: x.reshape(B, N, 2, 3))
    total(p, p.value("Reshape", "x", longs(-1, 6), ref=lambda x, s: x.reshape(B * N, 6)), 0)
    total(p, p.value("Reshape", "x", longs(0, -1), ref=lambda x, s: x.reshape(B, N * 6)), 1)
    total(p, p.value("Flatten", "x", axis=-1, ref=lambda x: x.reshape(B * N, 6)), 0)
    p.out("Transpose", "x", ref=np.transpose)
    p.out("Transpose", "x", perm=[1, 2, 0], ref=lambda x: x.transpose(1, 2, 0))
    p.out("Unsqueeze", "x", longs(-1, 0), ref=lambda x, a: x[None, ..., None])
    wide = p.value("Unsqueeze", "x", longs(1, 4), ref=lambda x, a: x[:, None, :, :, None])
    p.out("Squeeze", wide, longs(-1), ref=lambda x, a: x[..., 0])
    p.out("Squeeze", wide, ref=lambda x: x[:, 0, ..., 0])
    p.out("Expand", "y", longs(3, 1, 1, 6), ref=lambda y, s: np.broadcast_to(y, (3, B, N, 6)))
    total(p, p.value("Slice", "x", longs(1), longs(-1), longs(1), ref=lambda x, *_: x[:, 1:-1]), 1)
    p.out("Slice", "x", longs(-4, 0), longs(2**63 - 1, 1), longs(2, 0), longs(2, 1),
          ref=lambda x, *_: x[:1, :, -4::2])
    p.out("Split", "x", longs(1, 5), axis=2, results=2, ref=lambda x, s: np.split(x, [1], 2))
    p.out("Split", "x", axis=-1, num_outputs=3, results=3, ref=lambda x: np.split(x, 3, 2))
    p.out("Concat", "x", "y", "x", axis=2, ref=lambda *all: np.concatenate(all, 2))
    p.out("Pad", "x", longs(1, 2), 0.5, longs(2),
          ref=lambda x, *_: np.pad(x, ((0, 0), (0, 0), (1, 2)), constant_values=0.5))
    p.out("Trilu", "x", ref=np.triu)
    p.out("Trilu", "x", np.array(-1), upper=0, ref=lambda x, k: np.tril(x, -1))
    table = draw.floats("onnx.table", (7, 4)).astype(np.float32)
    p.out("Gather", table, "i", ref=lambda t, i: t[i])
    p.out("Gather", "x", longs(0, -2, 1), axis=2, ref=lambda x, i: x[:, :, i])
    p.out("Gather", "x", np.array(-1), axis=2, ref=lambda x, i: x[:, :, -1])
    p.out("Gather", "x", longs(-2), axis=1, ref=lambda x, i: x[:, -2:-1])
    rows = p.value("Unsqueeze", "i", longs(-1), ref=lambda i, a: i[..., None])
    p.out("GatherND", table, rows, ref=lambda t, i: t[i[..., 0]])
    p.out("GatherND", table, longs((6, 1), (0, 3), (-1, -4)), ref=lambda t, i: t[i[:, 0], i[:, 1]])
    p.out("GatherElements", table, longs((1, -4, 0, 3)).repeat(7, 0), axis=1,
          ref=lambda t, i: np.take_along_axis(t, i, 1))


def sums(p):
    inputs(p)
    p.out("ReduceSum", "x", longs(1), ref=lambda x, a: x.sum(1, keepdims=True))
    p.out("ReduceSum", "x", longs(-1, 0), keepdims=0, ref=lambda x, a: x.sum((0, 2)))
    p.out("ReduceSum", "x", noop_with_empty_axes=1, ref=lambda x: x)
    p.out("ReduceSum", "i", longs(1), ref=lambda i, a: i.sum(1, keepdims=True))
    p.out("ReduceMean", "x", axes=[-1], ref=lambda x: x.mean(-1, keepdims=True))
    p.out("ReduceMax", "x", longs(2), keepdims=0, ref=lambda x, a: x.max(2))
    p.out("ReduceMin", "x", longs(1), ref=lambda x, a: x.min(1, keepdims=True))
    p.out("ReduceSumSquare", "x", longs(2), ref=lambda x, a: (x**2).sum(2, keepdims=True))
    p.out("ReduceL1", "x", longs(2), ref=lambda x, a: np.abs(x).sum(2, keepdims=True))
    p.out("ReduceL1", "x", axes=[0, 1], keepdims=0, ref=lambda x: np.abs(x).sum((0, 1)))
    p.out("ReduceLogSum", p.value("Abs", "x", ref=np.abs), longs(1), keepdims=0,
          ref=lambda x, a: np.log(x.sum(1)))
    p.out("ReduceL2", "x", longs(2), ref=lambda x, a: (x**2).sum(2, keepdims=True) ** 0.5)
    p.out("ReduceLogSumExp", "x", longs(2), keepdims=0,
          ref=lambda x, a: np.log(np.exp(x).sum(2)))
    p.out("Softmax", "x", ref=softmax)
    p.out("Softmax", "x", axis=1, ref=lambda x: softmax(x, 1))
    p.out("LogSoftmax", "x", ref=lambda x: np.log(softmax(x)))
    p.out("CumSum", "x", np.int64(1), ref=lambda x, a: x.cumsum(1))
    p.out("CumSum", "x", np.int64(-1), exclusive=1, ref=lambda x, a: x.cumsum(2) - x)
    p.out("CumSum", "x", np.int64(1), reverse=1, ref=lambda x, a: x[:, ::-1].cumsum(1)[:, ::-1])
    p.out("CumSum", "i", longs(1), exclusive=1, reverse=1,
          ref=lambda i, a: i[:, ::-1].cumsum(1)[:, ::-1] - i)
    p.out("GlobalAveragePool", "x", ref=lambda x: x.mean(2, keepdims=True))
    # Of what lies in no memory.
    zeros = p.value("ConstantOfShape", p.value("Shape", "x", ref=lambda x: longs(*x.shape)),
                    value=np.array([0.5], np.float32), ref=lambda s: np.full(s, 0.5, np.float32))
    p.out("ReduceSum", zeros, longs(1), ref=lambda x, a: x.sum(1, keepdims=True))
    gain, shift = (draw.floats("onnx." + name, (6,)).astype(np.float32) for name in ("g", "s"))

    def norm(x, mean, axes, epsilon):
        x = x - x.mean(axes, keepdims=True) if mean else x
        return x / np.sqrt((x**2).mean(axes, keepdims=True) + epsilon)

    p.out("LayerNormalization", "x", gain, shift, epsilon=0.1,
          ref=lambda x, g, s: norm(x, True, -1, 0.1) * g + s)
    p.out("LayerNormalization", "x", gain, axis=1, ref=lambda x, g: norm(x, True, (1, 2), 1e-5) * g)
    p.out("RMSNormalization", "x", gain, ref=lambda x, g: norm(x, False, -1, 1e-5) * g)
    turned = p.value("Transpose", "x", perm=[0, 2, 1], ref=lambda x: x.transpose(0, 2, 1))
    p.out("InstanceNormalization", turned, gain, shift, epsilon=0.1,
          ref=lambda x, g, s: norm(x, True, 2, 0.1) * g[:, None] + s[:, None])
    for group, shown in ((gain, shift), (gain[:3], shift[:3])):
        # Numbers of channels, or, in opset 18, of groups.
        p.out("GroupNormalization", turned, group, shown, num_groups=3, epsilon=0.1,
              ref=lambda x, g, s: norm(x.reshape(B, 3, 2, N), True, (2, 3), 0.1).reshape(B, 6, N) *
              g.repeat(6 // len(g))[:, None] + s.repeat(6 // len(s))[:, None])
    p.out("BatchNormalization", turned, gain, shift, shift, np.abs(gain), epsilon=0.1,
          ref=lambda x, g, s, m, v: (x - m[:, None]) / np.sqrt(v[:, None] + 0.1) * g[:, None] + s[:, None])


def products(p):
    inputs(p)
    w, v = (draw.floats("onnx." + name, (6, 4)).astype(np.float32) for name in ("w", "v"))
    bias = draw.floats("onnx.bias", (4,)).astype(np.float32)
    p.out("MatMul", "x", w, ref=np.matmul)
    image = draw.floats("onnx.image", (1, 3, 4, 6)).astype(np.float32)
    windows = draw.floats("onnx.windows", (5, 3, 2, 3)).astype(np.float32)

    def patches(x, w):
        return np.einsum("bchiwj,ocij->bohw", x.reshape(1, 3, 2, 2, 2, 3), w)

    p.out("Conv", image, windows, strides=[2, 3], kernel_shape=[2, 3], pads=[0, 0, 0, 0], ref=patches)
    p.out("Conv", image, windows, windows[:, 0, 0, 0], strides=[2, 3], auto_pad="VALID", group=1,
          dilations=[1, 1], ref=lambda x, w, b: patches(x, w) + b[:, None, None])
    turned = p.value("Transpose", "y", perm=[0, 2, 1], ref=lambda y: y.transpose(0, 2, 1))
    p.out("MatMul", "x", turned, ref=np.matmul)
    p.out("MatMul", "x", w[:, 0], ref=np.matmul)
    flat = p.value("Reshape", "x", longs(-1, 6), ref=lambda x, s: x.reshape(-1, 6))
    for options in ({}, {"alpha": 0.5, "beta": 2.0}):
        a, b = options.get("alpha", 1), options.get("beta", 1)
        product = p.value("Gemm", flat, w, bias, ref=lambda x, w, c, a=a, b=b: a * x @ w + b * c,
                          **options)
        p.out("ReduceSum", product, longs(0), ref=lambda x, axes: x.sum(0, keepdims=True))
    p.out("Gemm", w, v, transA=1, ref=lambda w, v: w.T @ v)
    p.out("Gemm", w, v, transB=1, ref=lambda w, v: w @ v.T)
    p.out("Einsum", "x", w, equation="bni,ij->bnj", ref=lambda *all: np.einsum("bni,ij->bnj", *all))
    p.out("Einsum", "x", "y", equation="bni,bmi->bmn",
          ref=lambda *all: np.einsum("bni,bmi->bmn", *all))
    p.out("Einsum", "x", equation="...i->i...", ref=lambda x: np.einsum("...i->i...", x))


def sizes(p):
    """Chains of integers that follow from sizes."""
    inputs(p)
    shape = p.value("Shape", "x", ref=lambda x: longs(*x.shape))
    n = p.value("Gather", shape, np.array(1), ref=lambda s, i: s[1])
    b = p.value("Slice", shape, longs(0), longs(1), ref=lambda s, *_: s[:1])
    six = p.value("Shape", "x", start=-1, ref=lambda x: longs(6))
    listed = p.value("Unsqueeze", n, longs(0), ref=lambda n, a: n[None])
    half = p.value("Div", six, longs(2), ref=lambda s, d: s // d)
    wanted = p.value("Concat", b, listed, longs(2), half, axis=0,
                     ref=lambda *all: np.concatenate(all))
    p.out("Reshape", "x", wanted, ref=lambda x, s: x.reshape(s))
    # Steps 2 apart: half of 2 N.
    twice = p.value("Mul", n, np.array(2), ref=np.multiply)
    steps = p.value("Range", np.array(0), twice, np.array(2), ref=np.arange)
    p.out("Identity", steps, ref=lambda x: x)
    p.out("Range", np.array(1), p.value("Add", n, np.array(1), ref=np.add), np.array(1),
          ref=np.arange)
    # Functions of ONNX ask whether heads are grouped.
    even = p.value("Equal", p.value("Mod", six, longs(4), ref=np.mod), longs(0), ref=np.equal)
    odd = p.value("Not", even, ref=np.logical_not)
    both = p.value("And", odd, p.value("Less", six, longs(7), ref=np.less), ref=np.logical_and)
    parts = p.value("Where", p.value("Or", both, even, ref=np.logical_or), half, six, ref=np.where)
    p.out("Reshape", "x", p.value("Concat", longs(0, 0), parts, longs(-1), axis=0,
                                  ref=lambda *all: np.concatenate(all)),
          ref=lambda x, s: x.reshape(B, N, 3, 2))
    # Exporters ask whether a size is -1 before they spread.
    square = p.value("Concat", listed, listed, axis=0, ref=lambda *all: np.concatenate(all))
    is_kept = p.value("Equal", square, longs(-1), ref=np.equal)
    ones = p.value("ConstantOfShape", longs(2), value=longs(1), ref=lambda s: longs(1, 1))
    spread = p.value("Where", is_kept, ones, square, ref=np.where)
    mask = p.value("Expand", np.array(True), spread, ref=lambda t, s: np.broadcast_to(t, s))
    seen = p.value("Trilu", mask, upper=0, ref=np.tril)
    scores = p.value("Einsum", "x", "y", equation="bni,bmi->bnm",
                     ref=lambda *all: np.einsum("bni,bmi->bnm", *all))
    p.out("Where", seen, scores, -1e9, ref=np.where)
    zeros = p.value("ConstantOfShape", square, ref=lambda s: np.zeros(s, np.float32))
    p.out("Add", scores, zeros, ref=np.add)
    count = p.value("ReduceProd", p.value("Slice", shape, longs(1), longs(3),
                                          ref=lambda s, *_: s[1:3]),
                    ref=lambda s: np.prod(s, keepdims=True))
    flat = p.value("Concat", b, count, axis=0, ref=lambda *all: np.concatenate(all))
    rows = p.value("Reshape", "x", flat, ref=lambda x, s: x.reshape(s))
    p.out("ReduceSum", rows, longs(1), ref=lambda x, a: x.sum(1, keepdims=True))
    p.out("Cast", p.value("Size", "x", ref=lambda x: np.array(x.size)), to=1,
          ref=lambda n: np.float32(n))


def attend(q, k, v, mask=None, past_key=None, past_value=None, counts=None, heads=0, causal=False,
           softcap=0, left=-1, right=-1, scale=None, mode=0):
    """Attention's results; masks are what is added to scores."""
    flat = q.ndim == 3
    if flat:
        apart = [x.reshape(*x.shape[:2], n, -1).transpose(0, 2, 1, 3)
                 for x, n in zip((q, k, v), heads)]
        q, k, v = apart
    if past_key is not None:
        k, v = np.concatenate([past_key, k], 2), np.concatenate([past_value, v], 2)
    present = k, v
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    rows, columns = np.arange(q.shape[2])[:, None], np.arange(k.shape[2])
    own = rows + (0 if past_key is None else past_key.shape[2])
    seen = np.ones((q.shape[2], k.shape[2]), bool)
    if counts is not None:
        count = counts[:, None, None, None]
        own, seen = rows + count - q.shape[2], seen & (columns < count)
    right = 0 if causal else right
    if right >= 0:
        seen = seen & (columns <= own + right)
    if left >= 0:
        seen = seen & (columns >= own - left)
    raw = q @ k.swapaxes(2, 3) * (scale or q.shape[3] ** -0.5)
    scores = softcap * np.tanh(raw / softcap) if softcap else raw
    masked = np.where(seen, scores, -np.inf)
    if mask is not None:
        masked = np.where(mask, masked, -np.inf) if mask.dtype == np.bool_ else masked + mask
    most = masked.max(-1, keepdims=True)
    weights = np.where(masked == -np.inf, 0, np.exp(masked - np.where(most == -np.inf, 0, most)))
    weights = weights / np.maximum(weights.sum(-1, keepdims=True), 1e-30)
    y = weights @ v
    y = y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1) if flat else y
    return [y, *present, (raw, scores, masked, weights)[mode]]


def turn(x, cosine, sine, interleaved=False, part=None):
    """Rotary embeddings of x [B,H,N,D] by cosines and sines [B,N,D/2]."""
    part = part or x.shape[3]
    first, second = (x[..., 0:part:2], x[..., 1:part:2]) if interleaved else \
        (x[..., :part // 2], x[..., part // 2:part])
    c, s = cosine[:, None], sine[:, None]
    pair = [first * c - second * s, second * c + first * s]
    turned = np.stack(pair, -1).reshape(*x.shape[:3], part) if interleaved else \
        np.concatenate(pair, -1)
    return np.concatenate([turned, x[..., part:]], -1)


def attention(p):
    """q, k, v [B,4,N,8], two heads of keys, a cache of 3, masks with rows that see nothing."""
    shapes = {"q": (B, 4, N, 8), "k": (B, 2, N, 8), "v": (B, 2, N, 6), "f": (B, N, 16),
              "pk": (B, 2, 3, 8), "pv": (B, 2, 3, 6), "c": (B, N, 4)}
    for name, shape in shapes.items():
        p.input(name, draw.floats("onnx.a." + name, shape).astype(np.float32) * 2,
                ["B", *[{N: "N"}.get(size, size) for size in shape[1:]]])
    mask = draw.floats("onnx.a.m", (N, N)) > 0
    mask[1] = False
    p.input("m", mask, ["N", "N"])
    p.input("b", draw.floats("onnx.a.b", (4, N, N)).astype(np.float32), [4, "N", "N"])
    p.input("n", longs(2, N), ["B"])
    p.input("s", np.arange(B * N).reshape(B, N).astype(np.int64) % 7, ["B", "N"])

    def case(*operands, **options):
        names = {"heads": None, "causal": "is_causal", "left": "left_window_size",
                 "right": "right_window_size", "mode": "qk_matmul_output_mode"}
        attributes = {names.get(key, key): value for key, value in options.items()
                      if names.get(key, key)}
        if "heads" in options:
            attributes["q_num_heads"], attributes["kv_num_heads"] = options["heads"][:2]
        results = 4 if "mode" in options else 1

        def ref(*arrays):
            made = attend(*arrays, **options)
            return made if results > 1 else made[0]

        made = p.value("Attention", *operands, ref=ref, results=results, **attributes)
        for name in made[::3] if results > 1 else [made]:
            p.expected[name] = p.arrays[name].astype(np.float32)

    case("q", "k", "v")
    case("q", "k", "v", causal=True)
    case("q", "k", "v", "m")
    case("q", "k", "v", "b", causal=True, softcap=1.5, scale=0.7)
    case("f", "f", "f", heads=(2, 2, 2))
    case("q", "k", "v", left=1, right=2)
    case("q", "k", "v", None, None, None, "n", causal=True)
    case("q", "k", "v", None, None, None, "n", left=1)
    for mode in range(4):
        if mode != 2:
            case("q", "k", "v", "m", softcap=2.0, mode=mode)
    case("q", "k", "v", "b", softcap=2.0, mode=2)
    p.out("Attention", "q", "k", "v", softmax_precision=11, ref=lambda *all: attend(*all)[0])
    past = p.value("Attention", "q", "k", "v", None, "pk", "pv", is_causal=1, results=3,
                   ref=lambda *all: attend(*all, causal=True)[:3])
    p.expected[past[0]] = p.arrays[past[0]].astype(np.float32)
    total(p, past[1], 2)
    p.out("RotaryEmbedding", "q", "c", "c", ref=turn)
    table = draw.floats("onnx.a.t", (7, 3)).astype(np.float32)
    p.out("RotaryEmbedding", "q", table, table, "s", interleaved=1, rotary_embedding_dim=6,
          ref=lambda x, c, s, i: turn(x, c[i], s[i], True, 6))
    p.out("RotaryEmbedding", "f", "c", "c", num_heads=2,
          ref=lambda x, c, s: turn(x.reshape(B, N, 2, 8).transpose(0, 2, 1, 3), c, s)
          .transpose(0, 2, 1, 3).reshape(B, N, 16))


def written(cache, rows, start, axis, wraps=False):
    """A cache with rows from a position on in each batch row."""
    cache = cache.copy()
    for b in range(len(cache)):
        places = start[b] + np.arange(rows.shape[axis])
        places = places % cache.shape[axis] if wraps else places
        np.moveaxis(cache[b], axis - 1, 0)[places] = np.moveaxis(rows[b], axis - 1, 0)
    return cache


def caches(p):
    inputs(p)
    p.input("at", longs(1, N), ["B"])
    # Of a cache that the graph makes itself the value is a result.
    cache = p.value("Concat", "x", "y", "x", axis=1, ref=lambda *all: np.concatenate(all, 1))
    p.out("TensorScatter", cache, "x", "at", axis=1, ref=lambda c, x, s: written(c, x, s, 1))
    p.out("TensorScatter", cache, "x", ref=lambda c, x: written(c, x, longs(0, 0), 1))
    # Of the second batch row the last place, from which on others come to the beginning.
    twice = p.value("Mul", "at", np.array(2), ref=np.multiply)
    late = p.value("Add", twice, np.array(N - 1), ref=np.add)
    p.out("TensorScatter", cache, "x", late, mode="circular",
          ref=lambda c, x, s: written(c, x, s, 1, True))
    apart = longs(0, 0, 2, 3)
    wide = p.value("Reshape", cache, apart, ref=lambda c, s: c.reshape(B, -1, 2, 3))
    rows = p.value("Reshape", "x", apart, ref=lambda x, s: x.reshape(B, N, 2, 3))
    turned = p.value("Transpose", wide, perm=[0, 2, 1, 3], ref=lambda c: c.transpose(0, 2, 1, 3))
    new = p.value("Transpose", rows, perm=[0, 2, 1, 3], ref=lambda c: c.transpose(0, 2, 1, 3))
    p.out("TensorScatter", turned, new, "at", ref=lambda c, x, s: written(c, x, s, 2))


FAMILIES = {"pointwise": pointwise, "comparisons": comparisons, "views": views, "sums": sums,
            "products": products, "sizes": sizes, "attention": attention,
            "caches": caches}
