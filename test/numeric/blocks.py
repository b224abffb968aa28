# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares blocks of transformers with NumPy in f64."""

import math
import os
import subprocess
import sys

import numpy as np

from linalg_graph import numbers, rounded

# What results may be off by, relative to the largest.
LIMITS = {"f32": 2.0**-17, "f16": 2.0**-7, "bf16": 2.0**-4}


class Graph:
    """The text of a function, op by op. Letters name dims and loops; dims of
    those in `opened` are known at run time only."""

    def __init__(self, sizes, dtype, opened):
        self.sizes, self.dtype, self.opened = sizes, dtype, opened
        self.draw = np.random.default_rng(3)
        self.arguments, self.lines, self.arrays = [], [], {}
        self.tensors, self.dims = {}, {}

    def type(self, letters, dtype=None):
        return "tensor<" + "".join(f"{'?' if c in self.opened else self.sizes[c]}x"
                                   for c in letters) + f"{dtype or self.dtype}>"

    def of(self, name):
        return self.type(*self.tensors[name])

    def size(self, letter):
        return self.dims[letter] if letter in self.opened else str(self.sizes[letter])

    def named(self, name, letters):
        dims = ", ".join(f'"{c.upper()}"' for c in letters if c in self.opened)
        return f'attn.name = "{name}"' + (f", attn.dims = [{dims}]" if dims else "")

    def argument(self, name, letters, dtype=None, array=None, terms=1, limits=None):
        """Standard normal over the root of `terms`, where there is no `array`."""
        dtype = dtype or self.dtype
        attributes = self.named(name, letters) + (
            f", attn.range = [{limits}]" if limits else "")
        self.arguments.append(f"%{name}: {self.type(letters, dtype)} {{{attributes}}}")
        self.tensors[name] = (letters, dtype)
        if array is None:
            array = self.draw.standard_normal([self.sizes[c] for c in letters]) / terms**.5
        self.arrays[name] = rounded(array, dtype)
        for i, c in enumerate(letters):
            if c in self.opened and c not in self.dims:
                self.lines += [f"%at_{c} = arith.constant {i} : index",
                               f"%size_{c} = tensor.dim %{name}, %at_{c} : {self.of(name)}"]
                self.dims[c] = f"%size_{c}"
        return name

    def emit(self, text, letters, dtype=None):
        name = f"v{len(self.lines)}"
        self.lines.append(f"%{name} = {text}")
        self.tensors[name] = (letters, dtype or self.dtype)
        return name

    def number(self, value, dtype=None):
        return "%" + self.emit(f"arith.constant {value} : {dtype or self.dtype}", "", dtype)

    def empty(self, letters, start=None, dtype=None):
        sizes = ", ".join(self.size(c) for c in letters if c in self.opened)
        kind = self.type(letters, dtype)
        name = self.emit(f"tensor.empty({sizes}) : {kind}", letters, dtype)
        if start is None:
            return name
        number = self.number(start, dtype)
        return self.emit(f"linalg.fill ins({number} : {dtype or self.dtype}) "
                         f"outs(%{name} : {kind}) -> {kind}", letters, dtype)

    def op(self, result, inputs, body, start=None, dtype=None):
        """`body` gets %0, %1 .. and %o; a line `NAME = OP OPERANDS` is an op of
        the element type, and the last is what it yields."""
        loops = result + "".join(sorted(
            {c for _, letters in inputs for c in letters} - set(result)))
        out = self.empty(result, start, dtype)
        maps = [f"affine_map<({', '.join(loops)}) -> ({', '.join(at)})>"
                for at in [at for _, at in inputs] + [result]]
        kinds = ", ".join('"parallel"' if c in result else '"reduction"' for c in loops)
        args = [f"%{i}: {self.tensors[name][1]}" for i, (name, _) in enumerate(inputs)]
        *steps, last = [line.strip() for line in body.strip().split("\n")]
        steps = [step if " : " in step else f"{step} : {self.dtype}" for step in steps]
        return self.emit(
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} "
            f"ins({', '.join('%' + name for name, _ in inputs)} : "
            f"{', '.join(self.of(name) for name, _ in inputs)}) outs(%{out} : {self.of(out)}) {{\n"
            f"  ^bb0({', '.join(args + [f'%o: {dtype or self.dtype}'])}):\n    "
            + "\n    ".join(steps) + f"\n    linalg.yield {last} : {dtype or self.dtype}\n"
            f"  }} -> {self.of(out)}", result, dtype)

    def product(self, form, left, right, init=None):
        inputs, result = form.split("->")
        at = [*inputs.split(","), result]
        loops = result + "".join(sorted(set(inputs) - set(result) - {","}))
        init = init or self.empty(result, "0.0")
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(each)})>"
                         for each in at)
        return self.emit(f"linalg.contract indexing_maps = [{maps}] ins(%{left}, %{right} : "
                         f"{self.of(left)}, {self.of(right)}) outs(%{init} : {self.of(init)}) "
                         f"-> {self.of(init)}", result)

    def part(self, letters, first, step):
        """Where every `step`th element of the last dim lies, from `first` on."""
        rank = len(letters)
        return (f"[{', '.join(['0'] * (rank - 1) + [str(first)])}]"
                f"[{', '.join(self.size(c) for c in letters)}]"
                f"[{', '.join(['1'] * (rank - 1) + [str(step)])}]")

    def take(self, whole, letters, first, step):
        return self.emit(f"tensor.extract_slice %{whole}{self.part(letters, first, step)} : "
                         f"{self.of(whole)} to {self.type(letters)}", letters)

    def put(self, piece, whole, first, step):
        at = self.part(self.tensors[piece][0], first, step)
        return self.emit(f"tensor.insert_slice %{piece} into %{whole}{at} : {self.of(piece)} "
                         f"into {self.of(whole)}", self.tensors[whole][0])

    def join(self, dim, pieces, letters):
        return self.emit(f"tensor.concat dim({dim}) {', '.join('%' + name for name in pieces)} : "
                         f"({', '.join(self.of(name) for name in pieces)}) -> "
                         f"{self.type(letters)}", letters)

    def spread(self, row, letters):
        out = self.empty(letters)
        dims = ", ".join(str(i) for i in range(len(letters) - 1))
        return self.emit(f"linalg.broadcast ins(%{row} : {self.of(row)}) outs(%{out} : "
                         f"{self.of(out)}) dimensions = [{dims}]", letters)

    def attention(self, q, k, v, clause=""):
        return self.emit(f"attn.softmax %{q}, %{k}, %{v} {clause} : ({self.of(q)}, {self.of(k)}, "
                         f"{self.of(v)}) -> {self.of(q)}", self.tensors[q][0])

    def text(self, result):
        letters = self.tensors[result][0]
        return (f"func.func @f({', '.join(self.arguments)}) -> "
                f"({self.of(result)} {{{self.named('r', letters)}}}) {{\n  "
                + "\n  ".join(self.lines) + f"\n  return %{result} : {self.of(result)}\n}}\n")

def attention(q, k, v, sees):
    k, v = (np.repeat(each, q.shape[1] // each.shape[1], 1) for each in (k, v))
    scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    weights = np.exp(np.where(sees, scores, -np.inf) - scores.max(-1, keepdims=True))
    return np.einsum("bhij,bhjd->bhid", weights / weights.sum(-1, keepdims=True), v)

def scale_norm(g, x, gain):
    count, small = g.number(float(g.sizes["d"])), g.number("1.0e-5")
    squares = g.op("bn", [(x, "bnd")], "%1 = arith.mulf %0, %0\n%2 = arith.addf %o, %1\n%2", "0.0")
    return g.op("bnd", [(x, "bnd"), (squares, "bn"), (gain, "d")], f"""
        %3 = arith.divf %1, {count}
        %4 = arith.addf %3, {small}
        %5 = math.rsqrt %4
        %6 = arith.mulf %0, %5
        %7 = arith.mulf %6, %2
        %7""")

def scale_normed(x, gain):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * gain

def layer_norm(g, x, gain, bias):
    count, small = g.number(float(g.sizes["d"])), g.number("1.0e-5")
    total = g.op("bn", [(x, "bnd")], "%1 = arith.addf %o, %0\n%1", "0.0")
    squares = g.op("bn", [(x, "bnd"), (total, "bn")], f"""
        %2 = arith.divf %1, {count}
        %3 = arith.subf %0, %2
        %4 = arith.mulf %3, %3
        %5 = arith.addf %o, %4
        %5""", "0.0")
    return g.op("bnd", [(x, "bnd"), (total, "bn"), (squares, "bn"), (gain, "d"), (bias, "d")], f"""
        %5 = arith.divf %1, {count}
        %6 = arith.divf %2, {count}
        %7 = arith.addf %6, {small}
        %8 = math.rsqrt %7
        %9 = arith.subf %0, %5
        %10 = arith.mulf %9, %8
        %11 = arith.mulf %10, %3
        %12 = arith.addf %11, %4
        %12""")

def layer_normed(x, gain, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias

def rotate(g, x, letters, pairs):
    """Features and those `pairs` says, turned by angles of their positions."""
    half, step = letters[:-1] + "r", 2 if pairs == "neighbours" else 1
    second = 1 if pairs == "neighbours" else g.sizes["r"]
    left, right = g.take(x, half, 0, step), g.take(x, half, second, step)
    inputs = [(left, half), (right, half), ("cos", "nr"), ("sin", "nr")]
    turned = [g.op(half, inputs, f"%4 = arith.mulf %0, %{a}\n%5 = arith.mulf %1, %{b}\n"
                   f"%6 = arith.{c} %4, %5\n%6") for a, b, c in ((2, 3, "subf"), (3, 2, "addf"))]
    if pairs == "halves":
        return g.join(3, turned, letters)
    return g.put(turned[1], g.put(turned[0], g.empty(letters), 0, step), second, step)

def rotated(x, cos, sin, pairs):
    at = ((slice(0, None, 2), slice(1, None, 2)) if pairs == "neighbours" else
          (slice(0, x.shape[-1] // 2), slice(x.shape[-1] // 2, None)))
    left, right = (x[..., each] for each in at)
    x = np.empty_like(x)
    x[..., at[0]], x[..., at[1]] = left * cos - right * sin, left * sin + right * cos
    return x

def decoder(g, pairs):
    """Grouped heads, rotated, and a gated layer, each added to what it is of."""
    s = g.sizes
    angles = np.arange(s["n"])[:, None] * 100.0**-(np.arange(s["r"]) / s["r"])
    g.argument("x", "bnd")
    g.argument("cos", "nr", array=np.cos(angles))
    g.argument("sin", "nr", array=np.sin(angles))
    for name, letters, terms in (
            ("g1", "d", 1), ("g2", "d", 1), ("wq", "dhe", s["d"]), ("wk", "dke", s["d"]),
            ("wv", "dke", s["d"]), ("wo", "hed", s["h"] * s["e"]), ("w1", "df", s["d"]),
            ("w2", "df", s["d"]), ("w3", "fd", s["f"])):
        g.argument(name, letters, terms=terms)
    y, one = scale_norm(g, "x", "g1"), g.number("1.0")
    q, k = (rotate(g, g.product(f"bnd,d{c}e->b{c}ne", y, w), f"b{c}ne", pairs)
            for c, w in (("h", "wq"), ("k", "wk")))
    o = g.attention(q, k, g.product("bnd,dke->bkne", y, "wv"), "causal")
    x = g.product("bhne,hed->bnd", o, "wo", init="x")
    y = scale_norm(g, x, "g2")
    both = [(g.product("bnd,df->bnf", y, w), "bnf") for w in ("w1", "w2")]
    y = g.op("bnf", both, f"%2 = arith.negf %0\n%3 = math.exp %2\n%4 = arith.addf %3, {one}\n"
             "%5 = arith.divf %0, %4\n%6 = arith.mulf %5, %1\n%6")
    change = g.product("bnf,fd->bnd", y, "w3")

    def numpy(x, cos, sin, g1, g2, wq, wk, wv, wo, w1, w2, w3):
        y, at = scale_normed(x, g1), np.arange(x.shape[1])
        q, k, v = (np.einsum("bnd,dhe->bhne", y, w) for w in (wq, wk, wv))
        q, k = (rotated(each, cos, sin, pairs) for each in (q, k))
        x = x + np.einsum("bhne,hed->bnd", attention(q, k, v, at <= at[:, None]), wo)
        y = scale_normed(x, g2)
        return x + (y @ w1 / (1 + np.exp(-y @ w1)) * (y @ w2)) @ w3
    return g.emit(f"arith.addf %{x}, %{change} : {g.of(x)}", "bnd"), numpy

def images(g, gelu):
    """Patches and a token of the class, a block, and scores of the classes."""
    s = g.sizes
    for name, letters, terms in (
            ("im", "byxc", 1), ("patch", "pqcd", s["p"]**2 * s["c"]), ("token", "zd", 1),
            ("place", "nd", 1), ("g1", "d", 1), ("b1", "d", 1), ("wq", "dhe", s["d"]),
            ("wk", "dhe", s["d"]), ("wv", "dhe", s["d"]), ("wo", "hed", s["h"] * s["e"]),
            ("g2", "d", 1), ("b2", "d", 1), ("w1", "df", s["d"]), ("c1", "f", 1),
            ("w2", "fd", s["f"]), ("c2", "d", 1), ("w3", "do", s["d"]), ("c3", "o", 1)):
        g.argument(name, letters, terms=terms)
    zeros = g.empty("bijd", "0.0")
    x = g.emit("linalg.conv_2d_nhwc_hwcf {strides = dense<" + str(s["p"]) + "> : tensor<2xi64>, "
               "dilations = dense<1> : tensor<2xi64>} ins(%im, %patch : "
               f"{g.of('im')}, {g.of('patch')}) outs(%{zeros} : {g.of(zeros)}) -> {g.of(zeros)}",
               "bijd")
    x = g.emit(f"tensor.collapse_shape %{x} [[0], [1, 2], [3]] : {g.of(x)} into {g.type('bmd')}",
               "bmd")
    x = g.join(1, [g.op("bzd", [("token", "zd")], "%0"), x], "bnd")
    x = g.op("bnd", [(x, "bnd"), ("place", "nd")], "%2 = arith.addf %0, %1\n%2")
    y = layer_norm(g, x, "g1", "b1")
    o = g.attention(*(g.product("bnd,dhe->bhne", y, w) for w in ("wq", "wk", "wv")))
    x = g.product("bhne,hed->bnd", o, "wo", init=x)
    y = g.product("bnd,df->bnf", layer_norm(g, x, "g2", "b2"), "w1", init=g.spread("c1", "bnf"))
    half, one = g.number("0.5"), g.number("1.0")
    if gelu == "erf":
        root = g.number("0.7071067811865476")
        body = f"%3 = arith.mulf %0, {root}\n%4 = math.erf %3\n"
    else:
        root, cube = g.number("0.7978845608028654"), g.number("0.044715")
        body = (f"%1 = arith.mulf %0, %0\n%2 = arith.mulf %1, %0\n%5 = arith.mulf %2, {cube}\n"
                f"%6 = arith.addf %5, %0\n%3 = arith.mulf %6, {root}\n%4 = math.tanh %3\n")
    y = g.op("bnf", [(y, "bnf")], body + f"%7 = arith.addf %4, {one}\n%8 = arith.mulf %7, {half}\n"
             "%9 = arith.mulf %8, %0\n%9")
    change = g.product("bnf,fd->bnd", y, "w2", init=g.spread("c2", "bnd"))
    x, count = g.emit(f"arith.addf %{x}, %{change} : {g.of(x)}", "bnd"), g.number(float(s["n"]))
    mean = g.op("bd", [(x, "bnd")], f"%1 = arith.divf %0, {count}\n%2 = arith.addf %o, %1\n%2",
                "0.0")

    def numpy(im, patch, token, place, g1, b1, wq, wk, wv, wo, g2, b2, w1, c1, w2, c2, w3, c3):
        parts = im.reshape(-1, s["i"], s["p"], s["j"], s["q"], s["c"])
        x = np.einsum("bipjqc,pqcd->bijd", parts, patch).reshape(len(im), -1, s["d"])
        x = np.concatenate([np.broadcast_to(token, (len(im), 1, s["d"])), x], 1) + place
        y = layer_normed(x, g1, b1)
        q, k, v = (np.einsum("bnd,dhe->bhne", y, w) for w in (wq, wk, wv))
        x = x + np.einsum("bhne,hed->bnd", attention(q, k, v, True), wo)
        y = layer_normed(x, g2, b2) @ w1 + c1
        bend = (np.vectorize(math.erf)(y / np.sqrt(2)) if gelu == "erf" else
                np.tanh(np.sqrt(2 / np.pi) * (y + .044715 * y**3)))
        return (x + y * .5 * (1 + bend) @ w2 + c2).mean(1) @ w3 + c3
    return g.product("bd,do->bo", mean, "w3", init=g.spread("c3", "bo")), numpy

def padded(g, how):
    """Attention to what another network made, behind whose ends is padding."""
    s = g.sizes
    ends = g.draw.integers(1, s["m"] + 1, s["b"])
    sees = np.arange(s["m"]) < ends[:, None]
    for name, letters, terms in (
            ("x", "bnd", 1), ("memory", "bmd", 1), ("g1", "d", 1), ("b1", "d", 1),
            ("wq", "dhe", s["d"]), ("wk", "dke", s["d"]), ("wv", "dke", s["d"]),
            ("wo", "hed", s["h"] * s["e"])):
        g.argument(name, letters, terms=terms)
    if how == "lengths":
        g.argument("ends", "b", "i64", array=ends,
                   limits="0, " + ('"M"' if "m" in g.opened else str(s["m"])))
        clause = f"lengths(%ends : {g.of('ends')})"
    else:
        g.argument("tokens", "bm", "i64", array=np.where(sees, 7, 0), limits="0, 9")
        none = g.number(0, "i64")
        mask = g.op("bzwm", [("tokens", "bm")], f"%1 = arith.cmpi ne, %0, {none} : i64\n%1",
                    dtype="i1")
        clause = f"mask(%{mask} : {g.of(mask)})"
    q = g.product("bnd,dhe->bhne", layer_norm(g, "x", "g1", "b1"), "wq")
    k, v = (g.product("bmd,dke->bkme", "memory", w) for w in ("wk", "wv"))
    o = g.attention(q, k, v, clause)

    def numpy(x, memory, g1, b1, wq, wk, wv, wo, _):
        q = np.einsum("bnd,dhe->bhne", layer_normed(x, g1, b1), wq)
        k, v = (np.einsum("bmd,dhe->bhme", memory, w) for w in (wk, wv))
        return x + np.einsum("bhne,hed->bnd", attention(q, k, v, sees[:, None, None]), wo)
    return g.product("bhne,hed->bnd", o, "wo", init="x"), numpy

# Sizes by letter, and which of them are open.
DECODERS = [(dict(b=2, n=37, d=52, h=6, k=2, e=10, r=5, f=91), ""),
            (dict(b=1, n=130, d=64, h=4, k=1, e=16, r=8, f=172), "bn"),
            (dict(b=3, n=1, d=33, h=2, k=2, e=8, r=4, f=40), "bn")]
IMAGES = [(dict(b=2, c=3, p=4, q=4, i=3, j=5, y=12, x=20, m=15, n=16, d=33, h=3, e=11, f=70,
                o=10, z=1), ""),
          (dict(b=1, c=3, p=8, q=8, i=7, j=6, y=56, x=48, m=42, n=43, d=64, h=4, e=16, f=128,
                o=37, z=1), "b")]
PADDED = [(dict(b=3, n=19, m=41, d=52, h=4, k=2, e=13, z=1, w=1), ""),
          (dict(b=2, n=1, m=150, d=64, h=4, k=4, e=16, z=1, w=1), "bnm")]
BLOCKS = [(decoder, "halves", DECODERS), (decoder, "neighbours", DECODERS),
          (images, "erf", IMAGES), (images, "tanh", IMAGES),
          (padded, "lengths", PADDED), (padded, "mask", PADDED)]

def check(graph, block, edition, folder, compiler, runner, target):
    """What is wrong with a block, or nothing."""
    result, numpy = block(graph, edition)
    source, artifact = f"{folder}/f.mlir", f"{folder}/f.so"
    with open(source, "w", encoding="ascii") as file:
        file.write(graph.text(result))
    made = subprocess.run([compiler, source, f"--target={target}", "-o", artifact],
                          check=False, capture_output=True, text=True)
    if made.returncode:
        return made.stderr
    np.savez(f"{folder}/in.npz", **{name: held for name, (held, _) in graph.arrays.items()})
    runs = []
    for threads in ("1", "2"):
        subprocess.run([runner, artifact, f"--inputs={folder}/in.npz", "--guard",
                        f"--output=r={folder}/r.npy"], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"OMP_NUM_THREADS": threads})
        runs.append(np.load(f"{folder}/r.npy"))
    if runs[0].tobytes() != runs[1].tobytes():
        return "two threads give other bits than one"
    right = numpy(*(exact.astype(np.float64) for _, exact in graph.arrays.values()))
    worst = np.max(np.abs(numbers(runs[0]) - right)) / np.max(np.abs(right))
    return "" if worst <= LIMITS[graph.dtype] else f"an error of {worst:.2e} of the largest result"

def main():
    bad = 0
    for number, (block, edition, sizes) in enumerate(BLOCKS):
        small, other = ("f16", "bf16")[::1 if number % 2 else -1]
        for target, dtype, case in (("native", "f32", 0), ("x86-64-v3", "f32", -1),
                                    ("native", small, 1), ("x86-64-v3", other, 0)):
            graph = Graph(sizes[case][0], dtype, sizes[case][1])
            if wrong := check(graph, block, edition, *sys.argv[1:4], target):
                bad += 1
                print(f"{block.__name__} {edition} {dtype} {target} {sizes[case]}: {wrong}")
    print(f"{len(BLOCKS)} blocks, {bad} wrong")
    sys.exit(bad != 0)

main()
