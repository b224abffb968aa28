# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models as their libraries write them; ONNX as PyTorch's exporter writes it."""

import io
import warnings

import torch

from bench.written import Graph, Unsupported, Way


def ways(row, x):
    """With each attention that the library has."""
    names = {"": row.model}
    if row.N:
        names = {"sdpa": row.model, "eager": row.model.replace("sdpa", "eager")}
    return {label: Way(row.network(name), row.inputs(x))
            for label, name in names.items()}


def graph(row, x):
    if row.dtype != "f32":
        raise Unsupported("no kernels of bf16 for what models are made of")
    file = io.BytesIO()
    # Tensors of the inference mode cannot be traced.
    with torch.inference_mode(False), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inputs = row.inputs({name: t.clone() for name, t in x.items()})
        program = torch.onnx.export(row.network(), inputs, dynamo=True, verbose=False,
                                    opset_version=20)
        program.save(file)
    names = [value.name for value in program.model.graph.inputs]
    return Graph(file.getvalue(), dict(zip(names, (t.numpy() for t in x.values()))),
                 row.result_shape())
