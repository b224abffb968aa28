# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The character models as examples/charlm trains them."""

import torch

import bench.kinds.charlm  # pylint: disable=W0611
from bench.written import Way, exported


class Model(torch.nn.Module):
    """Weights are attributes of the names that they have in the graph."""

    def __init__(self, edition, x):
        super().__init__()
        self.edition = edition
        self.names = [name for name in x if name != "tokens"]
        for name in self.names:
            self.register_parameter(name, torch.nn.Parameter(x[name], requires_grad=False))

    def forward(self, tokens):
        from model import forward
        return forward(self.edition, {name: getattr(self, name) for name in self.names},
                       tokens)


def ways(row, x):
    return {"": Way(Model(row.variant, x), (x["tokens"],))}


def graph(row, x):
    def module():
        return Model(row.variant, {name: t.clone() for name, t in x.items()})
    return exported(module, (x["tokens"],), row.result_shape())
