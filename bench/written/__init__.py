# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How peers say rows, a module for each kind (bench/kinds):

    ways(row, x)     in PyTorch, by label, of the arguments as tensors;
    graph(row, x)    in ONNX.

What a peer cannot say raises Unsupported with the reason.
"""

from typing import Any, Callable, NamedTuple


class Unsupported(Exception):
    """This peer cannot say this row."""


class Way(NamedTuple):
    """`code(*inputs)` is the result, or the first of a tuple; `code` is a module
    where it holds weights. What is packed for kernels of PyTorch already, no compiler takes."""
    code: Callable
    inputs: tuple
    is_packed: bool = False

    def __call__(self):
        return first(self.code(*self.inputs))


def first(results):
    return results[0] if isinstance(results, tuple) else results


class Graph(NamedTuple):
    """An ONNX model as bytes, its inputs as arrays and the type of their floats, the
    shape of its result, and what makes a row's result of that."""
    model: bytes
    inputs: dict
    shape: tuple
    dtype: str = "f32"
    view: Callable[[Any], Any] = lambda result: result


def exported(module, inputs, shape):
    """A module as PyTorch exports it. Its exporter by tracing needs no further
    package."""
    import io
    import warnings

    import torch
    file = io.BytesIO()
    names = [f"input{number}" for number in range(len(inputs))]
    # Tensors of the inference mode cannot be traced.
    with torch.inference_mode(False), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inputs = tuple(t.clone() for t in inputs)
        torch.onnx.export(module().eval(), inputs, file, dynamo=False, opset_version=18,
                          input_names=names, output_names=["result"])
    return Graph(file.getvalue(), {name: t.numpy() for name, t in zip(names, inputs)},
                 shape)
