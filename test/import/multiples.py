# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of open dims whose sizes are quotients: multiples.py FOLDER. Each is compiled, compared with
NumPy, and called with a size that is no multiple.
"""

import os
import subprocess
import sys

import draw
import mixattn
import numpy as np
import onnx_files as onnx
from programs import FLOAT, S, T, members, node, program, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from refused import refused  # noqa: E402

N = "Symbol('N')"
FOURTH, EIGHTH = f"FloorDiv({N}, Integer(4))", f"FloorDiv(FloorDiv({N}, Integer(4)), Integer(2))"
LESS = f"Add({N}, Mul(Integer(-1), PythonMod({N}, Integer(6))))"

SCALED = f"TruncToInt(Mul(Float('0.5', precision=53), ToFloat({N})))"


def viewed(*sizes):
    return {"as_sym_ints": [{"as_name": each} if isinstance(each, str) else {"as_int": each} for each in sizes]}


def windows(x, size, stride):
    return np.stack([x[:, i * stride:i * stride + size] for i in range((x.shape[1] - size) // stride + 1)], 1)


# Nodes that make y of x [B, N, 6] and their types, what NumPy makes, a size and one that is refused.
PROGRAMS = {
    # Rows by fours, and pairs of those: N is a multiple of 8.
    "parts": ([node("aten.view.default", ("w",), self=T("x"), size=viewed("B", "fourth", 24)),
               node("aten.view.default", self=T("w"), size=viewed("B", "eighth", 48))],
              {"w": ["B", FOURTH, 24], "y": ["B", EIGHTH, 48]}, lambda x: x.reshape(len(x), -1, 48), 16, 12),
    # All but the rest: of a multiple there is none.
    "rest": ([node("aten.slice.Tensor", ("w",), self=T("x"), dim=1, start=0, end=S("less")),
              node("aten.relu.default", self=T("w"))],
             {"w": ["B", LESS, 6], "y": ["B", LESS, 6]}, lambda x: np.maximum(x, 0), 12, 8),
    # The first of two halves, by a factor.
    "scaled": ([node("aten.slice.Tensor", self=T("x"), dim=1, start=0, end=S("scaled"))], {"y": ["B", SCALED, 6]},
               lambda x: x[:, :x.shape[1] // 2], 6, 7),
    "steps": ([node("aten.slice.Tensor", self=T("x"), dim=1, start=1, step=2)],
              {"y": ["B", f"FloorDiv({N}, Integer(2))", 6]}, lambda x: x[:, 1::2], 8, 7),
    "windows": ([node("aten.unfold.default", self=T("x"), dimension=1, size=3, step=2)],
                {"y": ["B", f"Add(FloorDiv(Add({N}, Integer(-3)), Integer(2)), Integer(1))", 6, 3]},
                lambda x: windows(x, 3, 2).swapaxes(2, 3), 8, 7),
    # Other rows from the middle on.
    "replaced": ([node("aten.slice.Tensor", ("w",), self=T("x"), dim=1, start=S("half")),
                  node("aten.neg.default", ("v",), self=T("w")),
                  node("aten.slice_scatter.default", self=T("x"), src=T("v"), dim=1, start=S("half"))],
                 {"w": ["B", "half", 6], "v": ["B", "half", 6], "y": ["B", "N", 6]},
                 lambda x: np.concatenate([x[:, :x.shape[1] // 2], -x[:, x.shape[1] // 2:]], 1), 6, 7),
}
INTEGERS = {"B": "B", "fourth": FOURTH, "eighth": EIGHTH, "less": LESS, "scaled": SCALED,
            "half": f"FloorDiv({N}, Integer(2))"}


def pt2(name):
    nodes, types, *_ = PROGRAMS[name]
    used = {"parts": ("B", "fourth", "eighth"), "rest": ("less",), "scaled": ("scaled",), "replaced": ("half",)}.get(name, ())
    sizes = {each: (FLOAT, [INTEGERS["half"] if size == "half" else size for size in of]) for each, of in types.items()}
    made = program(nodes, {"x": (FLOAT, ["B", "N", 6]), **sizes}, integers={each: INTEGERS[each] for each in used})
    made["range_constraints"] = {"N": {"min_val": 3, "max_val": 70}}
    return members(made)


def number(value):
    return onnx.tensor(np.array([value]), f"n{value}")


# The same of x [B, N, 6] in ONNX.
MODELS = {
    # The sizes of a reshape are computed by a quotient, and what is left by -1.
    "divided": ([onnx.node("Shape", ["x"], ["n"], start=1, end=2), onnx.node("Div", ["n", "n4"], ["fourth"]),
                 onnx.node("Concat", ["n-1", "fourth", "n24"], ["to"], axis=0), onnx.node("Reshape", ["x", "to"], ["y"])],
                [4, -1, 24], lambda x: x.reshape(len(x), -1, 24), 8, 6),
    "left": ([onnx.node("Concat", ["n0", "n-1", "n24"], ["to"], axis=0), onnx.node("Reshape", ["x", "to"], ["y"])],
             [0, -1, 24], lambda x: x.reshape(len(x), -1, 24), 8, 6),
    # A quotient of what may be below 0 asks for sizes at which it is not.
    "below": ([onnx.node("Shape", ["x"], ["n"], start=1, end=2), onnx.node("Sub", ["n", "n3"], ["less"]),
               onnx.node("Div", ["less", "n2"], ["half"]), onnx.node("Add", ["half", "n1"], ["start"]),
               onnx.node("Slice", ["x", "start", "n", "n1"], ["y"])],
              [3, 2, 1], lambda x: x[:, (x.shape[1] - 3) // 2 + 1:], 8, 7),
    # A rest by what is larger, of a number below 0.
    "larger": ([onnx.node("Shape", ["x"], ["n"], start=1, end=2), onnx.node("Mod", ["n-2", "n"], ["less"]),
                onnx.node("Slice", ["x", "n2", "n", "n1"], ["w"]),
                onnx.node("Concat", ["n0", "less", "n2", "n3"], ["to"], axis=0), onnx.node("Reshape", ["w", "to"], ["y"])],
               [-2, 2, 1, 0, 3], lambda x: x[:, 2:].reshape(2, -1, 2, 3), 8, 1),
    "rounded": ([onnx.node("Shape", ["x"], ["n"], start=1, end=2), onnx.node("Mod", ["n", "n6"], ["rest"]),
                 onnx.node("Sub", ["n", "rest"], ["less"]), onnx.node("Slice", ["x", "n0", "less", "n1"], ["y"])],
                [6, 0, 1], lambda x: x, 12, 8),
}


def onnx_model(name):
    nodes, numbers, *_ = MODELS[name]
    return onnx.model(nodes, [onnx.value("x", "float32", ["B", "N", 6])], [onnx.value("y", "float32", [])],
                      [number(each) for each in numbers])


def check(path, formula, size, other):
    made = subprocess.run(["mixattn-compile", path, "-o", path + ".so", "--remarks"], stderr=subprocess.PIPE, text=True)
    print(*(line.split(": ", 2)[2] for line in made.stderr.splitlines() if "calls check" in line), sep="\n")
    if made.returncode:
        return print(made.stderr)
    (entry,) = mixattn.load(path + ".so").entries.values()
    print(*(line.strip() for line in str(entry).splitlines() if "size " in line), sep="; ")
    x = draw.floats("x", [2, size, 6])
    y, right = entry(x), formula(x)
    print(f"{os.path.basename(path)}: error {abs(y - right).max() if y.shape == right.shape else y.shape}")
    refused(lambda: entry(x[:, :1].repeat(other, 1)))


def main():
    folder = sys.argv[1]
    for name, (*_, formula, size, other) in PROGRAMS.items():
        path = os.path.join(folder, name + ".pt2")
        write(path, pt2(name))
        check(path, formula, size, other)
    for name, (*_, formula, size, other) in MODELS.items():
        path = os.path.join(folder, name + ".onnx")
        with open(path, "wb") as file:
            file.write(onnx_model(name))
        check(path, formula, size, other)


main()
