# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes an ONNX file as PyTorch does: onnx_archive.py GRAPH.json OUT.onnx
[WEIGHTS.safetensors]. The graph is what onnx_export.py left; without a file of
weights they are drawn.
"""

import json
import sys

import numpy as np

import draw
import onnx_files as onnx
from archive import read_safetensors


def array_of(constant):
    dtype, values = constant
    return np.array(values, dtype)


def node_of(op, inputs, outputs, place, attributes):
    """`mixattn.mix_heads.lse` is an overload of another domain."""
    if not op.startswith("mixattn."):
        return onnx.node(op, inputs, outputs, place=place, **attributes)
    domain, name, *overload = op.split(".")
    return onnx.node(name, inputs, outputs, place=place, domain=domain,
                     extra=onnx.fields(8, overload), **attributes)


def formulas_of(nodes):
    """Functions of domain mixattn, as mixattn.ops.attach writes them; here nobody reads what they
    compute."""
    ops = {op.split(".", 1)[1] for op, *_ in nodes if op.startswith("mixattn.")}
    return [onnx.function(name, ["query"], ["o"], [onnx.node("Loop", ["query"], ["o"])], "mixattn",
                          extra=onnx.field(13, overload) if overload else b"")
            for name, _, overload in (op.partition(".") for op in sorted(ops))]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        graph = json.load(file)
    given = read_safetensors(sys.argv[3]) if len(sys.argv) > 3 else None
    initializers = [onnx.tensor(array_of(value), name)
                    for name, value in graph["constants"].items()]
    for name, (key, transposed, shape) in graph["weights"].items():
        shape = shape[::-1] if transposed else shape
        array = np.frombuffer(given[key], np.float32).reshape(shape) if given else \
            draw.floats(key, shape)
        initializers.append(onnx.tensor(array.T if transposed else array, name))
    nodes = [node_of(*each) for each in graph["nodes"]]
    inputs = [onnx.value(name, dtype, sizes) for name, (dtype, sizes) in graph["inputs"].items()]
    outputs = [onnx.value(name, "float32", []) for name in graph["outputs"]]
    with open(sys.argv[2], "wb") as file:
        file.write(onnx.model(nodes, inputs, outputs, initializers, graph["opset"],
                              functions=formulas_of(graph["nodes"])))


main()
