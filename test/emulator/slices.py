# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what reads slices of an argument, and slices and other dims of these, on the
emulated GPU, and compares with NumPy in f64.

    slices.py last --target=sm_90a
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np

import driver
import run
import variants  # noqa: F401: finds test/numeric

from linalg_graph import numbers, rounded  # isort: skip

B, N = 5, 17
# Sums are rounded to bf16 once.
LIMIT = 2.0**-8

LAYER = """
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty(%b) : tensor<?x48xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<?x48xbf16>) -> tensor<?x48xbf16>
  %y = linalg.contract indexing_maps = [affine_map<(b, o, i) -> (b, i)>,
      affine_map<(b, o, i) -> (i, o)>, affine_map<(b, o, i) -> (b, o)>]
      ins(%r, %w : tensor<?x32xbf16>, tensor<32x48xbf16>)
      outs(%f : tensor<?x48xbf16>) -> tensor<?x48xbf16>"""

# Ops that make %y of x, (B, N, 96), and w, (32, 48); the dims of %y; the same in NumPy.
CASES = {
    # x[:, -1] through a layer: its rows lie as far apart as batches do.
    "last": ("""
  %last = arith.subi %n, %c1 : index
  %s = tensor.extract_slice %x[0, %last, 0] [%b, 1, 32] [1, 1, 1]
      : tensor<?x?x96xbf16> to tensor<?x1x32xbf16>
  %r = tensor.collapse_shape %s [[0], [1, 2]] : tensor<?x1x32xbf16> into tensor<?x32xbf16>
""" + LAYER, "?x48", lambda x, w: x[:, -1, :32] @ w),
    # Rows that begin 6 bytes after those of what they are a part of.
    "offset": ("""
  %s = tensor.extract_slice %x[0, 0, 3] [%b, 1, 32] [1, 1, 1]
      : tensor<?x?x96xbf16> to tensor<?x32xbf16>
  %r = tensor.cast %s : tensor<?x32xbf16> to tensor<?x32xbf16>
""" + LAYER, "?x48", lambda x, w: x[:, 0, 3:35] @ w),
    # Every third column: they do not follow each other.
    "steps": ("""
  %r = tensor.extract_slice %x[0, 1, 0] [%b, 1, 32] [1, 1, 3]
      : tensor<?x?x96xbf16> to tensor<?x32xbf16>
""" + LAYER, "?x48", lambda x, w: x[:, 1, ::3] @ w),
    # Heads of the second third.
    "heads": ("""
  %s = tensor.extract_slice %x[0, 0, 32] [%b, %n, 32] [1, 1, 1]
      : tensor<?x?x96xbf16> to tensor<?x?x32xbf16>
  %h = tensor.expand_shape %s [[0], [1], [2, 3]] output_shape [%b, %n, 2, 16]
      : tensor<?x?x32xbf16> into tensor<?x?x2x16xbf16>
  %e = tensor.empty(%b, %n) : tensor<?x2x?x16xbf16>
  %y = linalg.transpose ins(%h : tensor<?x?x2x16xbf16>)
      outs(%e : tensor<?x2x?x16xbf16>) permutation = [0, 2, 1, 3]
""", "?x2x?x16",
              lambda x, w: np.moveaxis(x[:, :, 32:64].reshape(B, N, 2, 16), 2, 1)),
    # A slice of a slice, as PyTorch writes x[:, 1:17:2, ::3].
    "twice": ("""
  %s = tensor.extract_slice %x[0, 1, 0] [%b, 8, 96] [1, 2, 1]
      : tensor<?x?x96xbf16> to tensor<?x8x96xbf16>
  %y = tensor.extract_slice %s[0, 0, 0] [%b, 8, 32] [1, 1, 3]
      : tensor<?x8x96xbf16> to tensor<?x8x32xbf16>
""", "?x8x32", lambda x, w: x[:, 1:17:2, ::3]),
    # Elements of a slice that do not follow each other, as one dim: a copy.
    "flat": ("""
  %s = tensor.extract_slice %x[0, 0, 32] [%b, 4, 32] [1, 1, 1]
      : tensor<?x?x96xbf16> to tensor<?x4x32xbf16>
  %y = tensor.collapse_shape %s [[0], [1, 2]] : tensor<?x4x32xbf16> into tensor<?x128xbf16>
""", "?x128", lambda x, w: x[:, :4, 32:64].reshape(B, 128)),
}

TEXT = """
func.func @f(%x: tensor<?x?x96xbf16> {{attn.name = "x", attn.dims = ["B", "N"]}},
             %w: tensor<32x48xbf16> {{attn.name = "w"}})
    -> (tensor<{dims}xbf16> {{attn.name = "y"{names}}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x96xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?x96xbf16>
{made}
  return %y : tensor<{dims}xbf16>
}}
"""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    made, dims, expected = CASES[options.case]
    names = ', attn.dims = ["B"' + (', "N"]' if dims.count("?") == 2 else "]")
    draw = np.random.default_rng(5)
    x, xs = rounded(draw.standard_normal((B, N, 96)), "bf16")
    w, ws = rounded(draw.standard_normal((32, 48)), "bf16")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "f.mlir"
        source.write_text(TEXT.format(made=made.strip("\n"), dims=dims, names=names))
        text, entry = run.compile_source(source, options.target)
    cuda = driver.Driver(options.library or run.find_library(),
                         chip=options.target, seed=1)
    given = {"x": x.view(np.uint16), "w": w.view(np.uint16)}
    given = {each["name"]: given[each["name"]] for each in entry["arguments"]}
    result, _ = run.Run(cuda, text, entry, given).run()
    xs, ws = xs.astype(float), ws.astype(float)
    exact, scale = expected(xs, ws), expected(np.abs(xs), np.abs(ws))
    worst = np.max(np.abs(numbers(result["y"].view("V2")) - exact) / scale)
    print(f"{options.case} {options.target}: error {worst / LIMIT:.3f} of the limit")
    return 0 if worst < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
