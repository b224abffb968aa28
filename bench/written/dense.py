# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""x W in PyTorch, W in either layout or packed for its kernels, and as ONNX's
MatMul."""

import torch

from bench.written import Graph, Way


class Linear(torch.nn.Module):
    """As torch.nn.Linear, whose weights are [M,K]."""

    def __init__(self, w):
        super().__init__()
        self.w = torch.nn.Parameter(w.t().contiguous(), requires_grad=False)

    def forward(self, x):
        return torch.nn.functional.linear(x, self.w)


class Product(torch.nn.Module):
    """Weights as they are, [K,M]."""

    def __init__(self, w):
        super().__init__()
        self.w = torch.nn.Parameter(w, requires_grad=False)

    def forward(self, x):
        return torch.mm(x, self.w)


def packed_by_onednn(x, w):
    packed = torch.ops.mkldnn._reorder_linear_weight(w.t().contiguous(), x.shape[0])
    return lambda x: torch.ops.mkldnn._linear_pointwise(x, packed, None, "none", [], "")


def packed_by_mkl(x, w):
    rows = w.t().contiguous()
    packed = torch.ops.mkl._mkl_reorder_linear_weight(rows, x.shape[0])
    return lambda x: torch.ops.mkl._mkl_linear(x, packed, rows, None, x.shape[0])


class Late:
    """Packed when it is first called, so that a failure is that of its setting."""

    def __init__(self, pack, w):
        self.pack, self.w, self.call = pack, w, None

    def __call__(self, x):
        if self.call is None:
            self.call = self.pack(x, self.w)
        return self.call(x)


def ways(row, x):
    inputs, w = (x["x"],), x["w"]
    found = {"linear": Way(Linear(w), inputs), "mm": Way(Product(w), inputs),
             "oneDNN": Way(Late(packed_by_onednn, w), inputs, is_packed=True)}
    # MKL's packed products are of f32 only.
    if row.dtype == "f32":
        found["MKL"] = Way(Late(packed_by_mkl, w), inputs, is_packed=True)
    return found


def graph(row, x):
    """The weights are constant, so that ONNX Runtime packs them."""
    import numpy as np
    from onnx import TensorProto, helper
    kind = {"f32": TensorProto.FLOAT, "bf16": TensorProto.BFLOAT16}[row.dtype]
    stored = {name: (t if row.dtype == "f32" else t.view(torch.int16)).numpy()
              for name, t in x.items()}
    w = helper.make_tensor("w", kind, [row.K, row.M], stored["w"].tobytes(), raw=True)
    model = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "dense",
        [helper.make_tensor_value_info("x", kind, [row.N, row.K])],
        [helper.make_tensor_value_info("y", kind, [row.N, row.M])], [w])
    model = helper.make_model(model, ir_version=10,
                              opset_imports=[helper.make_opsetid("", 20)])
    return Graph(model.SerializeToString(), {"x": np.ascontiguousarray(stored["x"])},
                 (row.N, row.M), row.dtype)
