# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what rows go through with NumPy in f64."""

import os
import subprocess
import sys

import numpy as np

from linalg_graph import Graph, numbers
from norms import layer_norm, normed

# Sizes by letter: rows of more than a vector and of less; some 1.
SIZES = [dict(b=2, n=5, h=3, d=37, v=11, k=3, w=40), dict(b=1, n=70, h=2, d=8, v=130, k=1, w=9),
         dict(b=3, n=33, h=1, d=128, v=16, k=2, w=19),
         dict(b=1, n=2, h=2, d=4100, v=9, k=1, w=33)]
LIMITS = {"f32": 2.0**-18, "f16": 2.0**-8, "bf16": 2.0**-5}


# Each form makes a graph and says its results, and what they are in NumPy.

def residual_norm(g):
    x, y = g.argument("bnd"), g.argument("bnd")
    s = g.op("bnd", [(x, "bnd"), (y, "bnd")], f"%2 = arith.addf %0, %1 : {g.dtype}\n%2")
    n = layer_norm(g, s)
    return [s, n], lambda a, b, c, d: (a + b, normed(a + b, c, d))


def embedding_norm(g):
    tokens, table = g.argument("bn", "i64", below="v"), g.argument("vd")
    x = g.op("bnd", [(tokens, "bn")], f"""
        %1 = arith.index_cast %0 : i64 to index
        %2 = linalg.index 2 : index
        %3 = tensor.extract %{table}[%1, %2] : {g.type("vd", g.dtype)}
        %3""")
    n = layer_norm(g, x)
    return [x, n], lambda a, b, c, d: (b[a.astype(int)], normed(b[a.astype(int)], c, d))


def mean_apart(g):
    t, x = g.dtype, g.argument("bnd")
    count = g.number(float(g.sizes["d"]))
    total = g.op("bn", [(x, "bnd")], f"%1 = arith.addf %0, %o : {t}\n%1", start=0.0)
    mean = g.op("bn", [(total, "bn")], f"%1 = arith.divf %0, {count} : {t}\n%1")
    y = g.op("bnd", [(x, "bnd"), (mean, "bn")], f"%2 = arith.subf %0, %1 : {t}\n%2")
    return [y, mean], lambda a: (a - a.mean(-1, keepdims=True), a.mean(-1))


def softmax(g):
    t, x = g.dtype, g.argument("bhnd")
    low = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[t]
    most = g.op("bhn", [(x, "bhnd")], f"%1 = arith.maximumf %0, %o : {t}\n%1", start=low)
    weights = g.op("bhnd", [(x, "bhnd"), (most, "bhn")],
                   f"%2 = arith.subf %0, %1 : {t}\n%3 = math.exp %2 : {t}\n%3")
    total = g.op("bhn", [(weights, "bhnd")], f"%1 = arith.addf %o, %0 : {t}\n%1", start=0.0)
    y = g.op("bhnd", [(weights, "bhnd"), (total, "bhn")], f"%2 = arith.divf %0, %1 : {t}\n%2")

    def numpy(a):
        weights = np.exp(a - a.max(-1, keepdims=True))
        return (weights / weights.sum(-1, keepdims=True),)
    return [y], numpy


def two_rows(g):
    """Two rows that are handed on, both of which the last op reads."""
    t, x = g.dtype, g.argument("bnd")
    e = g.op("bnd", [(x, "bnd")], f"%1 = math.exp %0 : {t}\n%1")
    s = g.op("bn", [(e, "bnd")], f"%1 = arith.addf %o, %0 : {t}\n%1", start=0.0)
    u = g.op("bnd", [(e, "bnd"), (s, "bn")], f"%2 = arith.divf %0, %1 : {t}\n%2")
    m = g.op("bn", [(u, "bnd")], f"%1 = arith.maximumf %o, %0 : {t}\n%1", start=0.0)
    y = g.op("bnd", [(u, "bnd"), (m, "bn"), (e, "bnd")],
             f"%3 = arith.divf %0, %1 : {t}\n%4 = arith.addf %3, %2 : {t}\n%4")

    def numpy(a):
        e = np.exp(a)
        return (e / e.max(-1, keepdims=True) + e,)
    return [y], numpy


def argmax(g):
    t, x = g.dtype, g.argument("nv")
    low = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[t]
    return g.op("n", [(x, "nv")], f"""
        %1 = linalg.index 1 : index
        %2 = arith.index_cast %1 : index to i64
        %3 = arith.cmpf ogt, %0, %o0 : {t}
        %4 = arith.select %3, %0, %o0 : {t}
        %5 = arith.select %3, %2, %o1 : i64
        %4, %5""", start=[low, 0], dtype=[t, "i64"]), \
        lambda a: (a.max(-1), a.argmax(-1))


def same(g, result):
    x = g.argument("bnhd")
    return [g.op(result, [(x, "bnhd")], "%0", loops=result)]


def heads_first(g):
    return same(g, "bhnd"), lambda a: (a.transpose(0, 2, 1, 3),)


def turned(g):
    return same(g, "bhdn"), lambda a: (a.transpose(0, 2, 3, 1),)


def turned_pair(g):
    """Two operands whose columns are rows of the result, in two orders."""
    x, y, z = g.argument("bdw"), g.argument("bwd"), g.argument("dbw")
    return [g.op("bwd", [(x, "bdw"), (y, "bwd"), (z, "dbw")], f"""
        %3 = arith.mulf %0, %1 : {g.dtype}
        %4 = arith.addf %3, %2 : {g.dtype}
        %4""")], lambda a, b, c: (a.transpose(0, 2, 1) * b + c.transpose(1, 2, 0),)


def turned_sum(g):
    x = g.argument("bnd")
    return [g.op("db", [(x, "bnd")], f"%1 = arith.addf %0, %o : {g.dtype}\n%1", start=1.0)], \
        lambda a: (a.sum(1).T + 1,)


def column_mean(g):
    x, count = g.argument("bnd"), g.number(float(g.sizes["n"]))
    t = g.dtype
    total = g.op("bd", [(x, "bnd")], f"%1 = arith.addf %0, %o : {t}\n%1", start=0.0)
    return [g.op("bd", [(total, "bd")], f"%1 = arith.divf %0, {count} : {t}\n%1")], \
        lambda a: (a.mean(1),)


def all_but_first(g):
    x = g.argument("bnd")
    return [g.op("b", [(x, "bnd")], f"%1 = arith.addf %o, %0 : {g.dtype}\n%1", start=2.0)], \
        lambda a: (a.sum((1, 2)) + 2,)


def whole_sum(g):
    x = g.argument("nd", "i32")
    return [g.op("", [(x, "nd")], "%1 = arith.addi %0, %o : i32\n%1", start=-7, dtype="i32",
                 loops="nd")], lambda a: (a.sum() - 7,)


def window_max(g):
    """Windows of k rows, each two rows after the one before."""
    if g.is_open:
        return None
    g.sizes = g.sizes | dict(r=2 * (g.sizes["n"] - 1) + g.sizes["k"])
    x, window = g.argument("brd"), g.argument("k")
    low = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[g.dtype]
    y = g.op("bnd", [(x, ["b", "n * 2 + k", "d"]), (window, "k")],
             f"%2 = arith.maximumf %0, %o : {g.dtype}\n%2", start=low, loops="bnkd")
    n, k = g.sizes["n"], g.sizes["k"]
    return [y], lambda a, _: (np.stack([a[:, 2 * i:2 * i + k].max(1) for i in range(n)], 1),)


def gate(g):
    t, one = g.dtype, g.number(1.0)
    x, y, scale, bias = (g.argument(letters) for letters in ("bnd", "bnd", "bn", "d"))
    z = g.op("bnd", [(x, "bnd"), (y, "bnd"), (scale, "bn"), (bias, "d")], f"""
        %4 = arith.negf %0 : {t}
        %5 = math.exp %4 : {t}
        %6 = arith.addf %5, {one} : {t}
        %7 = arith.divf %0, %6 : {t}
        %8 = arith.mulf %7, %1 : {t}
        %9 = arith.mulf %8, %2 : {t}
        %10 = arith.addf %9, %3 : {t}
        %10""")
    return [z], lambda a, b, c, d: (a / (1 + np.exp(-a)) * b * c[..., None] + d,)


def picked(g, index):
    """x at rows and lanes moved by one, around."""
    x = g.argument("bnd")
    rows, lanes, one = g.size("n"), g.size("d"), g.number(1, "index")
    kind = g.type("bnd", g.dtype)
    return [g.op("bnd", [(x, "bnd")], f"""
        %1 = linalg.index 0 : index
        %2 = linalg.index 1 : index
        %3 = linalg.index 2 : index
        %4 = arith.addi %2, {one} : index
        %5 = arith.remui %4, {rows} : index
        %6 = affine.apply affine_map<(d)[s] -> ((d + 1) mod s)>(%3)[{lanes}]
        %7 = tensor.extract %{x}[%1, {index}] : {kind}
        %8 = arith.addf %7, %0 : {g.dtype}
        %8""")]


def rolled_rows(g):
    return picked(g, "%5, %3"), lambda a: (np.roll(a, -1, 1) + a,)


def rolled_lanes(g):
    return picked(g, "%2, %6"), lambda a: (np.roll(a, -1, 2) + a,)


def picked_turned(g):
    """x[b, d, n] where n and d of the result stand, one element at a time."""
    x, like = g.argument("bdn"), g.argument("bnd")
    return [g.op("bnd", [(like, "bnd")], f"""
        %1 = linalg.index 0 : index
        %2 = linalg.index 1 : index
        %3 = linalg.index 2 : index
        %4 = tensor.extract %{x}[%1, %3, %2] : {g.type("bdn", g.dtype)}
        %5 = arith.addf %4, %0 : {g.dtype}
        %5""")], lambda a, b: (a.transpose(0, 2, 1) + b,)


def masked(g):
    x, mask = g.argument("bnd"), g.argument("nd", "i1")
    other = g.number(-1.0)
    return [g.op("bnd", [(x, "bnd"), (mask, "nd")],
                 f"%2 = arith.select %1, %0, {other} : {g.dtype}\n%2")], \
        lambda a, b: (np.where(b, a, -1),)


def times_vector(g):
    w, x, t = g.argument("nd"), g.argument("d"), g.dtype
    return [g.op("n", [(w, "nd"), (x, "d")],
                 f"%2 = arith.mulf %0, %1 : {t}\n%3 = arith.addf %o, %2 : {t}\n%3", start=0.0)], \
        lambda a, b: (a @ b,)


def vector_times(g):
    w, x, t = g.argument("nd"), g.argument("n"), g.dtype
    return [g.op("d", [(x, "n"), (w, "nd")],
                 f"%2 = arith.mulf %0, %1 : {t}\n%3 = arith.addf %o, %2 : {t}\n%3", start=0.0)], \
        lambda a, b: (b @ a,)


def squares(g):
    one, x = g.number(1, "i64"), g.argument("d", "i64")
    return [g.op("d", [(x, "d")], f"%1 = arith.muli %0, %0 : i64\n"
                 f"%2 = arith.addi %1, {one} : i64\n%2", dtype="i64")], \
        lambda a: (a * a + 1,)


def from_one(g):
    """Indices that begin with 1, and divisors that are not 0."""
    index, table = g.argument("n", "i64", below="v"), g.argument("vd")
    g.arrays[index] = (g.arrays[index][0] + 1,) * 2
    g.arguments[0] = g.arguments[0].replace(f"[0, {g.sizes['v'] - 1}]", f"[1, {g.sizes['v']}]")
    one, zero = g.number(1, "i64"), g.number(0, "index")
    y = g.op("n", [(index, "n")], f"""
        %1 = arith.subi %0, {one} : i64
        %2 = arith.index_cast %1 : i64 to index
        %3 = tensor.extract %{table}[%2, {zero}] : {g.type("vd", g.dtype)}
        %3""")
    z = g.op("n", [(index, "n")], "%1 = arith.divsi %0, %0 : i64\n%1", dtype="i64")
    return [y, z], lambda a, b: (b[a.astype(int) - 1, 0], np.ones_like(a))


# How many kernels each takes.
FORMS = {residual_norm: 1, embedding_norm: 1, mean_apart: 1, softmax: 1, two_rows: 1,
         argmax: 1,
         heads_first: 1, turned: 1, turned_pair: 1, turned_sum: 1, column_mean: 1,
         all_but_first: 1,
         whole_sum: 1, window_max: 1, gate: 1, rolled_rows: 1, rolled_lanes: 1,
         picked_turned: 1, masked: 1,
         times_vector: 1, vector_times: 1, squares: 1, from_one: 2}


def check(form, kernels, sizes, folder, compiler, runner, target, is_open, dtype):
    """What is wrong with a form, or nothing."""
    graph = Graph(sizes, dtype, is_open)
    made = form(graph)
    if made is None:
        return ""
    names, numpy = made
    source, artifact = f"{folder}/f.mlir", f"{folder}/f.so"
    with open(source, "w", encoding="ascii") as file:
        file.write(graph.text(names))
    made = subprocess.run([compiler, source, f"--target={target}", "--remarks", "-o", artifact],
                          check=False, capture_output=True, text=True)
    if made.returncode:
        return made.stderr
    if "[Missed] plain" in made.stderr:
        return "loops are left: " + made.stderr
    formed = subprocess.run([compiler, source, f"--target={target}", "--stop-after=bufferized"],
                            check=True, capture_output=True, text=True).stdout
    if formed.count("attn.kernel") != kernels:
        return f"{formed.count('attn.kernel')} kernels, not {kernels}"
    np.savez(f"{folder}/in.npz", **{name: held for name, (held, _) in graph.arrays.items()})
    runs = []
    for threads in ("1", "2"):
        outputs = [f"--output=r{i}={folder}/r{i}.npy" for i in range(len(names))]
        subprocess.run([runner, artifact, f"--inputs={folder}/in.npz", "--guard", *outputs],
                       check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"OMP_NUM_THREADS": threads})
        runs.append([np.load(f"{folder}/r{i}.npy") for i in range(len(names))])
    expected = numpy(*(exact.astype(np.float64) for _, exact in graph.arrays.values()))
    for one, two, right in zip(*runs, expected):
        if one.tobytes() != two.tobytes():
            return "two threads give other bits than one"
        scale = np.max(np.abs(right)) if one.dtype.kind in "fV" else 1
        limit = LIMITS[dtype] if one.dtype.kind in "fV" else 2.0**-60
        worst = np.max(np.abs(numbers(one) - right)) / scale
        if not worst <= limit:
            return f"an error of {worst:.2e} of the largest result"
    return ""


def main():
    folder, compiler, runner = sys.argv[1:4]
    wanted = sys.argv[4:]
    bad = 0
    for number, (form, kernels) in enumerate(FORMS.items()):
        if wanted and form.__name__ not in wanted:
            continue
        small = "f16" if number % 2 else "bf16"
        for case in (("native", True, "f32", 0), ("native", False, "f32", 1),
                     ("x86-64-v3", True, "f32", 2), ("native", False, "f32", 2),
                     ("native", True, "f32", 3),
                     ("native", True, small, 0), ("x86-64-v3", False, "bf16", 0)):
            *options, size = case
            wrong = check(form, kernels, SIZES[size], folder, compiler, runner, *options)
            if wrong:
                bad += 1
                target, is_open, dtype, _ = case
                print(f"{form.__name__} {dtype} {'open' if is_open else 'known'} {target} "
                      f"{SIZES[size]}: {wrong}")
    print(f"{len(FORMS)} forms, {bad} wrong")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
