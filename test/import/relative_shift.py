# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shift of Transformer-XL's relative scores, which are of 2 N - 1 distances: relative_shift.py
FOLDER compiles it, runs it at some N and compares it with NumPy's.
"""

import os
import subprocess
import sys

import numpy as np

import draw
from compare import compare, run
from programs import FLOAT, S, T, members, node, program, write

TWICE = "Mul(Integer(2), Symbol('N'))"
LESS = f"Add({TWICE}, Integer(-1))"
END = 2**63 - 1
PROGRAM = program(
    [node("aten.constant_pad_nd.default", ["padded"], self=T("x"), pad=[1, 0], value=0.0),
     node("aten.view.default", ["turned"], self=T("padded"), size=[-1]),
     node("aten.slice.Tensor", ["cut"], self=T("turned"), dim=2, start=1, end=END),
     node("aten.view.default", ["shifted"], self=T("cut"), size=[-1]),
     node("aten.slice.Tensor", self=T("shifted"), dim=3, start=0, end=S("n"))],
    {"x": (FLOAT, ["B", 2, "N", LESS]), "q": (FLOAT, ["N", 4]), "padded": (FLOAT, ["B", 2, "N", TWICE]),
     "turned": (FLOAT, ["B", 2, TWICE, "N"]), "cut": (FLOAT, ["B", 2, LESS, "N"]),
     "shifted": (FLOAT, ["B", 2, "N", LESS]), "y": (FLOAT, ["B", 2, "N", "N"])},
    inputs=("q", "x"), integers={"n": "N"})


def shift(x):
    b, h, n, m = x.shape
    padded = np.pad(x, [(0, 0)] * 3 + [(1, 0)]).reshape(b, h, m + 1, n)
    return padded[:, :, 1:].reshape(b, h, n, m)[..., :n]


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    path = os.path.join(sys.argv[1], "shift")
    write(path + ".pt2", members(PROGRAM))
    subprocess.run(["mixattn-compile", path + ".pt2", "-o", path + ".so"], check=True)
    good = True
    for n in 1, 5, 40:
        x = draw.floats("relative", (3, 2, n, 2 * n - 1)).astype(np.float32)
        np.savez(path + ".npz", x=x, q=np.zeros((n, 4), np.float32))
        good &= compare(f"N = {n}", run(path, path + ".npz"), {"output": shift(x)})
    sys.exit(not good)


main()
