# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes test/import/Inputs/*.onnx.json anew with PyTorch and onnxscript:
onnx_export.py [NAME]...

NAME.onnx.json is what torch.onnx.export writes, one line a node. Of weights it
has the parameter's name, transposed or not; the results are those that
export.py recorded, and examples/charlm has its own.
"""

import json
import os
import sys

import numpy as np
import torch

import outright
import small_models
from export import CharacterModel, charlm

HERE = os.path.dirname(os.path.abspath(__file__))
# The version of ops with which each is exported.
OPSETS = {"mix_heads": 18, "admixture_heads": 20, "mixture_of_keys": 23, "layer": 23,
          "outright": 18, "couplings": 18, "single_queries": 20}


def attribute_of(attribute):
    value = attribute.value
    return list(value) if isinstance(value, (list, tuple)) else value


def weight_of(array, parameters):
    """The parameter that an initialiser is, and whether it is transposed. Dims of size 1 may have
    been added."""
    for name, tensor in parameters.items():
        if np.array_equal(tensor.ravel(), array.ravel()):
            return [name, False]
        if tensor.ndim == 2 and np.array_equal(tensor.T, array):
            return [name, True]
    return None


def place_of(node):
    lines = [line.strip() for line in node.metadata_props.get(
        "pkg.torch.onnx.stack_trace", "").split("\n")]
    frames = [line for line in lines if line.startswith("File ")]
    if not frames:
        return ""
    path = frames[-1].split('"')[1]
    return frames[-1].replace(path, os.path.basename(path))


def op_of(node):
    """`Add`, or of operators said outright `mixattn.mix_heads.lse`."""
    return f"{node.domain}.{node.op_type}" if node.domain else node.op_type


def export(name, module, inputs, dims, results=("output",)):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape))
    program = torch.onnx.export(module, tuple(inputs.values()), dynamo=True, verbose=False,
                                opset_version=OPSETS[name], dynamic_shapes=dims,
                                input_names=list(inputs), output_names=list(results),
                                custom_translation_table=outright.ops.translations())
    graph = program.model.graph
    parameters = {key: value.numpy() for key, value in module.state_dict().items()}
    constants, weights = {}, {}
    for key, value in graph.initializers.items():
        array = value.const_value.numpy()
        found = weight_of(array, parameters) if array.ndim else None
        if found:
            weights[key] = [*found, list(array.shape)]
        else:
            constants[key] = [array.dtype.name, array.tolist()]
    nodes = [json.dumps([op_of(node), [x.name if x else "" for x in node.inputs],
                         [x.name for x in node.outputs], place_of(node),
                         {key: attribute_of(value) for key, value in node.attributes.items()}])
             for node in graph]
    head = {"opset": OPSETS[name], "constants": constants, "weights": weights,
            "inputs": {x.name: [x.dtype.numpy().name, [s if isinstance(s, int) else str(s)
                                                      for s in x.shape]] for x in graph.inputs},
            "outputs": [x.name for x in graph.outputs]}
    lines = [json.dumps(key) + ": " + json.dumps(value) for key, value in head.items()]
    lines.append('"nodes": [\n' + ",\n".join(nodes) + "\n]")
    with open(os.path.join(HERE, "Inputs", name + ".onnx.json"), "w", encoding="utf-8") as file:
        file.write("{" + ",\n".join(lines) + "}\n")


def main():
    torch.manual_seed(1)
    batch, length = torch.export.Dim("B"), torch.export.Dim("N", max=1 << 20)
    for name in sys.argv[1:] or OPSETS:
        if name in charlm.ATTENTIONS:
            export(name, CharacterModel(name).eval(),
                   {"tokens": torch.zeros(2, 5, dtype=torch.long)}, ({0: batch, 1: length},))
            continue
        make, sizes = small_models.MODELS[name]
        inputs = {key: torch.zeros(shape) for key, (shape, _) in sizes.items()}
        with np.load(os.path.join(HERE, "Inputs", name + ".npz")) as arrays:
            results = [key for key in arrays if not key.startswith("input.")]
        keys = torch.export.Dim("S", max=1 << 20) if sizes.get("k") != sizes.get("q") else length
        places = {"x": {0: batch, 1: length}, "q": {0: batch, 2: length}, "m": None}
        export(name, make().eval(), inputs,
               tuple(places.get(key, {0: batch, 2: keys}) for key in inputs), results)


main()
