# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers and sizes at which CPUs stop a program or nothing can be read: edges.py FOLDER. Compiled
models give what is written here, or refuse the call.
"""

import os
import subprocess
import sys

import mixattn
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "python"))
from refused import refused  # noqa: E402
import onnx_files as onnx  # noqa: E402
from programs import FLOAT, T, members, node, program, write  # noqa: E402

TYPES = {"int8": 2, "int64": 5}


def compiled(path):
    subprocess.run(["mixattn-compile", path, "-o", path + ".so"], check=True)
    (entry,) = mixattn.load(path + ".so").entries.values()
    return entry


def entry_of(name, nodes, inputs, outputs=("y",), initializers=()):
    """An ONNX model; inputs are types and sizes by name."""
    path = os.path.join(sys.argv[1], name + ".onnx")
    with open(path, "wb") as file:
        file.write(onnx.model(nodes, [onnx.value(key, *each) for key, each in inputs.items()],
                              [onnx.value(each, "float32", []) for each in outputs],
                              [onnx.tensor(array, key) for key, array in initializers]))
    return compiled(path)


def same(name, found, *right):
    found = found if isinstance(found, (tuple, list)) else [found]
    good = len(found) == len(right) and all(
        each.shape == np.shape(other) and np.array_equal(each, other) for each, other in zip(found, right))
    print(f"{name}: {'as' if good else 'not as'} written", *([] if good else [found, right]))


def divided(a, b, floor):
    """Quotients and rests, 0 by 0; the least number by -1 wraps to itself."""
    quotients, rests = [], []
    for x, y in zip(a.tolist(), b.tolist()):
        quotient = 0 if y == 0 else x // y if floor else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        quotients.append(quotient)
        rests.append(0 if y == 0 else x - quotient * y)
    wrapped = [(each + 2**63) % 2**64 - 2**63 for each in quotients]
    return np.array(wrapped).astype(a.dtype), np.array(rests, a.dtype)


def powers(a, b):
    return np.array([(x**y if y >= 0 else 0 if abs(x) != 1 else x**-y) for x, y in zip(a.tolist(), b.tolist())])


def divisions(dtype):
    least = np.iinfo(dtype).min
    a = np.array([7, -7, 7, -7, 0, 5, least, least, least, least + 1], dtype)
    b = np.array([2, 2, -2, -2, 0, 0, -1, 0, 1, -1], dtype)
    floored, above = divided(a, b, True)
    cut, rest = divided(a, b, False)
    negated = (-a.astype(np.int64)).astype(dtype)
    types = {"a": (dtype, ["N"]), "b": (dtype, ["N"])}
    entry = entry_of("onnx-" + dtype, [onnx.node("Div", ["a", "b"], ["p"]), onnx.node("Mod", ["a", "b"], ["q"]),
                                       onnx.node("Mod", ["a", "b"], ["r"], fmod=1), onnx.node("Div", ["a", "m"], ["s"])],
                     types, "pqrs", [("m", np.array([-1], dtype))])
    same("ONNX " + dtype, list(entry(a=a, b=b)), cut, above, rest, negated)
    x, y = T("a"), T("b")
    nodes = [node("aten.div.Tensor_mode", "p", self=x, other=y, rounding_mode="floor"),
             node("aten.div.Tensor_mode", "q", self=x, other=y, rounding_mode="trunc"),
             node("aten.floor_divide.default", "r", self=x, other=y), node("aten.remainder.Tensor", "s", self=x, other=y),
             node("aten.fmod.Tensor", "t", self=x, other=y), node("aten.floor_divide.default", "u", self=x, other=-1)]
    path = os.path.join(sys.argv[1], dtype + ".pt2")
    write(path, members(program(nodes, {each: (TYPES[dtype], ["N"]) for each in "abpqrstu"}, "ab", "pqrstu")))
    same("ATen " + dtype, list(compiled(path)(a=a, b=b)), floored, cut, floored, above, rest, negated)


def power():
    a = np.array([0, 0, 0, 1, -1, 2, 2, -2])
    b = np.array([0, -1, 2, -3, -3, -1, 5, 3])
    path = os.path.join(sys.argv[1], "power.pt2")
    nodes = [node("aten.pow.Tensor_Tensor", "p", self=T("a"), exponent=T("b")),
             node("aten.pow.Tensor_Scalar", "q", self=T("a"), exponent=-2)]
    write(path, members(program(nodes, {each: (TYPES["int64"], ["N"]) for each in "abpq"}, "ab", "pq")))
    same("powers", list(compiled(path)(a=a, b=b)), powers(a, b), powers(a, np.full(8, -2)))


def indices():
    """Indices that no call checks: of nothing, and of NaN."""
    x, k = np.arange(12, dtype=np.float32).reshape(2, 6), np.array([1, -1, 7])
    nothing = np.zeros((0, 6), np.float32)
    places = onnx.node("Sub", ["k", "one"], ["i"])
    one = [("one", np.array([1]))]
    types = {"x": ("float32", ["N", 6]), "k": ("int64", ["K"])}
    entry = entry_of("rows", [places, onnx.node("Gather", ["x", "i"], ["y"])], types, initializers=one)
    same("rows", entry(x=x, k=k), x[[0, 0, 1]])
    refused(lambda: entry(x=nothing, k=k))
    both = onnx.node("Concat", ["x", "z"], ["w"], axis=0)
    entry = entry_of("rows-of-two", [places, both, onnx.node("Gather", ["w", "i"], ["y"])],
                     types | {"z": ("float32", ["M", 6])}, initializers=one)
    same("rows of two", entry(x=x[:1], z=x[1:], k=k), x[[0, 0, 1]])
    same("rows of nothing", entry(x=nothing, z=nothing, k=k), np.zeros((3, 6)))
    types = {"x": ("float32", ["N", 6]), "k": ("int64", ["N", 6])}
    entry = entry_of("elements", [places, onnx.node("GatherElements", ["x", "i"], ["y"], axis=0)], types,
                     initializers=one)
    same("elements", entry(x=x, k=np.ones((2, 6), np.int64)), x[[0, 0]])
    same("no elements", entry(x=nothing, k=nothing.astype(np.int64)), nothing)
    entry = entry_of("odd-rows", [onnx.node("Cast", ["k"], ["i"], to=7), onnx.node("Gather", ["x", "i"], ["y"])],
                     {"x": ("float32", [3, 2]), "k": ("float32", ["K"])})
    table = np.arange(6, dtype=np.float32).reshape(3, 2)
    odd = np.array([np.nan, 1e30, np.inf, -np.inf, 1.5, -1], np.float32)
    same("odd rows", entry(x=table, k=odd), table[[0, 0, 0, 0, 1, 2]])


def places():
    entry = entry_of("places", [onnx.node("ArgMax", ["x"], ["p"], axis=1), onnx.node("ArgMin", ["x"], ["q"], axis=1),
                                onnx.node("ArgMax", ["x"], ["r"], axis=1, select_last_index=1)],
                     {"x": ("float32", ["B", "N"])}, "pqr")
    x = np.array([[1, 3, 3], [-2, -2, -5]], np.float32)
    same("places", list(entry(x=x)), [[1], [0]], [[0], [2]], [[2], [1]])
    same("places of nothing", list(entry(x=x[:, :0])), *[np.zeros((2, 1))] * 3)


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    for dtype in TYPES:
        divisions(dtype)
    power()
    indices()
    places()


main()
