# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares layers whose results are split into heads and put in another order with
NumPy, over open batches: transposes.py FOLDER. No copy is left of them."""

import pathlib
import subprocess
import sys

import numpy as np

from linalg_graph import numbers, rounded

LIMITS = {"f32": 2.0**-20, "bf16": 2.0**-7}
# Rows, terms; parts, heads and features of the result; its order.
CASES = [(49, 64, (3, 2, 16), (2, 0, 3, 1, 4)), (50, 70, (1, 3, 48), (0, 3, 2, 1, 4)),
         (7, 33, (2, 2, 32), (1, 2, 0, 3, 4)), (196, 48, (3, 4, 48), (2, 0, 3, 1, 4))]

TEXT = """
#x = affine_map<(b, n, f, k) -> (b, n, k)>
#w = affine_map<(b, n, f, k) -> (f, k)>
#y = affine_map<(b, n, f, k) -> (b, n, f)>
#bias = affine_map<(b, n, f) -> (f)>
#each = affine_map<(b, n, f) -> (b, n, f)>
func.func @f(%x: tensor<?x{n}x{k}x{dtype}> {{attn.name = "x", attn.dims = ["B"]}},
             %w: tensor<{all}x{k}x{dtype}> {{attn.name = "w", attn.parameter}},
             %b: tensor<{all}x{dtype}> {{attn.name = "b", attn.parameter}})
    -> (tensor<{made}x{dtype}> {{attn.name = "o", attn.dims = ["B"]}}) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : {dtype}
  %n = tensor.dim %x, %c0 : tensor<?x{n}x{k}x{dtype}>
  %e = tensor.empty(%n) : tensor<?x{n}x{all}x{dtype}>
  %zeros = linalg.fill ins(%zero : {dtype}) outs(%e : tensor<?x{n}x{all}x{dtype}>)
      -> tensor<?x{n}x{all}x{dtype}>
  %sums = linalg.contract indexing_maps = [#x, #w, #y]
      ins(%x, %w : tensor<?x{n}x{k}x{dtype}>, tensor<{all}x{k}x{dtype}>)
      outs(%zeros : tensor<?x{n}x{all}x{dtype}>) -> tensor<?x{n}x{all}x{dtype}>
  %y = linalg.generic {{indexing_maps = [#each, #bias, #each],
                       iterator_types = ["parallel", "parallel", "parallel"]}}
      ins(%sums, %b : tensor<?x{n}x{all}x{dtype}>, tensor<{all}x{dtype}>)
      outs(%e : tensor<?x{n}x{all}x{dtype}>) {{
  ^bb0(%sum: {dtype}, %bias: {dtype}, %out: {dtype}):
    %more = arith.addf %sum, %bias : {dtype}
    linalg.yield %more : {dtype}
  }} -> tensor<?x{n}x{all}x{dtype}>
  %parts = tensor.expand_shape %y [[0], [1], [2, 3, 4]] output_shape [%n, {split}]
      : tensor<?x{n}x{all}x{dtype}> into tensor<?x{parts}x{dtype}>
  %t = tensor.empty(%n) : tensor<{made}x{dtype}>
  %o = linalg.transpose ins(%parts : tensor<?x{parts}x{dtype}>)
      outs(%t : tensor<{made}x{dtype}>) permutation = {order}
  return %o : tensor<{made}x{dtype}>
}}
"""


def text_of(n, k, heads, order, dtype):
    parts = ("?", n, *heads)
    return TEXT.format(n=n, k=k, dtype=dtype, all=int(np.prod(heads)),
                       made="x".join(str(parts[dim]) for dim in order),
                       split=", ".join(map(str, parts[1:])),
                       parts="x".join(map(str, parts[1:])), order=list(order))


def run(folder, case, dtype):
    """The error over the limit, the worst of two batches."""
    n, k, heads, order = case
    source = folder / "f.mlir"
    source.write_text(text_of(*case, dtype))
    normal = subprocess.run(["mixattn-compile", source, "--stop-after=normal",
                             "-o", "-"], check=True, capture_output=True, text=True)
    if "linalg.transpose" in normal.stdout:
        raise SystemExit(f"FAIL {case} keeps a copy")
    subprocess.run(["mixattn-compile", source, "-o", folder / "f.so"], check=True)
    draw, worst = np.random.default_rng(7), 0.0
    for batch in (1, 3):
        held, values = zip(*(rounded(draw.standard_normal(shape), dtype) for shape in
                             ((batch, n, k), (int(np.prod(heads)), k),
                              (int(np.prod(heads)),))))
        np.savez(folder / "in.npz", **dict(zip("xwb", held)))
        subprocess.run(["mixattn-run", folder / "f.so", f"--inputs={folder}/in.npz",
                        f"--output=o={folder}/o.npy"], check=True,
                       stdout=subprocess.DEVNULL)
        x, w, b = (each.astype(np.float64) for each in values)
        wide = (x @ w.T + b).reshape(batch, n, *heads).transpose(order)
        scale = (np.abs(x) @ np.abs(w.T) + np.abs(b)).reshape(
            batch, n, *heads).transpose(order)
        error = np.abs(numbers(np.load(folder / "o.npy")) - wide) / scale
        worst = max(worst, float(error.max()) / LIMITS[dtype])
    return worst


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for dtype in LIMITS:
        errors = [run(folder, case, dtype) for case in CASES]
        wrong += sum(not error < 1 for error in errors)
        print(f"{dtype}: {len(errors)} layers, at most {max(errors):.2f} of the limit")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
