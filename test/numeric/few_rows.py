# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares dense layers of few rows with NumPy in f64, for CPUs whose reading
shows."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np

import cpu

# Weights of more than 4 MB, in tiles of three vectors of 512 bits and of four.
SIZES = [(1100, 1100), (1150, 1088)]
# A row, blocks of rows and what is left of them: rows that ask while they
# multiply, the most of them, and more.
ROWS = [1, 2, 5, 10, 16, 17, 23, 64, 65]
FORMS = {"rows": ("(m, n, k) -> (k, n)", (0, 1)),
         "columns": ("(m, n, k) -> (n, k)", (1, 0))}
TARGETS = ["x86-64-v3"] + ["x86-64-v4"] * cpu.has_scaling()
SOURCE = """
func.func @layer(%x: tensor<?x{K}xf32> {{attn.name = "x", attn.dims = ["N"]}},
                 %w: tensor<{W}xf32> {{attn.name = "w", attn.parameter}})
    -> (tensor<?x{M}xf32> {{attn.name = "y"}}) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x{K}xf32>
  %empty = tensor.empty(%n) : tensor<?x{M}xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x{M}xf32>)
      -> tensor<?x{M}xf32>
  %y = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<{map}>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<?x{K}xf32>, tensor<{W}xf32>)
      outs(%zeros : tensor<?x{M}xf32>) -> tensor<?x{M}xf32>
  return %y : tensor<?x{M}xf32>
}}"""


def compile_layer(folder, compiler, target, depth, columns, form):
    described = {"format": 1, "cpu": target, "numbers": {"hidden_reads": 0.3}}
    (folder / "slow.json").write_text(json.dumps(described))
    map_of_w, order = FORMS[form]
    sizes = "x".join(str((depth, columns)[dim]) for dim in order)
    (folder / "layer.mlir").write_text(
        SOURCE.format(K=depth, M=columns, W=sizes, map=map_of_w))
    subprocess.run([compiler, folder / "layer.mlir", f"--target={target}",
                    f"--target-file={folder / 'slow.json'}", "-o",
                    folder / "layer.so"], check=True)
    return order


def run(folder, runner, threads, *options):
    subprocess.run([runner, folder / "layer.so", f"--input=x={folder}/x.npy",
                    f"--input=w={folder}/w.npy", f"--output=y={folder}/y.npy",
                    "--guard", *options], check=True,
                   env=os.environ | {"OMP_NUM_THREADS": str(threads)})
    return np.load(folder / "y.npy")


def main():
    folder, compiler, runner = pathlib.Path(sys.argv[1]), *sys.argv[2:]
    rng = np.random.default_rng(1)
    for target in TARGETS:
        for depth, columns in SIZES:
            for form in FORMS:
                order = compile_layer(folder, compiler, target, depth, columns, form)
                w = rng.standard_normal((depth, columns), dtype=np.float32)
                np.save(folder / "w.npy", np.ascontiguousarray(w.transpose(order)))
                for rows in ROWS:
                    case = target, depth, columns, form, rows
                    x = rng.standard_normal((rows, depth), dtype=np.float32)
                    np.save(folder / "x.npy", x)
                    y = run(folder, runner, 2)
                    for threads in (1, 2):
                        again = run(folder, runner, threads, "--pack-each-call")
                        assert np.array_equal(y, again), (*case, threads)
                    wide = x.astype("f8")
                    # Roundings of sums of up to 128 terms, and of their sums.
                    limit = 2.0 ** -24 * 16 * (np.abs(wide) @ np.abs(w))
                    error = np.abs(y - wide @ w) - limit
                    assert (error <= 0).all(), (*case, error.max())


if __name__ == "__main__":
    main()
