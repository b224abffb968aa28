# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX against NumPy: onnx_ops.py [--only-write] FOLDER FAMILY... Each
family of onnx_cases.py and others becomes one model of as many results.
"""

import os
import subprocess
import sys

import numpy as np

import onnx_cases
import onnx_empty
import onnx_files as onnx
import onnx_flex
import onnx_lists
import onnx_more
import onnx_scatter
from compare import compare, run


FAMILIES = {**onnx_cases.FAMILIES, "replacements": onnx_scatter.replacements,
            **{name: getattr(onnx_more, name) for name in ("functions", "ordered", "enlarged", "resampled", "bounded", "ranges")},
            "flex": onnx_flex.attention, "empty": onnx_empty.parts,
            "lists": onnx_lists.lists}


class Program:
    """Nodes, and what NumPy computes of them."""

    def __init__(self, opset=20):
        self.opset, self.nodes, self.initializers, self.inputs = opset, [], [], []
        self.arrays, self.given, self.expected = {}, [], {}

    def input(self, name, array, sizes):
        """An argument of these sizes, open ones by name."""
        self.arrays[name] = array
        self.given.append(name)
        self.inputs.append(onnx.value(name, array.dtype.name, sizes))

    def name_of(self, operand):
        """A value's name; arrays become initialisers, numbers those of floats."""
        if operand is None:
            return ""
        if isinstance(operand, str):
            return operand
        array = np.asarray(operand, np.float32) if isinstance(operand, float) else np.asarray(operand)
        name = f"c{len(self.initializers)}"
        self.initializers.append(onnx.tensor(array, name))
        self.arrays[name] = array
        return name

    def value(self, op, *operands, ref, results=1, **attributes):
        """The names of an op's results, which `ref` computes of its operands."""
        inputs = [self.name_of(each) for each in operands]
        outputs = [f"v{len(self.arrays)}_{i}" for i in range(results)]
        self.nodes.append(onnx.node(op, inputs, outputs, **attributes))
        made = ref(*(self.arrays[name] if name else None for name in inputs))
        for name, array in zip(outputs, made if isinstance(made, (list, tuple)) else [made]):
            self.arrays[name] = np.asarray(array)
        return outputs[0] if results == 1 else outputs

    def out(self, op, *operands, **options):
        """The same as results of the model."""
        made = self.value(op, *operands, **options)
        for name in [made] if isinstance(made, str) else made:
            self.expected[name] = self.arrays[name]

    def write(self, path):
        outputs = [onnx.value(name, array.dtype.name, [None] * array.ndim)
                   for name, array in self.expected.items()]
        with open(path, "wb") as file:
            file.write(onnx.model(self.nodes, self.inputs, outputs, self.initializers,
                                  self.opset))


def main():
    arguments = [each for each in sys.argv[1:] if each != "--only-write"]
    folder = arguments[0]
    os.makedirs(folder, exist_ok=True)
    good = True
    for name in arguments[1:]:
        path = os.path.join(folder, name)
        program = Program()
        FAMILIES[name](program)
        program.write(path + ".onnx")
        if "--only-write" in sys.argv:
            continue
        inputs = path + "-inputs.npz"
        np.savez(inputs, **{key: program.arrays[key] for key in program.given})
        subprocess.run(["mixattn-compile", path + ".onnx", "-o", path + ".so"], check=True)
        good &= compare(name, run(path, inputs), program.expected)
    sys.exit(not good)


main()
