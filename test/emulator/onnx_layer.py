# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes an ONNX file of a layer of f16, its attention written out as exporters write
it, compiles it for a GPU, runs it on the emulator and compares with NumPy in double
precision.

    onnx_layer.py --target=sm_90a
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np

import driver
import run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "import"))

import onnx_files as onnx  # noqa: E402

BATCH, LENGTH, WIDTH, HEADS = 2, 70, 64, 4
D = WIDTH // HEADS
# Of the largest number: tensors between ops are rounded to f16.
LIMIT = 2.0**-9


def arrays():
    numbers = np.random.default_rng(1)

    def draw(*shape):
        return (numbers.standard_normal(shape) / np.sqrt(shape[-2])).astype(np.float16)
    return {"x": 8 * draw(BATCH, LENGTH, WIDTH), "qkv": draw(WIDTH, 3 * WIDTH),
            "out": draw(WIDTH, WIDTH)}


def model(given):
    """o = x + attention(x qkv) out, [B,N,WIDTH]."""
    nodes = [onnx.node("MatMul", ["x", "qkv"], ["rows"]),
             onnx.node("Split", ["rows"], ["q0", "k0", "v0"], axis=-1, num_outputs=3)]
    for name in "qkv":
        nodes += [onnx.node("Reshape", [f"{name}0", "heads"], [f"{name}1"]),
                  onnx.node("Transpose", [f"{name}1"], [name],
                            perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3])]
    nodes += [onnx.node("MatMul", ["q", "k"], ["products"]),
              onnx.node("Mul", ["products", "scale"], ["scores"]),
              onnx.node("Softmax", ["scores"], ["weights"], axis=-1),
              onnx.node("MatMul", ["weights", "v"], ["pooled"]),
              onnx.node("Transpose", ["pooled"], ["turned"], perm=[0, 2, 1, 3]),
              onnx.node("Reshape", ["turned", "flat"], ["joined"]),
              onnx.node("MatMul", ["joined", "out"], ["layer"]),
              onnx.node("Add", ["x", "layer"], ["o"])]
    constants = {"heads": np.array([0, 0, HEADS, D]), "flat": np.array([0, 0, WIDTH]),
                 "scale": np.float16(D**-0.5), "qkv": given["qkv"], "out": given["out"]}
    sizes = ["B", "N", WIDTH]
    return onnx.model(nodes, [onnx.value("x", "float16", sizes)],
                      [onnx.value("o", "float16", sizes)],
                      [onnx.tensor(value, name) for name, value in constants.items()])


def expected(given):
    x, qkv, out = (given[name].astype(np.float64) for name in ("x", "qkv", "out"))
    q, k, v = ((x @ part).reshape(BATCH, LENGTH, HEADS, D).swapaxes(1, 2)
               for part in np.split(qkv, 3, -1))
    weights = np.exp(q @ k.swapaxes(2, 3) * D**-0.5)
    weights /= weights.sum(-1, keepdims=True)
    return x + (weights @ v).swapaxes(1, 2).reshape(x.shape) @ out


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    given = arrays()
    with tempfile.TemporaryDirectory() as name:
        source = pathlib.Path(name) / "layer.onnx"
        source.write_bytes(model(given))
        text, entry = run.compile_source(source, options.target)
    cuda = driver.Driver(options.library or run.find_library(), chip=options.target, seed=1)
    results, status = run.Run(cuda, text, entry, {
        each["name"]: given[each["name"]].view(np.uint16) for each in entry["arguments"]}).run()
    exact = expected(given)
    error = np.max(np.abs(results["o"].view(np.float16) - exact)) / np.max(np.abs(exact))
    print(f"{options.target}: error {error / LIMIT:.3f} of the limit")
    return 0 if status == 0 and error < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
