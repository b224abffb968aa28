# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares convolutions and pools whose windows do not overlap with NumPy in
f64."""

import os
import subprocess
import sys

import numpy as np

from linalg_graph import numbers, rounded

LIMITS = {"f32": 2.0**-20, "f16": 2.0**-9, "bf16": 2.0**-6}
# Images of N x C x H x W, F features, kernels and steps of P x Q.
CASES = [dict(zip("NCHWFPQpq", sizes)) for sizes in (
    (2, 3, 24, 40, 70, 4, 8, 4, 8), (1, 5, 17, 23, 33, 3, 4, 3, 4),
    (2, 16, 9, 14, 20, 1, 1, 1, 1), (1, 7, 13, 16, 9, 1, 2, 3, 2))]


def windows(x, s):
    """[n, c, h, i, w, j] of an image [n, c, h, w]."""
    rows = (s["H"] - s["P"]) // s["p"] + 1
    columns = (s["W"] - s["Q"]) // s["q"] + 1
    i = np.arange(rows)[:, None] * s["p"] + np.arange(s["P"])
    j = np.arange(columns)[:, None] * s["q"] + np.arange(s["Q"])
    return x[:, :, i][:, :, :, :, j]


def module(kind, s, dtype, is_open):
    rows = (s["H"] - s["P"]) // s["p"] + 1
    columns = (s["W"] - s["Q"]) // s["q"] + 1
    height, out = ("?", "?") if is_open else (s["H"], rows)
    order = {"nchw": (s["N"], s["C"], height, s["W"]),
             "nhwc": (s["N"], height, s["W"], s["C"])}[kind[:4]]
    x = "tensor<" + "x".join(map(str, order)) + f"x{dtype}>"
    features = s["C"] if "pool" in kind else s["F"]
    result = {"nchw": (s["N"], features, out, columns),
              "nhwc": (s["N"], out, columns, features)}[kind[:4]]
    y = "tensor<" + "x".join(map(str, result)) + f"x{dtype}>"
    kernel = {"nchw_conv": (s["F"], s["C"], s["P"], s["Q"]),
              "nhwc_conv": (s["P"], s["Q"], s["C"], s["F"])}.get(kind, (s["P"], s["Q"]))
    w = "tensor<" + "x".join(map(str, kernel)) + f"x{dtype}>"
    name = {"nchw_conv": "conv_2d_nchw_fchw", "nhwc_conv": "conv_2d_nhwc_hwcf",
            "nhwc_pool": "pooling_nhwc_max"}[kind]
    start = "0xFF800000" if dtype == "f32" else "0xFC00" if dtype == "f16" else "0xFF80"
    dims = ', attn.dims = ["H"]' if is_open else ""
    given = f', %w: {w} {{attn.name = "w"}}' if "conv" in kind else ""
    shape = "" if "conv" in kind else f"%w = tensor.empty() : {w}"
    out_dims = ', attn.dims = ["R"]' if is_open else ""
    # A result's sizes are those of arguments: one gives that of an open result.
    added = f', %init: {y} {{attn.name = "a"{out_dims}}}' if is_open else ""
    init = "" if is_open else f"""
  %start = arith.constant {"0.0" if "conv" in kind else start} : {dtype}
  %empty = tensor.empty() : {y}
  %init = linalg.fill ins(%start : {dtype}) outs(%empty : {y}) -> {y}"""
    return f"""
func.func @f(%x: {x} {{attn.name = "x"{dims}}}{given}{added}) -> ({y} {{attn.name = "y"{out_dims}}}) {{{init}
  {shape}
  %y = linalg.{name} {{strides = dense<[{s["p"]}, {s["q"]}]> : tensor<2xi64>}}
      ins(%x, %w : {x}, {w}) outs(%init : {y}) -> {y}
  return %y : {y}
}}"""


def check(kind, s, dtype, is_open, folder, compiler, runner):
    """What is wrong, or nothing."""
    draw = np.random.default_rng(1)
    image = draw.standard_normal((s["N"], s["C"], s["H"], s["W"]))
    weights = draw.standard_normal((s["F"], s["C"], s["P"], s["Q"]))
    held, image = rounded(image, dtype)
    held_w, weights = rounded(weights, dtype)
    image, weights = image.astype("f8"), weights.astype("f8")
    if kind[:4] == "nhwc":
        held = np.ascontiguousarray(held.transpose(0, 2, 3, 1))
        held_w = np.ascontiguousarray(held_w.transpose(2, 3, 1, 0))
    cut = windows(image, s)
    if "conv" in kind:
        expected = np.einsum("nchiwj,fcij->nfhw", cut, weights)
        scale = np.einsum("nchiwj,fcij->nfhw", abs(cut), abs(weights))
    else:
        expected = cut.max((3, 5))
        scale = abs(expected)
    with open(f"{folder}/f.mlir", "w", encoding="ascii") as file:
        file.write(module(kind, s, dtype, is_open))
    made = subprocess.run([compiler, f"{folder}/f.mlir", "--remarks", "-o", f"{folder}/f.so"],
                          check=True, capture_output=True, text=True)
    if "conv" in kind and "[Passed] dense" not in made.stderr:
        return "it is not planned as dense"
    arrays = {"x": held} | ({"w": held_w} if "conv" in kind else {})
    if is_open:
        start = np.full(expected.shape, 0.0 if "conv" in kind else -100.0)
        order = (0, 1, 2, 3) if kind[:4] == "nchw" else (0, 2, 3, 1)
        arrays["a"] = np.ascontiguousarray(rounded(start.transpose(order), dtype)[0])
    np.savez(f"{folder}/in.npz", **arrays)
    results = []
    for threads in ("1", "2"):
        subprocess.run([runner, f"{folder}/f.so", f"--inputs={folder}/in.npz", "--guard",
                        f"--output=y={folder}/y.npy"], check=True,
                       stdout=subprocess.DEVNULL,
                       env=os.environ | {"OMP_NUM_THREADS": threads})
        results.append(np.load(f"{folder}/y.npy"))
    if results[0].tobytes() != results[1].tobytes():
        return "two threads give other bits than one"
    y = numbers(results[0])
    if kind[:4] == "nhwc":
        y = y.transpose(0, 3, 1, 2)
    if y.shape != expected.shape:
        return f"a result of {y.shape}, expected {expected.shape}"
    worst = np.max(np.abs(y - expected) / scale)
    return "" if worst < LIMITS[dtype] else f"an error of {worst:.2e} of its terms"


def main():
    folder, compiler, runner = sys.argv[1:]
    bad = 0
    for kind in ("nchw_conv", "nhwc_conv", "nhwc_pool"):
        for number, sizes in enumerate(CASES):
            dtype = ("f32", "bf16", "f32", "f16")[number]
            why = check(kind, sizes, dtype, number % 2 == 1, folder, compiler, runner)
            if why:
                print(kind, sizes, dtype, why)
                bad += 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
