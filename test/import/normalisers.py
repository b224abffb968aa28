# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmaxes taken apart, and what follows them before values do, as PyTorch's users spell them.

q, k and v are [B,4,N,8], m is a square matrix of the heads; batch and length are open.
"""

import math

import torch
from torch.nn import functional as F

MINUS = float("-inf")
LOWEST = torch.finfo(torch.float32).min


def scores(q, k):
    return q @ k.transpose(-2, -1) * 8**-0.5


def powers(q, k):
    s = scores(q, k)
    return (s - s.amax(-1, keepdim=True)).exp()


def seen(v):
    """A mask of pairs, by which the first query may see nothing."""
    place = torch.arange(v.shape[2])
    return (v[:, :1, None, :, 0] > 0.1) & (place <= place[:, None])


def reciprocal(q, k, v, m):
    e = powers(q, k)
    return (e * e.sum(-1, keepdim=True).reciprocal()) @ v


def one_over(q, k, v, m):
    e = powers(q, k)
    return ((1 / e.sum(-1, keepdim=True)) * e) @ v


def log_softmax(q, k, v, m):
    n = q.shape[2]
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    return scores(q, k).masked_fill(hidden, MINUS).log_softmax(-1).exp() @ v


def logsumexp(q, k, v, m):
    s = scores(q, k) + m[0][:, None, None] * v[:, :, None, :, 0]
    return torch.exp(s - torch.logsumexp(s, -1, keepdim=True)) @ v


def logarithm(q, k, v, m):
    """To base 2, with no largest score taken off."""
    s = scores(q, k)
    return torch.exp2(s - s.exp2().sum(-1, keepdim=True).log2()) @ v


def divided_later(q, k, v, m):
    e = powers(q, k)
    return (e @ v) / e.sum(-1, keepdim=True)


def divided_after_moves(q, k, v, m):
    """Powers to base 2, with zeros where keys are hidden; heads lie side by side when the sum
    divides."""
    s = scores(q, k) * math.log2(math.e)
    place = torch.arange(q.shape[2])
    e = torch.exp2(s - s.amax(-1, keepdim=True)).masked_fill(place > place[:, None], 0.0)
    total = e.sum(-1).transpose(1, 2)[..., None]
    return ((e @ v).transpose(1, 2) * total.reciprocal()).flatten(2)


def normalized(q, k, v, m):
    return F.normalize(powers(q, k), p=1, dim=-1) @ v


def zeros_where_hidden(q, k, v, m):
    hidden = ~seen(v)
    return scores(q, k).masked_fill(hidden, MINUS).softmax(-1).masked_fill(hidden, 0.0) @ v


def zeros_where_lowest(q, k, v, m):
    """As ESPnet has it."""
    hidden = seen(v).eq(0)
    return scores(q, k).masked_fill(hidden, LOWEST).softmax(-1).masked_fill(hidden, 0.0) @ v


def zeros_of_rows(q, k, v, m):
    """Queries that are none, whatever their keys are."""
    none = q[:, :1, :, :1] > 0.1
    return torch.where(none, 0.0, scores(q, k).softmax(-1)) @ v


def zeros_for_nan(q, k, v, m):
    return torch.nan_to_num(scores(q, k).masked_fill(~seen(v), MINUS).softmax(-1)) @ v


def multiplied_mask(q, k, v, m):
    """As the first GPT has it."""
    n = q.shape[2]
    b = torch.tril(torch.ones(n, n))
    return (scores(q, k) * b + -1e9 * (1 - b)).softmax(-1) @ v


def multiplied_mask_of_input(q, k, v, m):
    b = seen(v).to(q.dtype)
    return (scores(q, k) * b + -1e4 * (1 - b)).softmax(-1) @ v


def weighted_heads(q, k, v, m):
    """A factor for each head, as BERT's head_mask, and one for each query."""
    p = scores(q, k).softmax(-1) * m[1][None, :, None, None]
    return (p * q[..., :1]) @ v


RAISED = [reciprocal, one_over, log_softmax, logsumexp, logarithm, divided_later, divided_after_moves,
          normalized, zeros_where_hidden, zeros_where_lowest, zeros_of_rows, zeros_for_nan,
          multiplied_mask, multiplied_mask_of_input, weighted_heads]


def one_more(q, k, v, m):
    """A key that has no value: the softmax plus one."""
    s = scores(q, k)
    most = s.amax(-1, keepdim=True)
    e = (s - most).exp()
    return (e / ((-most).exp() + e.sum(-1, keepdim=True))) @ v


def one_more_later(q, k, v, m):
    e = scores(q, k).exp()
    return (e @ v) / (1 + e.sum(-1, keepdim=True))


def normalized_small(q, k, v, m):
    """The sum may be less than what it is taken for at least."""
    return F.normalize(scores(q, k).exp(), p=1, dim=-1) @ v


def squares(q, k, v, m):
    return F.normalize(powers(q, k), p=2, dim=-1) @ v


def other_sum(q, k, v, m):
    """The sum is that of other powers."""
    return (powers(q, k) @ v) / powers(q, v).sum(-1, keepdim=True)


def zeros_elsewhere(q, k, v, m):
    """Keys lose their weight, and others gain none."""
    return scores(q, k).softmax(-1).masked_fill(~seen(v), 0.0) @ v


def zeros_where_low(q, k, v, m):
    """Hidden by a number that leaves weights where all keys have it."""
    hidden = ~seen(v)
    return scores(q, k).masked_fill(hidden, -9.0).softmax(-1).masked_fill(hidden, 0.0) @ v


def gated(q, k, v, m):
    """A factor of each pair follows the softmax."""
    s = q @ k.transpose(-2, -1)
    return (s.softmax(-1) * torch.sigmoid(s)) @ v


def divided_again(q, k, v, m):
    """The weights that are left add up to 1. Their sum alone is one over keys, too."""
    p = (q @ k.transpose(-2, -1) / 4).softmax(-1) * v[:, :1, None, :, 0].square()
    return (p / p.sum(-1, keepdim=True)) @ v


UNRAISED = [one_more, one_more_later, normalized_small, squares, other_sum, zeros_elsewhere,
            zeros_where_low, gated, divided_again]


def routed(q, k, v, m):
    """Experts of a layer are chosen by a softmax, which is none over keys."""
    x = v.transpose(1, 2).flatten(2)
    p = F.linear(q.transpose(1, 2).flatten(2)[..., :4], m).softmax(-1)
    return sum(p[..., e, None] * F.silu(x * (e + 1)) for e in range(4)) @ torch.cat([m] * 8)


def routed_at_once(q, k, v, m):
    x = v.transpose(1, 2).flatten(2)
    p = F.linear(q.transpose(1, 2).flatten(2)[..., :4], m).softmax(-1)
    outputs = torch.stack([F.silu(x @ torch.cat([m + e] * 8)) for e in range(4)], -2)
    return torch.einsum("bne,bned->bnd", p, outputs)


def mixed_by_input(q, k, v, m):
    """Mixers of heads that are softmaxes of the input."""
    x = q.transpose(1, 2).flatten(2)
    mixer = F.linear(x, torch.cat([torch.cat([m] * 8, 1)] * 4)).unflatten(-1, (4, 4)).softmax(-1)
    return torch.einsum("bngh,bhnd->bgnd", mixer, scores(q, k).softmax(-1) @ v)


def attended_features(q, k, v, m):
    """Exponentials between two products that are no weights: a layer with SiLU, and norms."""
    x = q.transpose(1, 2).flatten(2) @ torch.cat([torch.cat([m] * 8, 1)] * 8)
    x = F.layer_norm(x / (1 + torch.exp(-x)), (32,))
    return x @ torch.cat([m] * 8)


SILENT = [routed, routed_at_once, mixed_by_input, attended_features]
