# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares contractions, written as einsums, with NumPy in f64."""

import os
import subprocess
import sys

import numpy as np

import cpu

# Layers, scores and mixers as models have them, and orders that none has.
FORMS = ["ij,jk->ik", "ij,kj->ik", "ji,jk->ik", "ji,kj->ik", "ij,jk->ki",
         "bij,bjk->bik", "bij,bkj->bik", "bij,jk->bik", "bhid,bhjd->bhij",
         "bhij,bhjd->bihd", "bni,ihd->bhnd", "bni,ihrd->bhrnd",
         "bhne,heo->bno", "bcnd,da->bnca", "ihj,jhk->hik", "ijc,kcj->ik",
         "jib,bkj->bik", "abi,acj->bcij"]
SIZES = [dict(zip("abcdehijknor", sizes)) for sizes in (
    (2, 3, 2, 5, 7, 3, 66, 33, 70, 9, 17, 2),
    (1, 1, 3, 16, 8, 2, 1, 130, 64, 4, 65, 3))]


# What results may be off by, relative to the terms that they are sums of.
LIMITS = {"f32": 2.0**-21, "f16": 3 * 2.0**-11, "bf16": 3 * 2.0**-8}


def rounded(array, dtype):
    """`array` as a file holds it, and the numbers that this is."""
    if dtype == "bf16":
        bits = array.astype(np.float32).view(np.uint32) & 0xFFFF0000
        return (bits >> 16).astype(np.uint16).view("V2"), bits.view(np.float32)
    held = array.astype({"f32": np.float32, "f16": np.float16}[dtype])
    return held, held


def numbers(held):
    if held.dtype.kind == "V":
        bits = held.view(np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64)
    return held.astype(np.float64)


def module(form, sizes, dtype):
    """One function, `y = relu(einsum + a + bias)` with a bias of lanes. Where
    sizes are open, a is 0."""
    inputs, result = form.split("->")
    left, right = inputs.split(",")
    loops = result + "".join(sorted(set(left + right) - set(result)))

    def tensor(letters):
        return "tensor<" + "".join(
            f"{sizes[c] if sizes else '?'}x" for c in letters) + f"{dtype}>"

    def place(letters, of=loops):
        return f"affine_map<({', '.join(of)}) -> ({', '.join(letters)})>"

    def argument(name, letters, mark=""):
        dims = ", ".join(f'"{c.upper()}"' for c in letters)
        named = "" if sizes else f", attn.dims = [{dims}]"
        return f'{tensor(letters)} {{attn.name = "{name}"{named}{mark}}}'

    kinds = ", ".join('"parallel"' if c in result else '"reduction"' for c in loops)
    every = ", ".join(['"parallel"'] * len(result))
    sizes_of = []
    for c in result:
        name, letters = ("x", left) if c in left else ("w", right)
        sizes_of.append(f"  %i_{c} = arith.constant {letters.index(c)} : index\n"
                        f"  %d_{c} = tensor.dim %{name}, %i_{c} : {tensor(letters)}")
    open_sizes = "" if sizes else ", ".join(f"%d_{c}" for c in result)
    body = "\n".join([] if sizes else sizes_of)
    y = tensor(result)
    added = f", %init: {argument('a', result)}" if sizes else ""
    init = "" if sizes else (f"%init = linalg.fill ins(%zero : {dtype}) "
                             f"outs(%empty : {y}) -> {y}")
    return f"""
func.func @f(%x: {argument("x", left)}, %w: {argument("w", right, ", attn.parameter")},
             %b: {argument("b", result[-1])}{added}) -> ({argument("y", result)}) {{
  %zero = arith.constant 0.0 : {dtype}
{body}
  %empty = tensor.empty({open_sizes}) : {y}
  {init}
  %p = linalg.generic {{indexing_maps = [{place(left)}, {place(right)}, {place(result)}], iterator_types = [{kinds}]}}
      ins(%x, %w : {tensor(left)}, {tensor(right)}) outs(%init : {y}) {{
  ^bb0(%l: {dtype}, %r: {dtype}, %o: {dtype}):
    %m = arith.mulf %l, %r : {dtype}
    %s = arith.addf %o, %m : {dtype}
    linalg.yield %s : {dtype}
  }} -> {y}
  %y = linalg.generic {{indexing_maps = [{place(result, result)}, {place(result[-1], result)}, {place(result, result)}], iterator_types = [{every}]}}
      ins(%p, %b : {y}, {tensor(result[-1])}) outs(%empty : {y}) {{
  ^bb0(%q: {dtype}, %bias: {dtype}, %o: {dtype}):
    %s = arith.addf %q, %bias : {dtype}
    %r = arith.maximumf %s, %zero : {dtype}
    linalg.yield %r : {dtype}
  }} -> {y}
  return %y : {y}
}}
"""


def check(form, sizes, folder, compiler, runner, target, is_open, dtype):
    """Whether what is wrong with a form, or nothing."""
    source, artifact = f"{folder}/f.mlir", f"{folder}/f.so"
    with open(source, "w", encoding="ascii") as file:
        file.write(module(form, None if is_open else sizes, dtype))
    made = subprocess.run([compiler, source, f"--target={target}", "--remarks",
                           "-o", artifact], check=True, capture_output=True,
                          text=True)
    if "[Passed] dense" not in made.stderr:
        return "it is not planned as dense"
    inputs, result = form.split("->")
    draw = np.random.default_rng(len(form))
    arrays = {name: rounded(draw.standard_normal([sizes[c] for c in letters]),
                            dtype)
              for name, letters in zip("xwba", inputs.split(",") +
                                       [result[-1], result])}
    if is_open:
        del arrays["a"]
    np.savez(f"{folder}/in.npz",
             **{name: held for name, (held, _) in arrays.items()})
    results = []
    for threads in ("1", "2"):
        subprocess.run([runner, artifact, f"--inputs={folder}/in.npz", "--guard",
                        f"--output=y={folder}/y.npy"], check=True,
                       stdout=subprocess.DEVNULL,
                       env=os.environ | {"OMP_NUM_THREADS": threads})
        results.append(np.load(f"{folder}/y.npy"))
    if results[0].tobytes() != results[1].tobytes():
        return "two threads give other bits than one"
    x, w, b = (arrays[name][1].astype(np.float64) for name in "xwb")
    a = arrays.get("a", (None, np.zeros(1)))[1].astype(np.float64)
    expected = np.maximum(np.einsum(form, x, w) + b + a, 0)
    scale = np.einsum(form, np.abs(x), np.abs(w)) + np.abs(b) + np.abs(a)
    worst = np.max(np.abs(numbers(results[0]) - expected) / scale)
    return "" if worst < LIMITS[dtype] else f"an error of {worst:.2e} of its terms"


def main():
    folder, compiler, runner = sys.argv[1:]
    bad = 0
    for number, form in enumerate(FORMS):
        for sizes in SIZES:
            small, other = ("f16", "bf16")[::1 if number % 2 else -1]
            cases = [("native", True, "f32"), ("native", False, "f32"),
                     ("x86-64-v3", True, "f32"), ("native", False, small),
                     ("x86-64-v3", True, small), ("native", True, other)]
            if cpu.emulates_amx():
                cases.append(("native+emulated-amx", number % 2 == 0, "bf16"))
            for case in cases:
                wrong = check(form, sizes, folder, compiler, runner, *case)
                if wrong:
                    bad += 1
                    target, is_open, dtype = case
                    print(f"{form} {dtype} {'open' if is_open else 'known'} "
                          f"{target} {sizes}: {wrong}")
    print(f"{len(FORMS)} forms, {bad} wrong")
    sys.exit(bad != 0)


main()
