# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in rarer spellings of PyTorch's users: each function is one.

q, k and v are [B,4,N,8], m is a square matrix of the heads; batch and length are open.
"""

import torch
from torch.nn import functional as F


def complex_rotary(q, k, v, m):
    """Rotary embeddings as complex numbers, as Llama's first code has them."""
    n, d = q.shape[2:]
    angles = torch.outer(torch.arange(n, dtype=q.dtype), 100.0 ** (-torch.arange(0, d, 2, dtype=q.dtype) / d))
    turns = torch.polar(torch.ones_like(angles), angles)[None, None]

    def turned(x):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turns).flatten(3).type_as(x)

    return F.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True)


def squared_distances(q, k, v, m):
    """A distance is a root, and its square has none."""
    both = [-torch.cdist(q, each) ** 2 / 9 for each in (k, v)]
    return torch.logaddexp(*both).softmax(-1) @ v


def mixed_powers(q, k, v, m):
    """Powers of two components, weighted by a softmax of parameters, over their sum."""
    prior = m[:, :2].softmax(-1)
    power = sum(prior[None, :, r, None, None] * torch.exp(q @ each.mT / 3) for r, each in enumerate((k, v)))
    return (power / power.sum(-1, keepdim=True)) @ v


def clamped_powers(q, k, v, m):
    """The same of priors that are above 0 because they are held there."""
    prior = m[:, :2].abs().clamp(1e-6, 2)
    power = sum(prior[None, :, r, None, None] * torch.exp(q @ each.mT / 3) for r, each in enumerate((k, v)))
    return (power / power.sum(-1, keepdim=True)) @ v


def softmax_mixer(q, k, v, m):
    """Weights of heads are mixed by a softmax, which is none of keys."""
    weights = (q @ k.mT / 3).softmax(-1)
    return torch.einsum("hg,bgij->bhij", m.softmax(-1), weights) @ v


def tiled_heads(q, k, v, m):
    """Keys of two heads, twice; values of one, four times."""
    return (q @ k[:, :2].repeat(1, 2, 1, 1).mT / 3).softmax(-1) @ v[:, :1].tile(1, 4, 1, 1)


def unit_vectors(q, k, v, m):
    """Queries and keys of length 1, as in cosine attention."""
    scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT
    return (scores * m[0].exp()[:, None, None]).softmax(-1) @ v


def joined_sum(q, k, v, m):
    """A product that is added to nothing, times a factor; distances from an op."""
    b, h, n, d = q.shape
    slopes = (0.5 ** torch.arange(h, dtype=q.dtype))[:, None, None] * torch.arange(n)
    bias = slopes.expand(b, h, 1, n).reshape(b * h, 1, n)
    scores = torch.baddbmm(bias, q.reshape(b * h, n, d), k.reshape(b * h, n, d).mT, alpha=0.3)
    return torch.bmm(scores.softmax(-1), v.reshape(b * h, n, d)).view(b, h, n, d)


def disentangled(q, k, v, m):
    """Queries and keys meet places, too, picked by how far apart they are; a mask of both (DeBERTa)."""
    n, table = q.shape[2], m.reshape(2, 8)
    apart = ((torch.arange(n)[:, None] - torch.arange(n)).clamp(-1, 0) + 1).expand(*q.shape[:2], n, n)
    ofQueries, ofKeys = (torch.gather(each @ table.mT, -1, apart) for each in (q, k))
    isKept = v[:, :1, :, 0] > -0.7
    scores = (q @ k.mT + ofQueries + ofKeys.mT) / 3
    hidden = ~(isKept[..., None] & isKept[:, :, None])
    return scores.masked_fill(hidden, torch.finfo(q.dtype).min).softmax(-1) @ v


def finite_mask(q, k, v, m):
    """Hidden by a number, which is no mask, where products of elements say so."""
    seen = q[:, :1, :, :1] * k[:, :1, :, 0][:, :, None] > -0.2
    return (q @ k.transpose(-2, -1)).masked_fill(~seen, -100.0).softmax(-1) @ v


def normed_weights(q, k, v, m):
    """Weights of heads are mixed, and normed by each head's mean and variance (DeepViT's re-attention)."""
    weights = F.conv2d((q @ k.mT / 3).softmax(-1), m[:, :, None, None], m[0])
    return F.batch_norm(weights, m[1], m[2].abs(), m[3], m[0]) @ v


def counted_bias(q, k, v, m):
    """A bias of sums that follow from places alone."""
    n = q.shape[2]
    return (q @ k.mT / 3 - 0.1 * torch.ones(n, n).triu().cumsum(-1)).softmax(-1) @ v


def residual_mixer(q, k, v, m):
    """Scores of heads, and to them what a narrow layer makes of all heads."""
    scores = (q @ k.mT / 3).permute(0, 2, 3, 1)
    return (scores - F.linear(F.linear(scores, m[:2]), m[:, :2])).permute(0, 3, 1, 2).softmax(-1) @ v


def mixed_to_others(q, k, v, m):
    """Mixed scores of other queries are added to the scores."""
    return (q @ k.mT / 3 + torch.einsum("gh,bgij->bhij", m, v @ k.mT)).softmax(-1) @ v


def gated_mixer(q, k, v, m):
    """Each row says how far its heads keep to their own weights."""
    weights, gate = (q @ k.mT / 3).softmax(-1), torch.sigmoid(q.mean(-1))[..., None]
    return (gate * weights + (1 - gate) * torch.einsum("gh,bgij->bhij", m, weights)) @ v


def residual_weights(q, k, v, m):
    """Weights of heads, less what a narrow layer makes of all heads."""
    weights = (q @ k.mT / 3).softmax(-1).permute(0, 2, 3, 1)
    return (weights - F.linear(F.linear(weights, m[:2]), m[:, :2])).permute(0, 3, 1, 2) @ v


RAISED = [complex_rotary, squared_distances, mixed_powers, softmax_mixer, tiled_heads, unit_vectors, joined_sum, disentangled,
          finite_mask, normed_weights, counted_bias, residual_mixer, mixed_to_others, clamped_powers,
          gated_mixer, residual_weights]


def covariance(q, k, v, m):
    """Features attend to features: there are as many numbers in each as rows."""
    return ((q.mT @ k / 3).softmax(-1) @ v.mT).mT


def power_of_signs(q, k, v, m):
    """A prior that may be below 0 has no logarithm."""
    power = sum((m[:, r, None, None] + 2) * torch.exp(q @ each.mT / 3) for r, each in enumerate((k, v)))
    return (power / power.sum(-1, keepdim=True)) @ v


def strongest(q, k, v, m):
    """Keys below the second largest score of their row are hidden: scores that are computed again need not be equal to it."""
    scores = q @ k.mT / 3
    least = scores.topk(2, -1)[0][..., -1:]
    return scores.masked_fill(scores < least, float("-inf")).softmax(-1) @ v


UNRAISED = [covariance, power_of_signs, strongest]
