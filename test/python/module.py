# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles modules of PyTorch: module.py FOLDER."""

import os
import sys

import mixattn
import torch
from refused import refused
from torch import nn


class Cross(nn.Module):
    """Attends from x to y, and says how much."""

    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(32, 32), nn.Linear(32, 32)

    def forward(self, x, y):
        weights = torch.softmax(self.query(x) @ self.key(y).mT / 32**0.5, dim=-1)
        return weights @ y, weights


class Twice(nn.Module):
    def forward(self, x):
        return x * 2


class Nonzero(nn.Module):
    def forward(self, x):
        return x.nonzero()


def main():
    torch.manual_seed(1)
    module = Cross().eval()
    x, y = torch.randn(2, 7, 32), torch.randn(2, 5, 32)
    dims = {"x": {0: "B", 1: "N"}, "y": {0: "B", 1: torch.export.Dim("S", max=100)}}
    out = os.path.join(sys.argv[1], "cross.so")
    compiled = mixattn.compile(module, (x, y), dims, out=out)
    print(compiled)

    x, y = torch.randn(3, 40, 32), torch.randn(3, 70, 32)
    with torch.no_grad():
        expected = module(x, y)

    def check(what, results):
        error = max(float((torch.as_tensor(a) - b).abs().max()) for a, b in zip(results, expected))
        print(f"{what}: {type(results[0]).__name__}, error {error:.1e}")

    check("tensors", compiled(x, y))
    check("arrays", compiled(x.numpy(), y.numpy()))
    check("both", compiled(x.numpy(), y=y))
    check("apart", compiled(x.transpose(0, 1).contiguous().transpose(0, 1), y))
    check("state dict", mixattn.load(out, module.state_dict())(x, y))
    check("by name", mixattn.compile(module, {"x": x, "y": y})(x, y))
    # Weights that the module learns later are another model.
    with torch.no_grad():
        module.query.weight.zero_()
    check("as it was", compiled(x, y))
    refused(compiled, x, y[:2])
    refused(compiled, x, torch.randn(3, 101, 32))
    refused(compiled, x, y.requires_grad_())
    with torch.no_grad():
        check("no gradients", compiled(x, y))
    refused(compiled, x, y.detach().mT)

    half = torch.arange(12, dtype=torch.bfloat16).reshape(3, 4)
    twice = mixattn.compile(Twice(), half)
    print("bf16:", torch.equal(twice(half), half * 2))
    refused(mixattn.compile, Twice())
    refused(mixattn.compile, Twice(), half, {"y": {0: "B"}})
    refused(mixattn.compile, Nonzero(), half)


main()
