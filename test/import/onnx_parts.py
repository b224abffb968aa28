# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Everything of ONNX files but ops: elements in other files and as numbers,
functions, constants: onnx_parts.py FOLDER.
"""

import os
import subprocess
import sys

import numpy as np

import draw
import onnx_files as onnx
from compare import compare, run


def numbers(name, dtype, shape, field, values, packed=False):
    """A tensor whose elements are numbers of the message."""
    head = onnx.fields(1, shape) + onnx.field(2, dtype) + onnx.field(8, name)
    if packed:
        return head + onnx.field(field, b"".join(onnx.varint(value) for value in values))
    return head + onnx.fields(field, values)


def write(folder):
    """w of a file, g of the message, t of numbers; x is the argument."""
    w, g = draw.floats("onnx.p.w", (6, 4)), draw.floats("onnx.p.g", (4,))
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    with open(os.path.join(folder, "data", "weights"), "wb") as file:
        file.write(bytes(8) + w.tobytes() + bytes(3))
    where = {"location": "data/weights", "offset": "8", "length": str(w.nbytes)}
    initializers = [
        onnx.tensor(w, "layer.w", where), onnx.tensor(g, "g"),
        numbers("t", 1, [4], 4, [0.5, -1.0, 2.0, 4.0]),
        numbers("half", 10, [4], 5, np.array([1.5, -2, 0.25, 3], np.float16).view(np.uint16),
                packed=True),
        numbers("order", 7, [2], 7, [-1, 4], packed=True),
        numbers("flags", 9, [4], 5, [1, 0, 0, 1], packed=True),
        onnx.tensor(np.zeros(3, np.float32), "unread")]
    # scaled(a) = alpha a + beta, twice: once with its own alpha, once with a call's.
    inner = [onnx.node("Constant", [], ["f"], value_float=onnx.Ref("alpha", 1)),
             onnx.node("Constant", [], ["b"], value_floats=[0.25]),
             onnx.node("Mul", ["a", "f"], ["m"]), onnx.node("Add", ["m", "b"], ["r"])]
    scaled = onnx.function("scaled", ["a"], ["r"], inner, otherwise={"alpha": 3.0})
    outer = onnx.function("both", ["a", "b"], ["r", "unused"], [
        onnx.node("scaled", ["a"], ["c"], domain="local"),
        onnx.node("scaled", ["b"], ["d"], domain="local", alpha=onnx.Ref("gain", 1)),
        onnx.node("Add", ["c", "d"], ["r"])], attributes=["gain"])
    nodes = [
        onnx.node("MatMul", ["x", "layer.w"], ["p"]),
        onnx.node("both", ["p", "g"], ["h"], domain="local", gain=-2.0),
        onnx.node("Mul", ["h", "t"], ["y"]),
        onnx.node("Constant", [], ["two"], value_int=2),
        onnx.node("Constant", [], ["sizes"], value_ints=[0, 0, 2, 2]),
        onnx.node("Pow", ["h", "two"], ["square"]),
        onnx.node("Reshape", ["square", "sizes"], ["z"]),
        onnx.node("Reshape", ["y", "order"], ["flat"]),
        onnx.node("Cast", ["half"], ["wide"], to=1),
        onnx.node("Where", ["flags", "flat", "wide"], ["chosen"]),
        onnx.node("ReduceSum", ["chosen", "axes"], ["v"]),
        onnx.node("Identity", ["g"], ["same"])]
    initializers.append(onnx.tensor(np.array([0]), "axes"))
    # Up to version 3 of the format, initialisers are inputs as well.
    inputs = [onnx.value("x", "float32", ["B", None, 6]), onnx.value("g", "float32", [4])]
    outputs = [onnx.value(name, "float32", []) for name in ("y", "z", "v", "same")]
    with open(os.path.join(folder, "parts.onnx"), "wb") as file:
        file.write(onnx.model(nodes, inputs, outputs, initializers, functions=[scaled, outer],
                              extra=onnx.field(14, onnx.pair("a", "b")) + onnx.field(26, b"")))
    x = draw.floats("onnx.p.x", (2, 3, 6))
    h = 3 * (x @ w) + 0.25 + -2 * g + 0.25
    y = h * np.array([0.5, -1, 2, 4], np.float32)
    chosen = np.where([True, False, False, True], y.reshape(-1, 4),
                      np.array([1.5, -2, 0.25, 3], np.float32))
    return x, {"y": y, "z": (h**2).reshape(2, 3, 2, 2), "v": chosen.sum(0, keepdims=True),
               "same": g}


def main():
    folder = sys.argv[1]
    x, expected = write(folder)
    path = os.path.join(folder, "parts")
    np.savez(path + "-inputs.npz", x=x)
    subprocess.run(["mixattn-compile", path + ".onnx", "-o", path + ".so"], check=True)
    sys.exit(not compare("parts", run(path, path + "-inputs.npz"), expected))


main()
