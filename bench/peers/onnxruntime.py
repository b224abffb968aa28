# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime's MultiHeadAttention, of rows that are plain attention. It is given
queries, keys and values in its own layout [B, length, heads x features]."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

from bench.peers import Setting, Unsupported

# Whether its idle threads spin; they fall asleep before others are timed.
SPINNING = ("0", "1")


def model(row):
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


def build(task, spinning):
    options = ort.SessionOptions()
    options.intra_op_num_threads = task.threads
    options.add_session_config_entry("session.intra_op.allow_spinning", spinning)
    session = ort.InferenceSession(model(task.row).SerializeToString(), options,
                                   providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name in "qkv":
        binding.bind_ortvalue_input(
            name, ort.OrtValue.ortvalue_from_numpy(packed(task.x[name])))
    dims = task.row.dims()
    result = np.zeros((dims["B"], dims["N"], dims["H"] * dims["D"]), np.float32)
    value = ort.OrtValue.ortvalue_from_numpy(result)
    binding.bind_ortvalue_output("o", value)
    shape = dims["B"], dims["N"], dims["H"], dims["D"]

    def call():
        session.run_with_iobinding(binding)
        return Packed(value.numpy, shape)
    return call


class Packed:
    """A result whose layout is changed only when somebody looks."""

    def __init__(self, view, shape):
        self.view, self.shape = view, shape

    def numpy(self):
        return self.view().reshape(self.shape).transpose(0, 2, 1, 3)


def settings(task):
    row = task.row
    if row.variant != "softmax":
        raise Unsupported("MultiHeadAttention knows one softmax per head")
    if row.dtype != "f32":
        raise Unsupported("its CPU kernel knows f32 only")
    if row.causal and row.N != row.keys:
        raise Unsupported("its causal mask needs as many keys as queries")
    for spinning in SPINNING:
        yield Setting("spinning" if spinning == "1" else "sleeping",
                      lambda spinning=spinning: build(task, spinning), task.threads)
