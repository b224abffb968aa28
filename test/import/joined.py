# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with a name for each of two sizes that must be equal: joined.py FOLDER. Each is compiled,
compared with NumPy, and called with sizes that differ.
"""

import os
import subprocess
import sys

import draw
import mixattn
import numpy as np
from programs import FLOAT, LONG, T, members, node, program, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from refused import refused  # noqa: E402

SIZES = {"B": 3, "C": 3, "N": 4, "M": 4, "S": 5, "S2": 5}
HEADS = {"q": ["B", 4, "N", 8], "k": ["B", 4, "S", 8], "v": ["B", 4, "S2", 8]}


TWICE = "Mul(Integer(2), Symbol('N'))"


def sum_of(*sizes):
    """The expression that SymPy has for a sum of dims."""
    return "Add(" + ", ".join(f"Symbol('{each}')" for each in sizes) + ")"


def attention(q, k, v, lengths=None):
    scores = q @ k.swapaxes(2, 3) / 8**0.5
    if lengths is not None:
        scores = np.where(np.arange(k.shape[2]) < lengths[:, None, None, None], scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


# The sizes of inputs, nodes that make y, its sizes, what NumPy makes, and the size that differs.
CASES = {
    "attention": (HEADS, [node("aten.scaled_dot_product_attention.default", query=T("q"), key=T("k"), value=T("v"))],
                  HEADS["q"], attention, "S2"),
    "said": ({**HEADS, "lengths": ["C"]},
             [node("mixattn.softmax.default", query=T("q"), key=T("k"), value=T("v"), lengths=T("lengths"))],
             HEADS["q"], attention, "C"),
    "product": ({"x": ["B", "N", 6], "z": ["C", 6, "M"]}, [node("aten.matmul.default", self=T("x"), other=T("z"))],
                ["B", "N", "M"], lambda x, z: x @ z, "C"),
    "sum": ({"x": ["B", "N", 6], "z": ["M", 6]}, [node("aten.add.Tensor", self=T("x"), other=T("z"))],
            ["B", "N", 6], lambda x, z: x + z, "M"),
    "concatenated": ({"x": ["B", "N", 6], "z": ["B", "M", 6]}, [node("aten.cat.default", tensors=[T("x"), T("z")], dim=2)],
               ["B", "N", 12], lambda x, z: np.concatenate([x, z], 2), "M"),
    "viewed": ({"x": ["B", "N", 6], "z": ["C", 5, 6]},
               [node("aten.sum.dim_IntList", ("r",), self=T("x"), dim=[1]),
                node("aten.view.default", ("w",), self=T("z"), size={"as_sym_ints": [
                    {"as_name": "b"}, {"as_int": 30}]}),
                node("aten.cat.default", tensors=[T("r"), T("w")], dim=1)],
               ["B", 36], lambda x, z: np.concatenate([x.sum(1), z.reshape(-1, 30)], 1), "C"),
    "quotient": ({"x": ["B", 8], "z": ["C", 8]},
                 [node("aten.view.default", ("w",), self=T("z"), size={"as_sym_ints": [
                     {"as_name": "b"}, {"as_name": "eighth"}]}),
                  node("aten.add.Tensor", self=T("x"), other=T("w"))],
                 ["B", 8], lambda x, z: x + z, "C"),
    "whole": ({"x": ["B", "N", 6], "z": ["B", "S", 6], "mask": ["T", 1]},
              [node("aten.cat.default", ("w",), tensors=[T("x"), T("z")], dim=1),
               node("aten.mul.Tensor", self=T("w"), other=T("mask"))],
              ["B", sum_of("N", "S"), 6], lambda x, z, mask: np.concatenate([x, z], 1) * mask, "T"),
    "doubled": ({"x": ["B", "N", 6], "mask": ["T", 1]},
                [node("aten.cat.default", ("w",), tensors=[T("x"), T("x")], dim=1),
                 node("aten.mul.Tensor", self=T("w"), other=T("mask"))],
                ["B", TWICE, 6], lambda x, mask: np.concatenate([x, x], 1) * mask, "T"),
}
EIGHTH = "FloorDiv(Mul(Integer(8), Symbol('C')), Symbol('B'))"
# Sizes of what nodes make in between.
BETWEEN = {"viewed": {"r": ["B", 6], "w": ["B", 30]}, "quotient": {"w": ["B", EIGHTH]},
           "whole": {"w": ["B", sum_of("N", "S"), 6]}, "doubled": {"w": ["B", TWICE, 6]}}


def made(name):
    sizes, nodes, result, _, _ = CASES[name]
    types = {each: (LONG if each == "lengths" else FLOAT, of)
             for each, of in [*sizes.items(), *BETWEEN.get(name, {}).items(), ("y", result)]}
    found = program(nodes, types, list(sizes), integers={"b": "B", "eighth": EIGHTH})
    found["range_constraints"] = {"C": {"min_val": 3, "max_val": 64}, "B": {"min_val": 2, "max_val": None}}
    return found


def arrays(name, sizes):
    result = {}
    for each, of in CASES[name][0].items():
        shape = [sizes.get(size, size) for size in of]
        result[each] = np.full(shape, 4) if each == "lengths" else draw.floats(each, shape)
    return result


def check(folder, name):
    path = os.path.join(folder, name)
    write(path + ".pt2", members(made(name)))
    subprocess.run(["mixattn-compile", path + ".pt2", "-o", path + ".so", "--remarks"], check=True,
                   stderr=open(path + ".txt", "w", encoding="utf-8"))
    (entry,) = mixattn.load(path + ".so").entries.values()
    sizes = {**SIZES, "T": 2 * SIZES["N"] if name == "doubled" else SIZES["N"] + SIZES["S"]}
    given = arrays(name, sizes)
    error = abs(entry(**given) - CASES[name][3](**given)).max()
    print(f"{name}: error {error:.1e}")
    refused(lambda: entry(**arrays(name, {**sizes, CASES[name][4]: 7})))


def main():
    for name in CASES:
        check(sys.argv[1], name)


main()
