# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model that says each attention outright by mixattn.ops, every clause once."""

import os
import sys

import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "python"))
import mixattn.ops as ops  # noqa: E402


class Outright(nn.Module):
    """q, k and v are [B, 4, N, 8] and [B, 4, S, 8]."""

    SHAPES = {"prior": (4, 3), "shifts": (4, 3, 8), "bias": (4, 1, 1),
              "w": (8, 4), "b": (4, 4), "two": (2, 4), "w1": (2, 5), "b1": (5,), "w2": (5, 4), "b2": (4,),
              "sigma": (2,), "shared": (2,), "random": (8, 3), "e": (3, 8), "f": (3, 8)}

    def __init__(self):
        super().__init__()
        for name, shape in self.SHAPES.items():
            self.register_parameter(name, nn.Parameter(torch.empty(shape)))

    def forward(self, q, k, v, m):
        rows = torch.arange(q.shape[0])
        lengths, start = rows + 3, rows + 2
        mask = (k[:, :1, :, 0] < 0.5).unsqueeze(2)
        two_q, two_k, two_v = q[:, :2], k[:, :2], v[:, :2]
        keys = torch.stack([k, -k, k * 2], 2)
        seed, noise = torch.tensor(12345678901234), torch.einsum("bhnd,bhsd->bhns", q, k)
        w = {"w1": self.w1, "b1": self.b1, "w2": self.w2, "b2": self.b2}
        return (
            ops.softmax(q, two_k, two_v, scale=0.75, bias=self.bias, softcap=1.5, mask=mask, causal=True),
            ops.softmax(q, k, v, gaussian=True, lengths=lengths, band=[2, 1], start=start),
            ops.softmax(q, k[:, :, :8], v[:, :, :8], key_projection=self.e, value_projection=self.f),
            *ops.mixture_of_keys.lse(q, keys, v, prior=self.prior, variances=[2.0, 3.0, 4.5]),
            ops.mixture_of_keys(q, k, v, shifts=self.shifts, maximum=True, sigsoftmax=True),
            ops.mixture_of_keys(q, keys, v, prior=self.prior, dot=True, keep=[1, 2]),
            ops.admixture_heads(two_q, two_k, v, mixer=self.two, relu_per_key=True, scale=0.25, scale_before=True),
            ops.admixture_heads(two_q, two_k, v, **w, noise_kind="global", sigma=self.sigma, noise=noise[:, :2]),
            ops.admixture_heads(two_q, two_k, v, mixer=self.shared, noise_kind="local", sigma=self.sigma,
                                seed=seed, offset=torch.tensor(3)),
            *ops.mix_heads.weights(q, k, v, mixer=m, causal=True),
            ops.mix_heads(q, k, v, mix_source=q, mix_weight=self.w, mix_bias=self.b, scale=0.375),
            ops.linear(q, two_k, two_v, causal=True, eps=0.125, output_scale=0.5),
            ops.linear(q, k, v, projection=self.random, feature_map="favor", lengths=lengths),
            ops.linear_mixture_of_keys(q, k, v, shifts=self.shifts, prior=m[:, :3].abs(),
                                       feature_map="normalized_elu"),
            ops.linear_mixture_of_keys(q, keys, v, feature_map="dpfp", rolls=2, eps=0.125),
            ops.linear_admixture_heads(q, two_k, two_v, mixer=m[:2].abs(), feature_map="relu", eps=0.25),
            ops.linear_admixture_heads(q, two_k, two_v, **w, normaliser=m[:2].abs()),
        )
