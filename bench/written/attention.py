# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in PyTorch, form by form, and as ONNX Runtime's MultiHeadAttention,
which is given queries, keys and values in its own layout [B, length, heads x
features]."""

import numpy as np

from bench.written import Graph, Unsupported, Way


def forms(row):
    """Functions of the arguments and of a mask."""
    from bench.peers import formulas, linear
    if row.variant == "mlk_causal":
        return linear.forms(row)
    if row.variant not in formulas.FORMS:
        raise Unsupported(f"no formula of {row.variant} is written for PyTorch")
    return formulas.FORMS[row.variant]


def ways(row, x):
    from bench.peers import formulas
    hidden = formulas.causal_mask(row, x["q"].dtype)
    return {label: Way(form, (x, hidden)) for label, form in forms(row).items()}


def model(row):
    from onnx import TensorProto, helper
    dims = row.dims()
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT,
                                             [dims["B"], length, dims["H"] * dims["D"]])
               for name, length in (("q", row.N), ("k", row.keys), ("v", row.keys),
                                    ("o", row.N))]
    node = helper.make_node("MultiHeadAttention", ["q", "k", "v"], ["o"],
                            domain="com.microsoft", num_heads=dims["H"],
                            unidirectional=int(row.causal))
    graph = helper.make_graph([node], "attention", tensors[:3], tensors[3:])
    return helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)])


def packed(t):
    """[B,H,L,D] as [B,L,H D]."""
    b, heads, length, features = t.shape
    return np.ascontiguousarray(t.numpy().transpose(0, 2, 1, 3)).reshape(
        b, length, heads * features)


def graph(row, x):
    if row.variant != "softmax":
        raise Unsupported("MultiHeadAttention knows one softmax per head")
    if row.dtype != "f32":
        raise Unsupported("its CPU kernel knows f32 only")
    if row.causal and row.N != row.keys:
        raise Unsupported("its causal mask needs as many keys as queries")
    b, heads, n, d = row.result_shape()
    return Graph(model(row).SerializeToString(), {name: packed(x[name]) for name in "qkv"},
                 (b, n, heads * d),
                 view=lambda o: o.reshape(b, n, heads, d).transpose(0, 2, 1, 3))
