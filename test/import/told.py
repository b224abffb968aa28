# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose open dim is no input's, but a size of one is computed from it: told.py FOLDER. Each is
compiled, compared with NumPy, and called with sizes that are none of it.
"""

import os
import subprocess
import sys

import draw
import mixattn
import numpy as np
import onnx_files as onnx
from programs import FLOAT, T, members, node, program, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from refused import refused  # noqa: E402

FOUR, ODD = "Mul(Integer(4), Symbol('s0'))", "Add(Mul(Integer(2), Symbol('s0')), Integer(-1))"


def pt2():
    """Means of four rows each, and a row for each of them but between the last two."""
    nodes = [node("aten.view.default", ("w",), self=T("x"), size={"as_sym_ints": [
                 {"as_name": "s"}, {"as_int": 4}, {"as_int": 6}]}),
             node("aten.mean.dim", ("m",), self=T("w"), dim=[1]),
             node("aten.add.Tensor", self=T("m"), other=T("m")),
             node("aten.relu.default", ("o",), self=T("z"))]
    types = {"x": (FLOAT, [FOUR, 6]), "z": (FLOAT, [ODD, 3]), "w": (FLOAT, ["s0", 4, 6]),
             "m": (FLOAT, ["s0", 6]), "y": (FLOAT, ["s0", 6]), "o": (FLOAT, [ODD, 3])}
    made = program(nodes, types, ["x", "z"], ("y", "o"), integers={"s": "s0"})
    made["range_constraints"] = {"s0": {"min_val": 2, "max_val": 64}}
    return members(made)


def onnx_model():
    shape = onnx.tensor(np.array([-1, 4, 6]), "shape")
    axes = onnx.tensor(np.array([1]), "axes")
    nodes = [onnx.node("Reshape", ["x", "shape"], ["w"]),
             onnx.node("ReduceMean", ["w", "axes"], ["m"], keepdims=0),
             onnx.node("Add", ["m", "m"], ["y"]), onnx.node("Relu", ["z"], ["o"])]
    return onnx.model(nodes, [onnx.value("x", "float32", ["4*batch", 6]),
                              onnx.value("z", "float32", ["2*batch - 1", 3])],
                      [onnx.value("y", "float32", []), onnx.value("o", "float32", [])], [shape, axes])


def check(path, *options):
    subprocess.run(["mixattn-compile", path, "-o", path + ".so", *options], check=True)
    (entry,) = mixattn.load(path + ".so").entries.values()
    print(entry)

    def arguments(rows, others):
        return {"x": draw.floats("x", [rows, 6]), "z": draw.floats("z", [others, 3])}
    given = arguments(12, 5)
    y, o = entry(**given)
    error = max(abs(y - 2 * given["x"].reshape(3, 4, 6).mean(1)).max(), abs(o - np.maximum(given["z"], 0)).max())
    print(f"{os.path.basename(path)}: error {error:.1e}")
    print("none:", *(each.shape for each in entry(**arguments(4, 1))))
    for sizes in (10, 5), (12, 7):
        refused(lambda: entry(**arguments(*sizes)))


def main():
    folder = sys.argv[1]
    path = os.path.join(folder, "program.pt2")
    write(path, pt2())
    check(path, "--name-dim=x.0=4*B")
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(onnx_model())
    subprocess.run(["mixattn-compile", path, "--name-dim=z.0=P", "--stop-after=graph", "-o",
                    os.path.join(folder, "named.mlir")], check=True)
    check(path, "--name-dim=z.0=2*B - 1")


main()
