# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares attention whose operands a graph widens from 16 bits, and whose result it
rounds back, with NumPy in f64: as it is compiled, and as the graph says."""

import subprocess
import sys

import numpy as np

import cpu
from linalg_graph import numbers, rounded

HEADS, FEATURES, QUERIES, KEYS = 3, 40, 37, 70
# The largest error relative to the weighted sum of the values' sizes: a rounding of
# the result, and one of each weight.
LIMITS = {"f16": 2.0**-10, "bf16": 2.0**-7}
CAST = """
  %e_{to} = tensor.empty({sizes}) : {wide}
  %{to} = linalg.generic {{indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins(%{source} : {narrow}) outs(%e_{to} : {wide}) {{
  ^bb0(%x: {element}, %out: {result}):
    %w = arith.{op} %x : {element} to {result}
    linalg.yield %w : {result}
  }} -> {wide}"""


def tensor(letter, dtype):
    return f"tensor<1x{HEADS}x?x{FEATURES}x{dtype}>"


def module(dtype, clause):
    """Queries may be few or many, by an open size."""
    arguments = ", ".join(
        f'%{name}: {tensor(letter, dtype)} {{attn.name = "{name}", '
        f'attn.dims = ["{letter}"]}}'
        for name, letter in (("q", "N"), ("k", "S"), ("v", "S")))
    body = "".join(
        CAST.format(to=f"w{name}", source=name, sizes=f"%{letter}",
                    wide=tensor(letter, "f32"), narrow=tensor(letter, dtype),
                    element=dtype, result="f32", op="extf")
        for name, letter in (("q", "n"), ("k", "s"), ("v", "s")))
    queries, keys = tensor("N", "f32"), tensor("S", "f32")
    rounding = CAST.format(to="o", source="p", sizes="%n", wide=tensor("N", dtype),
                           narrow=queries, element="f32", result=dtype, op="truncf")
    return f"""
#same = affine_map<(b, h, n, d) -> (b, h, n, d)>
func.func @f({arguments}) -> ({tensor("N", dtype)} {{attn.name = "o"}}) {{
  %two = arith.constant 2 : index
  %n = tensor.dim %q, %two : {tensor("N", dtype)}
  %s = tensor.dim %k, %two : {tensor("S", dtype)}{body}
  %p = attn.generic scores(%wq, %wk : {queries}, {keys}) scale 0.3 {clause}
      pool(%wv : {keys}) -> {queries}{rounding}
  return %o : {tensor("N", dtype)}
}}
"""


def attention(q, k, v, clause):
    """The result in f64, and the sum of the sizes of its terms."""
    scores = 0.3 * np.einsum("bhnd,bhsd->bhns", q, k)
    if clause:
        # The last row sees all keys, the one before it all but the last.
        unseen = np.triu(np.ones(scores.shape[2:], bool), 1 + KEYS - QUERIES)
        scores[:, :, unseen] = -np.inf
    weights = np.exp(scores - scores.max(axis=3, keepdims=True))
    weights /= weights.sum(axis=3, keepdims=True)
    return weights @ v, weights @ np.abs(v)


def main():
    folder, compiler, runner = sys.argv[1:]
    source, artifact = f"{folder}/f.mlir", f"{folder}/f.so"
    targets = ["native", "x86-64-v3"]
    if cpu.emulates_amx():
        targets.append("native+emulated-amx")
    draw = np.random.default_rng(7)
    count = bad = 0
    for dtype in LIMITS:
        for clause in ("", "causal"):
            with open(source, "w", encoding="ascii") as file:
                file.write(module(dtype, clause))
            held = {name: rounded(draw.standard_normal((1, HEADS, rows, FEATURES)), dtype)
                    for name, rows in (("q", QUERIES), ("k", KEYS), ("v", KEYS))}
            np.savez(f"{folder}/in.npz", **{name: each for name, (each, _) in held.items()})
            expected, scale = attention(
                *(held[name][1].astype(np.float64) for name in "qkv"), clause)
            for target in targets:
                made = subprocess.run(
                    [compiler, source, f"--target={target}", "--remarks", "-o", artifact],
                    check=True, capture_output=True, text=True)
                is_narrow = f"attention of {dtype}, to which the graph rounds its result" in made.stderr
                subprocess.run(
                    [runner, artifact, f"--inputs={folder}/in.npz", "--guard",
                     f"--output=o={folder}/o.npy"], check=True, stdout=subprocess.DEVNULL)
                got = numbers(np.load(f"{folder}/o.npy"))
                worst = np.max(np.abs(got - expected) / scale)
                count += 1
                if not is_narrow or not worst < LIMITS[dtype]:
                    bad += 1
                    print(f"{dtype} {target} {clause}: an error of {worst:.2e} of its terms"
                          f"{'' if is_narrow else ', and it is not narrow'}")
    print(f"{count} cases, {bad} wrong")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
