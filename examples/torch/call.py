# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and exports a model that holds a compiled attention as one operator.

    mixattn-compile examples/variants/mixhead_a.mlir -o layer.so
    python examples/torch/call.py layer.so

or on a GPU, where a graph is captured as well:

    sed s/f32/bf16/g examples/variants/mixhead_a.mlir > layer.mlir
    mixattn-compile layer.mlir --target=x86-64-v3,sm_80,sm_90a -o layer.so
    python examples/torch/call.py layer.so bf16 cuda
"""

import sys

import entries
import torch
from torch._dynamo.backends.common import aot_autograd

NAME = "mixattn.mixhead_a.default"


class Layer(torch.nn.Module):
    """Attention of eight mixed heads over tokens of 512 features."""

    def __init__(self):
        super().__init__()
        self.project = torch.nn.Linear(512, 3 * 512)
        self.mixer = torch.nn.Parameter(torch.randn(8, 8))

    def forward(self, x):
        q, k, v = (each.unflatten(-1, (8, 64)).transpose(1, 2) for each in self.project(x).chunk(3, dim=-1))
        return torch.ops.mixattn.mixhead_a(q, k, v, self.mixer).transpose(1, 2).flatten(-2)

    def by_formula(self, x):
        q, k, v = (each.unflatten(-1, (8, 64)).transpose(1, 2) for each in self.project(x).chunk(3, dim=-1))
        weights = torch.softmax(q.double() @ k.double().mT / 8, dim=-1)
        return torch.einsum("bcns,ca,basd->bnad", weights, self.mixer.double(), v.double()).flatten(-2)


def count(graph):
    """How often the operator is in a graph, whole."""
    return sum(str(node.target) == NAME for node in graph.nodes)


def main():
    path, dtype, device = (sys.argv[1:] + ["f32", "cpu"][len(sys.argv) - 2:])
    entries.load(path)
    torch.manual_seed(1)
    placed = {"dtype": entries.DTYPES[dtype], "device": device}
    layer = Layer().to(**placed).requires_grad_(False)
    x, longer = torch.randn(2, 70, 512, **placed), torch.randn(2, 90, 512, **placed)
    expected = [layer.by_formula(each) for each in (x, longer)]

    def check(what, *results):
        error = max(float((a - b).abs().max()) for a, b in zip(results, expected))
        print(f"{what}: largest error {error:.1e}")

    check("called", layer(x), layer(longer))
    graphs = []

    def record(graph, inputs):
        graphs.append(count(graph.graph))
        return graph

    compiled = torch.compile(layer, fullgraph=True, dynamic=True, backend=aot_autograd(fw_compiler=record))
    check("compiled", compiled(x), compiled(longer))
    print("operators in each graph:", graphs)
    tokens = torch.export.Dim("tokens", min=2, max=4096)
    program = torch.export.export(layer, (x,), dynamic_shapes=({1: tokens},))
    check("exported", program.module()(x), program.module()(longer))
    print("operators in the program:", count(program.run_decompositions().graph))

    q = torch.randn(1, 8, 5, 64, **placed)
    mixer = torch.randn(8, 8, **placed)
    torch.library.opcheck(torch.ops.mixattn.mixhead_a.default, (q, q, q, mixer),
                          test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))
    if device == "cuda":
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = layer(x)
        x.copy_(longer[:, :70])
        graph.replay()
        expected[0] = layer.by_formula(x)
        check("captured", captured)
    try:
        torch.ops.mixattn.mixhead_a(q, q[:, :4], q, mixer)
    except ValueError as error:
        print("ValueError:", error)


if __name__ == "__main__":
    main()
