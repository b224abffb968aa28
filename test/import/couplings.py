# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Heads that meet in more ways than attentions.py has, as PyTorch's users spell them.

q, k and v are [B,4,N,8], m is a square matrix of the heads; batch and length are open.
"""

import torch
from torch.nn import functional as F

MINUS = float("-inf")


def pairs(k):
    """Two heads with two keys a position."""
    b, h, n, d = k.shape
    return k.reshape(b, 2, 2, n, d)


def uneven(q, k):
    """Squares of queries and of keys that make no Gaussian of the products."""
    squares = q[:, :2, None].square().sum(-1)[..., None] + pairs(k).square().sum(-1)[..., None, :]
    return q[:, :2, None] @ pairs(k).transpose(-1, -2) / 4 - 0.3 * squares


def over_heads(s, weight, bias=None):
    """A linear layer over the heads of [B,H,N,S]."""
    return F.linear(s.permute(0, 2, 3, 1), weight, bias).permute(0, 3, 1, 2)


def combined_then_mixed(q, k, v, m):
    """A mixer over heads that are the logarithm of a sum of exponentials each."""
    s = torch.logsumexp(q[:, :2, None] @ pairs(k).transpose(-1, -2) / 4, 2)
    return (0.5 * torch.einsum("bkij,kh->bhij", s, m[:2])).softmax(-1) @ v


def linear_around_distances(q, k, v, m):
    """Distances and priors; a linear layer over heads before the softmax and one after it."""
    terms = []
    for r, key in enumerate((k, v)):
        distance = ((q**2).sum(-1, keepdim=True) + (key**2).sum(-1).unsqueeze(-2)
                    - 2 * (q @ key.transpose(-1, -2)))
        terms.append(m[r][:, None, None] - distance / (2.0 + r))
    s = over_heads(torch.logsumexp(torch.stack(terms), 0), m, m[0]).softmax(-1)
    return over_heads(s, m.t(), m[1]) @ v


def largest_then_mixed(q, k, v, m):
    s = torch.stack([q @ k.transpose(-1, -2) / 3, q @ v.transpose(-1, -2) / 2]).amax(0)
    return torch.einsum("bkij,kh->bhij", s, m).softmax(-1) @ v


def biased_and_hidden(q, k, v, m):
    """What is added to components is mixed as they are; then come an offset and a mask."""
    place = torch.arange(q.shape[2])
    s = torch.logsumexp(q[:, :2, None] @ pairs(k).transpose(-1, -2) / 4, 2)
    s = s + v[:, :2, None, :, 0] * m[0, 1]
    s = torch.einsum("bkij,kh->bhij", s, m[:2]) + m[1][:, None, None]
    return torch.where(place[:, None] >= place, s, MINUS).softmax(-1) @ v


def two_mixers_of_combined(q, k, v, m):
    s = torch.log(torch.exp(q @ k.transpose(-1, -2) / 4) + 2 * torch.exp(q @ v.transpose(-1, -2) / 5))
    s = torch.einsum("bkij,kh->bhij", s, m[:, :3])
    return torch.einsum("bkij,kh->bhij", s, m[:3]).softmax(-1) @ v


def layers_over_combined(q, k, v, m):
    """Two layers over heads read them: a term of queries alone is one of their inputs."""
    s = over_heads(torch.logsumexp(uneven(q, k), 2), m[:, :2], m[0]).relu()
    return over_heads(s, m.t()).softmax(-1) @ v


def differences_and_layers(q, k, v, m):
    """Squares of differences for each component are Gaussians."""
    far = (q[:, :2, None, :, None] - pairs(k)[:, :, :, None]).square().sum(-1)
    s = torch.logsumexp(m[:2, :2, None, None] - far / 8, 2)
    return over_heads(over_heads(s, m[:, :2], m[0]).relu(), m.t()).softmax(-1) @ v


def combined_and_capped(q, k, v, m):
    """A soft cap reads the terms of queries, too."""
    s = torch.logsumexp(uneven(q, k), 2)
    return (2 * torch.tanh(s / 2)).softmax(-1) @ v[:, :2]


def softplus(q, k, v, m):
    """One exponential and a number are no two components."""
    return (1 + torch.exp(q @ k.transpose(-1, -2) / 4)).log().softmax(-1) @ v


def mixed_and_capped(q, k, v, m):
    s = torch.einsum("bkij,kh->bhij", torch.logsumexp(uneven(q, k), 2), m[:2])
    return (2 * torch.tanh(s / 2)).softmax(-1) @ v


def capped_and_biased(q, k, v, m):
    """A soft cap, and a bias of all pairs, one for each batch row and head."""
    bias = v[:, :, :, None, 0] * k[:, :, None, :, 1]
    return (5 * torch.tanh(q @ k.transpose(-1, -2) / 5) + bias).softmax(-1) @ v


def hidden_by_a_number(q, k, v, m):
    seen = v[:, :1, :, 0][:, :, None] * m[0][:, None, None] > -0.2
    return torch.where(seen, q @ k.transpose(-1, -2), -4.0).softmax(-1) @ v


def offset_and_capped(q, k, v, m):
    """All with heads innermost; a soft cap reads the offset of each."""
    s = torch.einsum("bhid,bhjd->bijh", q, k) * 8**-0.5
    p = F.linear((3 * torch.tanh(F.linear(s, m, m[0]) / 3)).softmax(2), m, m[1])
    return torch.einsum("bijh,bhjd->bihd", p, v)


def convolutions(q, k, v, m):
    """Talking heads as patches of one place."""
    s = F.conv2d(q @ k.transpose(-2, -1) * 8**-0.5, m[:, :, None, None], m[0]).softmax(-1)
    return F.conv2d(s, m.t()[:, :, None, None], m[1]) @ v


RAISED = [combined_then_mixed, linear_around_distances, largest_then_mixed, biased_and_hidden,
          two_mixers_of_combined, layers_over_combined, differences_and_layers, combined_and_capped,
          mixed_and_capped, softplus, capped_and_biased, hidden_by_a_number, offset_and_capped,
          convolutions]
