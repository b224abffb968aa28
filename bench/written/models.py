# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models as their libraries write them; ONNX as PyTorch's exporter writes it."""

import io
import warnings

import torch

from bench.kinds.models import network
from bench.written import Graph, Way


def ways(row, x):
    """With each attention that the library has."""
    names = {"": row.model}
    if row.N:
        names = {"sdpa": row.model, "eager": row.model.replace("sdpa", "eager")}
    return {label: Way(network(name), (x["x"],)) for label, name in names.items()}


def graph(row, x):
    file = io.BytesIO()
    # Tensors of the inference mode cannot be traced.
    with torch.inference_mode(False), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(network(row.model), (x["x"].clone(),), dynamo=True,
                                    verbose=False, opset_version=20)
        program.save(file)
    return Graph(file.getvalue(), {program.model.graph.inputs[0].name: x["x"].numpy()},
                 row.result_shape())
