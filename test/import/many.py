# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are small files and would take very long or very much memory, and ranges of sizes
that have none in them, each with what is said of it: many.py FOLDER.
"""

import os
import sys
import zipfile

import numpy as np

import onnx_files as onnx
from compare import refuse
from programs import FLOAT, LONG, S, T, members, node, program, weight, write

X = onnx.value("x", "float32", ["B", 6])
PLACES = ("expected at most 4096 numbers that follow from places and sizes in what computes one "
          "element, but got more")


def ranged(ranges, nodes=(node("aten.relu.default", self=T("x")),), **options):
    """A program whose dims have these ranges."""
    made = program(list(nodes), **options)
    made["range_constraints"] = {name: {"min_val": low, "max_val": high}
                                 for name, (low, high) in ranges.items()}
    return members(made)


def part_and_range():
    """A part that needs 5 rows, of at most 3."""
    part = node("aten.slice.Tensor", self=T("x"), dim=1, start=2, end=5)
    return ranged({"N": (2, 3)}, [part], tensors={"y": (FLOAT, ["B", 3, 6])})


def taken(low, high):
    """A program whose rows start at an integer of such a range."""
    nodes = [node("aten.item.default", [S("n")], self=T("i")),
             node("aten.relu.default", self=T("x"))]
    return ranged({"u0": (low, high)}, nodes, tensors={"i": (LONG, [])}, inputs=("x", "i"),
                  integers={"n": "u0"})


def sum_of_symbols(count):
    """A size of an input that is computed from as many others, and the sentence."""
    names = [f"s{i}" for i in range(count)]
    text = "Add(" + ", ".join(f"Symbol('{name}')" for name in names) + ")"
    return (members(program([node("aten.relu.default", self=T("x"))], {"x": (FLOAT, [text])})),
            "graph_module.signature.input_specs[0]: expected 's0', from which size "
            f"{' + '.join(sorted(names))} of input 'x' is computed, to be a size of an input, too")


def expanded(sizes):
    """A program of a weight that is one row, many times."""
    made = program([node("aten.add.Tensor", self=T("x"), other=T("w"))],
                   {"w": (FLOAT, sizes), "x": (FLOAT, sizes), "y": (FLOAT, sizes)}, weights=("w",))
    row = np.arange(sizes[1], dtype=np.float32)
    return members(made, {"w": weight(row.tobytes(), sizes, [0, 1])})


def expanded_twice():
    """A program of two weights that are one row: each alone may be so large."""
    sizes = {"w": [2**9, 2**9], "v": [4088, 2**14]}
    made = program([node("aten.relu.default", self=T("x"))],
                   {name: (FLOAT, each) for name, each in sizes.items()}, weights=sizes)
    row = np.zeros(2**14, np.float32).tobytes()
    return members(made, {name: weight(row, each, [0, 1]) for name, each in sizes.items()})


def write_deflated(path):
    """A program of two weights that are one member of zeros."""
    names, sizes = ("w", "v"), [2**11, 2**11]
    made = program([node("aten.relu.default", self=T("x"))],
                   {name: (FLOAT, sizes) for name in names}, weights=names)
    zeros = weight(bytes(2**24), sizes, [2**11, 1])
    with zipfile.ZipFile(path, "w") as pack:
        for name, data in members(made, {name: zeros for name in names}).items():
            kind = zipfile.ZIP_DEFLATED if name.endswith("weight_0") else zipfile.ZIP_STORED
            pack.writestr("model/" + name, data, kind, 9)


def deep_calls(count):
    """Functions that call each other that deep."""
    functions = [onnx.function(f"F{i}", ["a"], ["b"], [
        onnx.node(f"F{i + 1}", ["a"], ["b"], name="c", domain="local")]) for i in range(count)]
    functions.append(onnx.function(f"F{count}", ["a"], ["b"], [onnx.node("Relu", ["a"], ["b"])]))
    return onnx.model([onnx.node("F0", ["x"], ["y"], name="y", domain="local")], [X],
                      [onnx.value("y", "float32", [])], functions=functions)


def doubled_list(times):
    """A list of two integers, as often put next to itself."""
    nodes = [onnx.node("Concat", [f"l{i}", f"l{i}"], [f"l{i + 1}"], axis=0) for i in range(times)]
    return onnx.model([*nodes, onnx.node("Relu", ["x"], ["z"])], [X],
                      [onnx.value(f"l{times}", "int64", []), onnx.value("z", "float32", [])],
                      [onnx.tensor(np.array([3, 5], np.int64), "l0")])


def sums_of_parts(steps, last):
    """Numbers that are sums of two others each, at places of their own: 2^steps in the end."""
    longs = {"zero": 0, "one": 1, "most": 2 ** (steps + 1)}
    nodes = [onnx.node("Range", ["zero", "most", "one"], ["r0"])]
    for i in range(steps):
        size, shift = 2 ** (steps + 1) - 2 ** (i + 1) + 1, 2**i
        longs.update({f"begin{i}": [shift], f"end{i}": [shift + size - 1], f"size{i}": [size - 1],
                      f"start{i}": [0]})
        nodes += [onnx.node("Slice", [f"r{i}", f"start{i}", f"size{i}"], [f"a{i}"]),
                  onnx.node("Slice", [f"r{i}", f"begin{i}", f"end{i}"], [f"b{i}"]),
                  onnx.node("Add", [f"a{i}", f"b{i}"], [f"r{i + 1}"])]
    nodes.append(onnx.node(last, [f"r{steps}"], ["y"], name="y"))
    nodes.append(onnx.node("Relu", ["x"], ["z"]))
    return onnx.model(nodes, [X], [onnx.value("y", "int64", []), onnx.value("z", "float32", [])],
                      [onnx.tensor(np.array(value, np.int64), name)
                       for name, value in longs.items()])


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    os.chdir(sys.argv[1])
    programs = {
        "no-range": (ranged({"N": (5, 3)}), "'N': expected a range that ascends, but got 5 to 3"),
        "below": (ranged({"N": (None, -1)}), "'N': expected a range that ascends, but got 0 to -1"),
        "no-integer": (taken(7, -7), "'u0': expected a range that ascends, but got 7 to -7"),
        "no-part": (part_and_range(), "expected a size of dim 'N' at which all parts lie within "
                    "their tensors, but there is none from 5 to 3"),
        "symbols": sum_of_symbols(5000),
        "expanded": (expanded([2**14, 2**13]), "graph_module.signature.input_specs[1]: 'w': expected at most 268435456 "
                     "bytes in all of elements that share places, but got 536870912"),
        "expanded-twice": (expanded_twice(), "graph_module.signature.input_specs[2]: 'v': expected at most 268435456 "
                           "bytes in all of elements that share places, but got 268959744"),
    }
    for name, (files, _) in programs.items():
        write(name + ".pt2", files)
    sentences = {name + ".pt2": sentence for name, (_, sentence) in programs.items()}
    with zipfile.ZipFile("inflated.pt2", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as pack:
        pack.writestr("model/models/model.json", " " * (2**26 + 1))
    sentences["inflated.pt2"] = ("member 'model/models/model.json': expected a deflated text of at "
                                 "most 67108864 bytes, but got 67108865")
    write_deflated("deflated.pt2")
    most = 1032 * os.path.getsize("deflated.pt2")
    sentences["deflated.pt2"] = (
        "graph_module.signature.input_specs[2]: member 'model/data/weights/weight_0': expected deflated members of at "
        f"most {most} bytes in all, 1032 times the file, but got 33554432")
    models = {
        "calls": (deep_calls(257), "op 'local.F256' of node 'y" + "/c" * 256 + "': expected functions "
                  "that call each other at most 256 deep, but got more"),
        "places": (sums_of_parts(13, "ReduceSum"), "op 'onnx.ReduceSum' of node 'y': " + PLACES),
        "places-of-result": (sums_of_parts(13, "Identity"), "result 'y': " + PLACES),
    }
    for name, (data, sentence) in models.items():
        with open(name + ".onnx", "wb") as file:
            file.write(data)
        sentences[name + ".onnx"] = sentence
    write("row.pt2", expanded([3, 6]))
    with open("few-calls.onnx", "wb") as file:
        file.write(deep_calls(255))
    with open("doubled.onnx", "wb") as file:
        file.write(doubled_list(7))
    refuse(sentences)


main()
