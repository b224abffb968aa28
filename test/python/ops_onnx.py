# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mixattn.ops through ONNX: ONNX Runtime computes the formulas, the compiler reads the operators. ops_onnx.py
FOLDER OPSET"""

import logging
import os
import sys
from pathlib import Path

import mixattn
import mixattn.ops
import numpy as np
import onnxruntime
import torch

sys.path.insert(0, os.path.join(Path(__file__).parent.parent, "import"))
import outright  # noqa: E402

LIMIT = 1e-5


def main():
    folder, opset = sys.argv[1], int(sys.argv[2])
    logging.disable(logging.WARNING)
    torch.manual_seed(1)
    model = outright.Outright().eval()
    for each in model.parameters():
        torch.nn.init.normal_(each)
    inputs = {name: torch.randn(2, 4, length, 8) for name, length in (("q", 5), ("k", 9), ("v", 9))}
    inputs["m"] = torch.randn(4, 4)
    dims = {name: {0: torch.export.Dim.DYNAMIC, 2: torch.export.Dim.DYNAMIC} for name in "qkv"} | {"m": None}
    program = torch.onnx.export(model, tuple(inputs.values()), dynamo=True, verbose=False, opset_version=opset,
                                dynamic_shapes=dims, input_names=list(inputs),
                                custom_translation_table=mixattn.ops.translations())
    path = os.path.join(folder, f"outright{opset}.onnx")
    mixattn.ops.attach(program).save(path)
    nodes = [node for node in program.model.graph if node.domain == "mixattn"]
    print(f"{len(nodes)} operators, {len(program.model.functions)} functions, overloads of mix_heads: "
          f"{[node.overload for node in nodes if node.op_type == 'mix_heads']}")
    with torch.no_grad():
        expected = model.double()(*(each.double() for each in inputs.values()))

    def check(what, results):
        errors = [np.abs(result - right.numpy()).max() / np.abs(right.numpy()).max()
                  for result, right in zip(results, expected)]
        print(f"{what}: {len(errors)} results, {sum(not error <= LIMIT for error in errors)} of them wrong")

    session = onnxruntime.InferenceSession(path)
    check("ONNX Runtime", session.run(None, {key: value.numpy() for key, value in inputs.items()}))
    check("compiled", mixattn.compile(path, out=path[:-5] + ".so")(*(each.numpy() for each in inputs.values())))


if __name__ == "__main__":
    main()
