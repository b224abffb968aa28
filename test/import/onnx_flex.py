# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of onnx_ops.py: FlexAttention with the graphs that modify scores and weights."""

import numpy as np

import draw
import onnx_files as onnx
from onnx_cases import B, N, softmax

H, D, S = 4, 8, 7


def graph(nodes, initializers=()):
    """A graph s -> r as an attribute's field; what else it reads is around it."""
    wide = [None] * 4
    body = onnx.fields(1, nodes) + onnx.field(2, "mod")
    body += onnx.fields(5, [onnx.tensor(array, name) for name, array in initializers])
    body += onnx.field(11, onnx.value("s", "float32", wide)) + onnx.field(12, onnx.value("r", "float32", wide))
    return onnx.field(6, body) + onnx.field(20, 5)


def flex(score=lambda s: s, prob=lambda p: p, scale=D**-0.5):
    """FlexAttention of queries, of keys and of values, whose heads may be fewer."""
    def compute(q, k, v):
        k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
        return prob(softmax(score(q @ k.swapaxes(2, 3) * scale))) @ v
    return compute


def attention(p):
    for name, heads, length in (("q", H, N), ("k", H, S), ("v", H, S), ("g", 2, S)):
        p.input(name, draw.floats("onnx.f." + name, (B, heads, length, D)), ["B", heads, length, D])
    mixer = draw.floats("onnx.f.m", (H, H))
    bias = p.name_of(draw.floats("onnx.f.b", (H, N, S)))
    preview = {"domain": "ai.onnx.preview"}
    p.out("FlexAttention", "q", "k", "v", ref=flex(), **preview)
    p.out("FlexAttention", "q", "g", "g", scale=0.5, ref=flex(scale=0.5), **preview)
    # A soft cap and a bias of the graph around.
    capped = graph([onnx.node("Div", ["s", "cap"], ["a"]), onnx.node("Tanh", ["a"], ["b"]),
                    onnx.node("Mul", ["b", "cap"], ["c"]), onnx.node("Add", ["c", bias], ["r"])],
                   [("cap", np.array(2, np.float32))])
    p.out("FlexAttention", "q", "k", "v", score_mod=capped,
          ref=flex(lambda s: 2 * np.tanh(s / 2) + p.arrays[bias]), **preview)
    # Heads that mix: of scores before the softmax, of weights after it.
    mixed = graph([onnx.node("Transpose", ["s"], ["a"], perm=[0, 2, 3, 1]),
                   onnx.node("MatMul", ["a", "mixer"], ["b"]),
                   onnx.node("Transpose", ["b"], ["r"], perm=[0, 3, 1, 2])], [("mixer", mixer)])
    mix = lambda x: np.einsum("bhij,hg->bgij", x, mixer)  # noqa: E731
    p.out("FlexAttention", "q", "k", "v", score_mod=mixed, ref=flex(mix), **preview)
    p.out("FlexAttention", "q", "k", "v", prob_mod=mixed, ref=flex(prob=mix), **preview)
    p.out("FlexAttention", "q", "k", "v", score_mod=mixed, prob_mod=mixed, ref=flex(mix, mix),
          **preview)
