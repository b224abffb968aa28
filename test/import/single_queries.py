# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One query that has no dim of its own, as PyTorch's users spell it.

q, k and v are [B,4,N,8], m is a square matrix of the heads; batch and length are open.
"""

import torch
from torch.nn import functional as F

MINUS = float("-inf")


def einsums(q, k, v, m):
    s = torch.einsum("bhd,bhsd->bhs", q[:, :, 0], k) * 8**-0.5
    return torch.einsum("bhs,bhsd->bhd", s.softmax(-1), v)


def columns(q, k, v, m):
    """Products are multiplied and summed up; the query is a column."""
    p = (k @ q[:, :, 0, :, None]).squeeze(-1).softmax(-1)
    return (p[..., None] * v).sum(2)


def products(q, k, v, m):
    """Products are multiplied and summed up; keys are the first dim of weights."""
    s = (q[:, :, 1, None] * k).sum(-1).permute(2, 0, 1)
    return torch.einsum("sbh,bhsd->bhd", s.softmax(0), v)


def hidden_and_mixed(q, k, v, m):
    s = torch.einsum("bhd,bhsd->bhs", q[:, :, 0], k)
    s = torch.einsum("bhs,hg->bgs", s, m) + v[..., 0] * m[0][:, None]
    s = s.masked_fill(k[:, :1, :, 0] > 0.2, MINUS).softmax(-1)
    return torch.einsum("bhs,hg,bgsd->bgd", s, m, v)


def components(q, k, v, m):
    s = torch.stack([torch.einsum("bhd,bhsd->bhs", q[:, :, 0], x) for x in (k, v)]).logsumexp(0)
    return torch.einsum("bhs,bhsd->bhd", s.softmax(-1), v)


def learned(q, k, v, m):
    """The query is a parameter; a soft cap and a slope for each head follow."""
    s = torch.einsum("hd,bhsd->bhs", torch.cat([m, m.t()], -1), k)
    s = 5 * torch.tanh(s / 5) - m[0][:, None] * torch.arange(k.shape[2]).to(q.dtype)
    return torch.einsum("bhs,bhsd->bdh", s.softmax(-1), v)


def projected(q, k, v, m):
    """Layers make query and keys of one input, which is split into heads."""
    x = k.transpose(1, 2).flatten(2)
    b, n, w = x.shape
    weight = torch.cat([torch.cat([m, -m], 1)] * 4, 1)
    weight = torch.cat([weight] * 8)
    query, key = F.linear(x[:, 0], weight).view(b, 4, 8), F.linear(x, weight.t()).view(b, n, 4, 8)
    s = torch.einsum("bhd,bnhd->bhn", query, key) * 8**-0.5
    return torch.einsum("bhn,bnhd->bhd", s.softmax(-1), x.view(b, n, 4, 8)).flatten(1)


def pooled(q, k, v, m):
    """One query of a model, no heads; keys are a layer of the values."""
    x = k.transpose(1, 2).flatten(2)
    key = F.linear(x, torch.cat([m, -m] * 4, 1))
    s = torch.einsum("bsd,d->bs", key, m[0])
    return torch.einsum("bs,bse->be", s.softmax(-1), x)


def added(q, k, v, m):
    """Additive attention: what is multiplied by a query of the model depends on one of the input."""
    s = torch.einsum("d,bhsd->bhs", m[:2].flatten(), torch.tanh(q[:, :, :1] + k))
    return torch.einsum("bhs,bhsd->bhd", s.softmax(-1), v)


def rotary(q, k, v, m):
    angle = torch.arange(k.shape[2]).to(k.dtype)[:, None] * m[1]
    left, right = k.chunk(2, -1)
    key = torch.cat([left * angle.cos() - right * angle.sin(), right * angle.cos() + left * angle.sin()], -1)
    s = torch.einsum("bhd,bhsd->bhs", q[:, :, 0], key)
    return torch.einsum("bhs,bhsd->bhd", s.softmax(-1), v)


def joined(q, k, v, m):
    """Only products have a dim of the query, next to heads and batch in one."""
    b, h, n, d = k.shape
    s = torch.bmm(q[:, :, 0].reshape(b * h, 1, d), k.reshape(b * h, n, d).transpose(1, 2)).view(b, h, n)
    s = 5 * torch.tanh(s / 5) - m[0][:, None] * torch.arange(n).to(q.dtype)
    p = s.softmax(-1)[..., None].transpose(2, 3).reshape(b * h, 1, n)
    return torch.bmm(p, v.reshape(b * h, n, d)).view(b, h, d)


RAISED = [einsums, columns, products, hidden_and_mixed, components, learned, projected, pooled,
          added, rotary, joined]
