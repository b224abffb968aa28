# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of the training side in PyTorch."""

import math

import torch

from bench.written import Unsupported, Way


def softmax_weights(q, k, v):
    """Outputs and weights."""
    weights = torch.softmax((q / math.sqrt(q.shape[-1])) @ k.transpose(-1, -2), -1)
    return weights @ v, weights


def by_distances(q, keys, log_prior):
    """As the formula: squares of distances, of which products are a part."""
    variances = variances_like(q)
    squares = ((q * q).sum(-1)[:, :, None, :, None] + (keys * keys).sum(-1)[..., None, :]
               - 2 * q[:, :, None] @ keys.transpose(-1, -2))
    return torch.softmax(log_prior[:, :, None, None] - squares / (2 * variances), 2)


def by_terms(q, keys, log_prior):
    """Products of scaled queries, and terms added in place."""
    variances = variances_like(q)
    scores = (q[:, :, None] / variances) @ keys.transpose(-1, -2)
    scores += (log_prior[:, :, None, None]
               - (q * q).sum(-1)[:, :, None, :, None] / (2 * variances))
    scores -= (keys * keys).sum(-1)[..., None, :] / (2 * variances)
    return torch.softmax(scores, 2)


def variances_like(q):
    """Those of examples/variants/responsibilities.mlir, for dims b, h, r, i, j."""
    return torch.tensor([8.0, 24.0], dtype=q.dtype)[:, None, None]


def prior_update(gamma):
    return gamma.mean((0, 3, 4))


def orthogonal_penalty(mixer):
    return ((mixer.T @ mixer - torch.eye(mixer.shape[1])) ** 2).sum()


FORMS = {"softmax_weights": {"softmax": softmax_weights},
         "responsibilities": {"distances": by_distances, "terms": by_terms},
         "prior_update": {"mean": prior_update},
         "orthogonal_penalty": {"formula": orthogonal_penalty}}


def ways(row, x):
    inputs = tuple(x.values())
    return {label: Way(form, inputs) for label, form in FORMS[row.variant].items()}


def graph(row, x):
    raise Unsupported("not written in ONNX")
