# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes test/import/Inputs anew with PyTorch: export.py [NAME]...

NAME.json is models/model.json of torch.export.save without what the reader does
not read, and with the constants of the text; NAME.npz has what PyTorch computes
of drawn inputs and weights, in double precision. The three of examples/charlm
have their results there.
"""

import io
import json
import os
import sys
import zipfile

import numpy as np
import torch

import draw
import gpu_models
import small_models

HERE = os.path.dirname(os.path.abspath(__file__))
CHARLM = os.path.join(HERE, "..", "..", "examples", "charlm")
sys.path.insert(0, CHARLM)
import model as charlm  # noqa: E402


class CharacterModel(torch.nn.Module):
    def __init__(self, edition):
        super().__init__()
        self.edition = edition
        for name, shape in charlm.shapes(edition).items():
            self.register_parameter(name, torch.nn.Parameter(torch.zeros(shape)))

    def forward(self, tokens):
        return charlm.forward(self.edition, dict(self.named_parameters()), tokens)


def slim(value):
    """Without what says how PyTorch came to it."""
    if isinstance(value, list):
        return [slim(each) for each in value]
    if not isinstance(value, dict):
        return value
    gone = {"hint", "requires_grad", "device", "layout", "strides", "storage_offset",
            "nn_module_stack", "torch_fn", "from_node", "is_hop_single_tensor_return",
            "module_call_graph", "guards_code", "treespec_namedtuple_fields"}
    return {key: slim(each) for key, each in value.items() if key not in gone}


def places(program):
    """Of each stack its innermost place, by the file's name alone."""
    for node in program["graph_module"]["graph"]["nodes"]:
        lines = [line.strip() for line in node["metadata"]["stack_trace"].split("\n")]
        frames = [line for line in lines if line.startswith("File ")]
        path = frames[-1].split('"')[1]
        if not path.startswith("torch/"):
            frames[-1] = frames[-1].replace(path, os.path.basename(path))
        node["metadata"]["stack_trace"] = frames[-1]


def write(name, program):
    """One line a node."""
    nodes = program["graph_module"]["graph"].pop("nodes")
    program["graph_module"]["graph"]["nodes"] = "NODES"
    text = json.dumps(program, separators=(",", ":"))
    lines = ",\n".join(json.dumps(node, separators=(",", ":")) for node in nodes)
    for mark in ('"tensor_values":{', '"signature":', '"constants":'):
        text = text.replace(mark, "\n" + mark)
    text = text.replace("}]},", "}]},\n").replace('"NODES"', "[\n" + lines + "\n]")
    with open(os.path.join(HERE, "Inputs", name + ".json"), "w", encoding="utf-8") as file:
        file.write(text + "\n")


def export(name, module, inputs, opened):
    dims = {key: {dim: torch.export.Dim.AUTO for dim in opened[key]} for key in inputs}
    exported = torch.export.export(module, tuple(inputs.values()), dynamic_shapes=dims)
    if name not in small_models.RAW:
        exported = exported.run_decompositions(None if name in small_models.CORE else {})
    file = io.BytesIO()
    torch.export.save(exported, file)
    with zipfile.ZipFile(file) as pack:
        (path,) = [each for each in pack.namelist() if each.endswith("/models/model.json")]
        program = slim(json.loads(pack.read(path)))
    places(program)
    program["constants"] = {key: value.tolist() for key, value in exported.constants.items()}
    write(name, program)


def record(name, module, inputs):
    module = module.double()
    numbers = draw.small if name in gpu_models.MODELS else draw.floats
    for key, tensor in module.state_dict().items():
        tensor.copy_(torch.from_numpy(numbers(key, tensor.shape).astype(np.float64)))
    wide = [x.double() if x.is_floating_point() else x for x in inputs.values()]
    with torch.no_grad():
        results = module(*wide)
    results = results if isinstance(results, tuple) else (results,)
    names = ["output"] if len(results) == 1 else [f"output{i}" for i in range(len(results))]
    arrays = {f"input.{key}": value.numpy() for key, value in inputs.items()}
    # Caches that it has written.
    if name == "cached_step":
        arrays |= {key: value.numpy() for key, value in module.named_buffers()}
    np.savez_compressed(os.path.join(HERE, "Inputs", name + ".npz"), **arrays,
                        **{key: value.numpy() for key, value in zip(names, results)})


def main():
    torch.manual_seed(1)
    wanted = sys.argv[1:]
    for name, (make, sizes) in small_models.MODELS.items():
        if wanted and name not in wanted:
            continue
        inputs = {key: torch.from_numpy(draw.argument(key, shape))
                  for key, (shape, _) in sizes.items()}
        export(name, make().eval(), inputs, {key: dims for key, (_, dims) in sizes.items()})
        record(name, make().eval(), inputs)
    for name, (make, sizes) in gpu_models.MODELS.items():
        if wanted and name not in wanted:
            continue
        inputs = {key: torch.from_numpy(np.array(draw.argument(key, shape)))
                  for key, (shape, _) in sizes.items()}
        narrow = {key: value.bfloat16() if value.is_floating_point() else value
                  for key, value in inputs.items()}
        export(name, make().eval().bfloat16(), narrow,
               {key: dims for key, (_, dims) in sizes.items()})
        record(name, make().eval(), {key: value.float() if value.is_floating_point() else value
                                     for key, value in narrow.items()})
    for edition in charlm.ATTENTIONS:
        if not wanted or edition in wanted:
            export(edition, CharacterModel(edition),
                   {"tokens": torch.zeros(2, 5, dtype=torch.long)}, {"tokens": (0, 1)})


if __name__ == "__main__":
    main()
