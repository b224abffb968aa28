# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs attention whose queries, keys and values are parts of one tensor, and a layer
of its result with other dims, on the emulated GPU, and compares with NumPy in f64.

    views.py packed --target=sm_90a --attention=online --layer=dense
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import driver
import run
import variants  # noqa: F401: finds test/numeric

from linalg_graph import numbers, rounded  # isort: skip

B, N, H, D, C = 2, 50, 4, 64, 72
# As for bf16 in test/numeric/producers.py: the result of attention is rounded.
LIMIT = 2.0**-6

HEADS = "tensor<?x4x50x64xbf16>"
# The dims of the argument, and what makes queries, keys and values of it.
PARTS = {
    # Heads side by side, as a layer gives them, put in order by a copy.
    "copied": ("?x50x3x4x64", """
  %e = tensor.empty(%n) : tensor<3x?x4x50x64xbf16>
  %t = linalg.transpose ins(%x : tensor<?x50x3x4x64xbf16>)
      outs(%e : tensor<3x?x4x50x64xbf16>) permutation = [2, 0, 3, 1, 4]
""", "%{0} = tensor.extract_slice %t[{1}, 0, 0, 0, 0] [1, %n, 4, 50, 64] "
               "[1, 1, 1, 1, 1] : tensor<3x?x4x50x64xbf16> to " + HEADS),
    # Features side by side, in a copy whose rows go on after them.
    "packed": ("?x4x50x192", """
  %e = tensor.empty(%n) : tensor<?x4x50x192xbf16>
  %t = linalg.exp ins(%x : tensor<?x4x50x192xbf16>) outs(%e : tensor<?x4x50x192xbf16>)
      -> tensor<?x4x50x192xbf16>
""", "%{0} = tensor.extract_slice %t[0, 0, 0, {2}] [%n, 4, 50, 64] [1, 1, 1, 1] : "
               "tensor<?x4x50x192xbf16> to " + HEADS),
    # Parts of an argument, and weights that are one with other dims.
    "argument": ("?x3x4x50x64", "",
                 "%{0} = tensor.extract_slice %x[0, {1}, 0, 0, 0] "
                 "[%n, 1, 4, 50, 64] [1, 1, 1, 1, 1] : "
                 "tensor<?x3x4x50x64xbf16> to " + HEADS),
}

TEXT = """
#left = affine_map<(b, n, c, k) -> (b, n, k)>
#right = affine_map<(b, n, c, k) -> (c, k)>
#sums = affine_map<(b, n, c, k) -> (b, n, c)>
func.func @f(%x: tensor<{dims}xbf16> {{attn.name = "x", attn.dims = ["B"]}},
             %weights: tensor<{weights}xbf16> {{attn.name = "w"}})
    -> (tensor<?x50x72xbf16> {{attn.name = "y", attn.dims = ["B"]}}) {{
  %zero = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<{dims}xbf16>{made}
  {parts}
  %w = {given}
  %o = attn.softmax %q, %k, %v : ({heads}, {heads}, {heads}) -> {heads}
  %f = tensor.empty(%n) : tensor<?x50x4x64xbf16>
  %r = linalg.transpose ins(%o : {heads}) outs(%f : tensor<?x50x4x64xbf16>)
      permutation = [0, 2, 1, 3]
  %rows = tensor.collapse_shape %r [[0], [1], [2, 3]]
      : tensor<?x50x4x64xbf16> into tensor<?x50x256xbf16>
  %g = tensor.empty(%n) : tensor<?x50x72xbf16>
  %zeros = linalg.fill ins(%zero : bf16) outs(%g : tensor<?x50x72xbf16>)
      -> tensor<?x50x72xbf16>
  %y = linalg.contract indexing_maps = [#left, #right, #sums]
      ins(%rows, %w : tensor<?x50x256xbf16>, tensor<72x256xbf16>)
      outs(%zeros : tensor<?x50x72xbf16>) -> tensor<?x50x72xbf16>
  return %y : tensor<?x50x72xbf16>
}}
"""


def text_of(form):
    dims, made, part = PARTS[form]
    parts = "\n  ".join(part.format(name, number, 64 * number)
                        for number, name in enumerate("qkv"))
    if form == "argument":
        weights, given = "18432", ("tensor.expand_shape %weights [[0, 1]] output_shape "
                                   "[72, 256] : tensor<18432xbf16> into")
    else:
        weights, given = "72x256", "tensor.cast %weights : tensor<72x256xbf16> to"
    return TEXT.format(dims=dims, made=made.rstrip(), parts=parts, heads=HEADS,
                       weights=weights, given=f"{given} tensor<72x256xbf16>")


def expected(form, x, w):
    if form == "copied":
        q, k, v = np.transpose(x, (2, 0, 3, 1, 4))
    elif form == "packed":
        q, k, v = np.split(np.exp(x), 3, axis=-1)
    else:
        q, k, v = np.moveaxis(x, 1, 0)
    scores = np.einsum("bhnd,bhsd->bhns", q, k) / np.sqrt(D)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    outputs = weights / weights.sum(-1, keepdims=True) @ v
    rows = np.transpose(outputs, (0, 2, 1, 3)).reshape(B, N, H * D)
    return rows @ w.T, np.abs(rows) @ np.abs(w.T)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("form", choices=PARTS)
    parser.add_argument("--target", default="sm_90a", help="a GPU's name")
    parser.add_argument("--attention", default="online", help="its schedule")
    parser.add_argument("--layer", default="dense", help="that of the layer")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    draw = np.random.default_rng(5)
    shape = [int(each) if each != "?" else B
             for each in PARTS[options.form][0].split("x")]
    x, xs = rounded(draw.standard_normal(shape), "bf16")
    w, ws = rounded(draw.standard_normal((C, H * D)), "bf16")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "f.mlir"
        source.write_text(text_of(options.form))
        made = subprocess.run(
            ["mixattn-compile", source, f"--target={options.target}", "--remarks",
             "-o", source.with_suffix(".ptx")], check=True, capture_output=True,
            text=True)
        text = source.with_suffix(".ptx").read_text()
        entry = json.loads(source.with_suffix(".json").read_text())["entries"][0]
    for name in (options.attention, options.layer):
        if f"[Passed] {name} " not in made.stderr:
            print(f"FAIL no '{name}' in\n{made.stderr}")
            return 1
    exact, scale = expected(options.form, xs.astype(float), ws.astype(float))
    results = []
    for landing, multiprocessors in (("issue", 1), ("wait", 1000)):
        cuda = driver.Driver(options.library or run.find_library(),
                             chip=options.target, seed=1, landing=landing,
                             sms=multiprocessors)
        given = {"x": x.view(np.uint16), "w": w.view(np.uint16)}
        if options.form == "argument":
            given["w"] = given["w"].reshape(-1)
        results.append(run.Run(cuda, text, entry, given).run()[0]["y"])
    if results[0].tobytes() != results[1].tobytes():
        print("FAIL other bits where copies land late")
        return 1
    worst = np.max(np.abs(numbers(results[0].view("V2")) - exact) / scale)
    print(f"{options.form} {options.target}: error {worst / LIMIT:.3f} of the limit")
    return 0 if worst < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
