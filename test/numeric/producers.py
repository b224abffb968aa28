# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares products whose kernels make the rows of their left side with NumPy
in f64, and bit by bit with the two kernels that they are without that."""

import os
import subprocess
import sys

import numpy as np

import cpu
from linalg_graph import Graph, numbers
from norms import layer_norm, normed

# Sizes by letter: rows that fill blocks and do not, one row, sums of more than
# a piece, of an odd number of terms, of less than a vector.
SIZES = [dict(b=2, n=35, h=3, e=24, d=37, k=70, v=11, t=2), dict(b=1, n=1, h=2, e=8, d=300, k=130, v=9, t=2),
         dict(b=3, n=50, h=2, e=65, d=128, k=64, v=16, t=2)]
# Relative to the largest result.
LIMITS = {"f32": 2.0**-18, "f16": 2.0**-8, "bf16": 2.0**-5}


def weights(g, letters):
    """A right side: a parameter, which callers may keep packed."""
    w = g.argument(letters)
    g.arguments[-1] = g.arguments[-1].replace("{", "{attn.parameter, ")
    return w


def product(g, x, left, letters, result):
    """The sums of products of `x` with weights, and relu of them."""
    w, t = weights(g, letters), g.dtype
    y = g.op(result, [(x, left), (w, letters)],
             f"%2 = arith.mulf %0, %1 : {t}\n%3 = arith.addf %o, %2 : {t}\n%3", start=0.0)
    zero = g.number(0.0)
    return g.op(result, [(y, result)], f"%1 = arith.maximumf %0, {zero} : {t}\n%1")


def relu(form, *arrays):
    return np.maximum(np.einsum(form, *arrays), 0)


# Each form gives its results, what they are in NumPy, and how many kernels there
# are if the product's kernel takes what it can.

def norm(g):
    y = product(g, layer_norm(g, g.argument("bnd")), "bnd", "dk", "bnk")
    return [y], lambda x, a, b, w: (relu("bnd,dk->bnk", normed(x, a, b), w),), 1


def rms(g):
    """Rows of squares, and two loops of lanes."""
    x, gain, t = g.argument("bnd"), g.argument("d"), g.dtype
    count, small = g.number(float(g.sizes["d"])), g.number("1.0e-5")
    squares = g.op("bn", [(x, "bnd")],
                   f"%1 = arith.mulf %0, %0 : {t}\n%2 = arith.addf %o, %1 : {t}\n%2", start=0.0)
    z = g.op("bnd", [(x, "bnd"), (squares, "bn"), (gain, "d")], f"""
        %3 = arith.divf %1, {count} : {t}
        %4 = arith.addf %3, {small} : {t}
        %5 = math.rsqrt %4 : {t}
        %6 = arith.mulf %0, %5 : {t}
        %7 = arith.mulf %6, %2 : {t}
        %7""")
    y = product(g, z, "bnd", "dhe", "bhne")
    return [y], lambda x, a, w: (relu(
        "bnd,dhe->bhne", x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * a, w),), 1


def gather(g):
    """Rows of a table."""
    tokens, table = g.argument("bn", "i64", below="v"), g.argument("vd")
    x = g.op("bnd", [(tokens, "bn")], f"""
        %1 = arith.index_cast %0 : i64 to index
        %2 = linalg.index 2 : index
        %3 = tensor.extract %{table}[%1, %2] : {g.type("vd", g.dtype)}
        %3""")
    y = product(g, x, "bnd", "kd", "bnk")
    return [y], lambda a, b, w: (relu("bnd,kd->bnk", b[a.astype(int)], w),), 1


def rotation(g):
    """Pairs of features, turned by an angle of their row; sums over both."""
    x, cosine, sine, t = g.argument("bnte"), g.argument("ne"), g.argument("ne"), g.dtype
    one = g.number(1, "index")
    z = g.op("bnte", [(x, "bnte"), (cosine, "ne"), (sine, "ne")], f"""
        %3 = linalg.index 0 : index
        %4 = linalg.index 1 : index
        %5 = linalg.index 2 : index
        %6 = linalg.index 3 : index
        %7 = arith.subi {one}, %5 : index
        %8 = tensor.extract %{x}[%3, %4, %7, %6] : {g.type("bnte", t)}
        %9 = arith.index_cast %5 : index to i64
        %10 = arith.sitofp %9 : i64 to {t}
        %11 = arith.addf %10, %10 : {t}
        %12 = arith.subf %11, {g.number(1.0)} : {t}
        %13 = arith.mulf %0, %1 : {t}
        %14 = arith.mulf %8, %2 : {t}
        %15 = arith.mulf %14, %12 : {t}
        %16 = arith.addf %13, %15 : {t}
        %16""")
    y = product(g, z, "bnte", "tek", "bnk")

    def numpy(x, c, s, w):
        turned = x * c[:, None] + x[:, :, ::-1] * s[:, None] * np.array([-1, 1])[:, None]
        return (relu("bnte,tek->bnk", turned, w),)
    return [y], numpy, 1


def softmax(g):
    """Weights of a row of scores, with values that differ from batch to batch."""
    t, x, w = g.dtype, g.argument("bhnd"), g.argument("bdhe")
    e = g.op("bhnd", [(x, "bhnd")], f"%1 = math.exp %0 : {t}\n%1")
    s = g.op("bhn", [(e, "bhnd")], f"%1 = arith.addf %o, %0 : {t}\n%1", start=0.0)
    z = g.op("bhnd", [(e, "bhnd"), (s, "bhn")], f"%2 = arith.divf %0, %1 : {t}\n%2")
    y = g.op("bnhe", [(z, "bhnd"), (w, "bdhe")],
             f"%2 = arith.mulf %0, %1 : {t}\n%3 = arith.addf %o, %2 : {t}\n%3", start=0.0)

    def numpy(x, w):
        e = np.exp(x)
        return (np.einsum("bhnd,bdhe->bnhe", e / e.sum(-1, keepdims=True), w),)
    return [y], numpy, 1


def residual(g):
    """The sum is read after the product, too: it stays a kernel."""
    x, y, t = g.argument("bnd"), g.argument("bnd"), g.dtype
    s = g.op("bnd", [(x, "bnd"), (y, "bnd")], f"%2 = arith.addf %0, %1 : {t}\n%2")
    z = product(g, layer_norm(g, s), "bnd", "dk", "bnk")
    return [s, z], lambda x, y, a, b, w: (
        x + y, relu("bnd,dk->bnk", normed(x + y, a, b), w)), 2


def two_readers(g):
    """Two products read a norm: it stays a kernel."""
    z = layer_norm(g, g.argument("bnd"))
    p, q = product(g, z, "bnd", "dk", "bnk"), product(g, z, "bnd", "dv", "bnv")
    return [p, q], lambda x, a, b, w, v: (
        relu("bnd,dk->bnk", normed(x, a, b), w), relu("bnd,dv->bnv", normed(x, a, b), v)), 3


def turned(g):
    """Columns are no rows: squares of them are transposed before."""
    x, t = g.argument("bdn"), g.dtype
    z = g.op("bnd", [(x, "bdn")], f"%1 = arith.addf %0, %0 : {t}\n%1")
    return [product(g, z, "bnd", "dk", "bnk")], \
        lambda x, w: (relu("bdn,dk->bnk", 2 * x, w),), 2


def after_product(g):
    """What a product's result goes through is in that one's kernel."""
    x = product(g, g.argument("bnd"), "bnd", "dk", "bnk")
    return [product(g, x, "bnk", "kv", "bnv")], \
        lambda x, w, v: (relu("bnk,kv->bnv", relu("bnd,dk->bnk", x, w), v),), 2


FORMS = [norm, rms, gather, rotation, softmax, residual, two_readers, turned, after_product]


def compile_by(plan, source, folder, compiler, target):
    """The artifact and the text of its kernels; a softmax and a product stay such."""
    command = [compiler, source, f"--target={target}", f"--plan={plan}", "--no-raise"]
    subprocess.run([*command, "-o", f"{folder}/{plan}.so"], check=True)
    return subprocess.run([*command, "--stop-after=bufferized"], check=True,
                          capture_output=True, text=True).stdout


def run(plan, names, folder, runner, threads):
    outputs = [f"--output=r{i}={folder}/r{i}.npy" for i in range(len(names))]
    subprocess.run([runner, f"{folder}/{plan}.so", f"--inputs={folder}/in.npz", "--guard",
                    *outputs], check=True, stdout=subprocess.DEVNULL,
                   env=os.environ | {"OMP_NUM_THREADS": threads})
    return [np.load(f"{folder}/r{i}.npy") for i in range(len(names))]


def check(form, sizes, folder, compiler, runner, target, is_open, dtype):
    """What is wrong with a form, or nothing."""
    graph = Graph(sizes, dtype, is_open)
    names, numpy, kernels = form(graph)
    source = f"{folder}/f.mlir"
    with open(source, "w", encoding="ascii") as file:
        file.write(graph.text(names))
    formed = compile_by("rows_dense", source, folder, compiler, target)
    if formed.count("attn.kernel") != kernels:
        return f"{formed.count('attn.kernel')} kernels, not {kernels}"
    apart = compile_by("dense", source, folder, compiler, target)
    if kernels == 1 and apart.count("attn.kernel") != 2:
        return "what is before the product is no kernel of its own by 'dense'"
    np.savez(f"{folder}/in.npz", **{name: held for name, (held, _) in graph.arrays.items()})
    one = run("rows_dense", names, folder, runner, "1")
    for plan, threads in (("rows_dense", "2"), ("dense", "2")):
        other = run(plan, names, folder, runner, threads)
        if any(a.tobytes() != b.tobytes() for a, b in zip(one, other)):
            return f"{plan} on {threads} threads gives other bits than rows_dense on one"
    expected = numpy(*(exact.astype(np.float64) for _, exact in graph.arrays.values()))
    for made, right in zip(one, expected):
        worst = np.max(np.abs(numbers(made) - right)) / np.max(np.abs(right))
        if not worst <= LIMITS[dtype]:
            return f"an error of {worst:.2e} of the largest result"
    return ""


def main():
    folder, compiler, runner = sys.argv[1:4]
    wanted = sys.argv[4:]
    forms = [form for form in FORMS if not wanted or form.__name__ in wanted]
    bad = 0
    for form in forms:
        for number, sizes in enumerate(SIZES):
            small, other = ("f16", "bf16")[::1 if number % 2 else -1]
            cases = [("native", False, "f32"), ("native", True, small),
                     ("native", False, other), ("x86-64-v3", True, "f32"),
                     ("x86-64-v3", False, small)]
            if cpu.emulates_amx():
                cases.append(("native+emulated-amx", number == 1, "bf16"))
            for target, is_open, dtype in cases:
                wrong = check(form, sizes, folder, compiler, runner, target, is_open, dtype)
                if wrong:
                    bad += 1
                    print(f"{form.__name__} {dtype} {'open' if is_open else 'known'} {target} "
                          f"{sizes}: {wrong}")
    print(f"{len(forms)} forms, {bad} wrong")
    sys.exit(bad != 0)


main()
