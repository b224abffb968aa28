# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as PyTorch's users spell it: each function is one.

q, k and v are [B,4,N,8], m is a square matrix of the heads; batch and length
are open.
"""

import math

import torch
from torch.nn import functional as F

MINUS = float("-inf")


def einsums(q, k, v, m):
    s = torch.einsum("bhid,bhjd->bhij", q, k) * 8**-0.5
    return torch.einsum("bhij,bhjd->bihd", s.softmax(-1), v)


def views(q, k, v, m):
    """Heads are apart only while they are needed."""
    b, h, n, d = q.shape
    q, k, v = (x.transpose(1, 2).reshape(b, n, h * d) for x in (q, k, v))
    q, k, v = (x.view(b, n, h, d).transpose(1, 2) for x in (q, k, v))
    y = ((q / math.sqrt(d)) @ k.transpose(-2, -1)).softmax(-1) @ v
    return y.transpose(1, 2).reshape(b, n, h * d)


def joined_batch(q, k, v, m):
    """Batch and heads are one dim of bmm."""
    b, h, n, d = q.shape
    q, k, v = (x.reshape(b * h, n, d) for x in (q, k, v))
    s = torch.bmm(q * d**-0.5, k.transpose(1, 2))
    return torch.bmm(s.softmax(-1), v).view(b, h, n, d)


def taken_apart(q, k, v, m):
    s = q @ k.transpose(-2, -1) / 3
    s = (s - s.amax(-1, keepdim=True)).exp()
    return (s / s.sum(-1, keepdim=True)) @ v


def causal_fill(q, k, v, m):
    n = q.shape[2]
    seen = torch.ones(n, n, dtype=torch.bool).tril()
    s = (q @ k.transpose(-2, -1)).masked_fill(~seen, MINUS)
    return s.softmax(-1) @ v


def causal_sum(q, k, v, m):
    n = q.shape[2]
    place = torch.arange(n)
    hidden = torch.where(place[None] > place[:, None], MINUS, 0.0)
    return (q @ k.transpose(-2, -1) + hidden).softmax(-1) @ v


def window(q, k, v, m):
    """Each query sees itself and three keys before."""
    place = torch.arange(q.shape[2])
    back = place[:, None] - place
    s = torch.where((back >= 0) & (back < 4), q @ k.transpose(-2, -1), MINUS)
    return s.softmax(-1) @ v


def positions(q, k, v, m):
    """A slope for each head, and a soft cap."""
    place = torch.arange(q.shape[2])
    far = (place[:, None] - place).abs().to(q.dtype)
    s = 5 * torch.tanh(q @ k.transpose(-2, -1) / 5)
    return (s - m[0][:, None, None] * far).softmax(-1) @ v


def float_mask(q, k, v, m):
    """A bias made of the input, as BERT adds one."""
    bias = (1.0 - (q[:, 0, :, 0] > -0.5).to(q.dtype))[:, None, None, :] * -1e4
    return (q @ k.transpose(-2, -1) / 8**0.5 + bias).softmax(-1) @ v


def bool_mask(q, k, v, m):
    seen = q[:, :1, :, :1] * k[:, :1, :, 0][:, :, None] > -0.2
    return F.scaled_dot_product_attention(q, k, v, attn_mask=seen)


def plain(q, k, v, m):
    return F.scaled_dot_product_attention(q, k, v)


def causal(q, k, v, m):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3)


def grouped(q, k, v, m):
    return F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True)


def repeated(q, k, v, m):
    """Keys and values of two heads, expanded to four."""
    b, h, n, d = q.shape
    k, v = (x[:, :2][:, :, None].expand(b, 2, 2, n, d).reshape(b, h, n, d) for x in (k, v))
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v


def one_key_head(q, k, v, m):
    return (q @ k[:, :1].transpose(-2, -1)).softmax(-1) @ v[:, :1]


def rotary(q, k, v, m):
    def turn(x):
        left, right = x.chunk(2, -1)
        angle = torch.arange(x.shape[2], dtype=x.dtype)[:, None] * m[1]
        return torch.cat([left * angle.cos() - right * angle.sin(),
                          right * angle.cos() + left * angle.sin()], -1)
    return (turn(q) @ turn(k).transpose(-2, -1) / 8**0.5).softmax(-1) @ v


def talking_heads(q, k, v, m):
    """Linear layers over heads before and after, with offsets."""
    s = q @ k.transpose(-2, -1) * 8**-0.5
    s = F.linear(s.permute(0, 2, 3, 1), m, m[0]).permute(0, 3, 1, 2).softmax(-1)
    s = F.linear(s.permute(0, 2, 3, 1), m.t(), m[1]).permute(0, 3, 1, 2)
    return s @ v


def mixed_weights(q, k, v, m):
    p = torch.einsum("bcij,ca->baij", (q @ k.transpose(-2, -1)).softmax(-1), m)
    return p @ v


def mixed_by_row(q, k, v, m):
    mixer = torch.einsum("bcid,da->bica", q, torch.cat([m, m])) + m
    p = torch.einsum("bcij,bica->baij", (q @ k.transpose(-2, -1)).softmax(-1), mixer)
    return p @ v


def mixed_scores(q, k, v, m):
    s = torch.einsum("bkid,bkjd->bkij", q[:, :2], k[:, :2]) * 0.3
    s = torch.einsum("bkij,kh->bhij", s, m[:2])
    return torch.einsum("bhij,bhjd->bihd", s.softmax(-1), v)


def rectified_scores(q, k, v, m):
    s = q[:, :2] @ k[:, :2].transpose(-2, -1)
    s = (m[:2, :, None, None] * s[:, :, None]).relu().sum(1)
    return s.softmax(-1) @ v


def mixture_stacked(q, k, v, m):
    """Two keys a position: k and v; distances and logsumexp."""
    terms = []
    for r, key in enumerate((k, v)):
        distance = ((q**2).sum(-1, keepdim=True) + (key**2).sum(-1).unsqueeze(-2)
                    - 2 * (q @ key.transpose(-1, -2)))
        terms.append(m[r][:, None, None] - distance / (2.0 + r))
    return torch.logsumexp(torch.stack(terms), 0).softmax(-1) @ v


def mixture_of_powers(q, k, v, m):
    """The same by sums of exponentials."""
    p = 0
    for r, key in enumerate((k, v)):
        s = q @ key.transpose(-1, -2) / (4.0 + r)
        p = p + (r + 1) * torch.exp(s)
    return (p / p.sum(-1, keepdim=True)) @ v


def mixture_by_head(q, k, v, m):
    """Pairs of keys' heads are components."""
    b, h, n, d = k.shape
    s = q[:, :2, None] @ k.view(b, 2, 2, n, d).transpose(-1, -2) / 4
    return torch.logsumexp(s, 2).softmax(-1) @ v[:, :2]


def mixture_uneven(q, k, v, m):
    """Squares of keys that make no Gaussian of the products."""
    b, h, n, d = k.shape
    key = k.view(b, 2, 2, n, d)
    squares = (q[:, :2, None].square().sum(-1)[..., None] + key.square().sum(-1)[..., None, :])
    s = q[:, :2, None] @ key.transpose(-1, -2) / 4 - 0.3 * squares
    return torch.logsumexp(s, 2).softmax(-1) @ v[:, :2]


def one_query(q, k, v, m):
    """Class attention: one query is all that there is."""
    s = q[:, :, :1] @ k.transpose(-2, -1) * 8**-0.5
    return (s.softmax(-1) @ v).transpose(1, 2).flatten(2)


def one_masked(q, k, v, m):
    """A step of decoding, where some keys are hidden."""
    seen = k[:, None, :1, :, 0] > -0.2
    return F.scaled_dot_product_attention(q[:, :, -1:], k, v, attn_mask=seen)


def one_mixed(q, k, v, m):
    """Heads are joined with the batch, and mixed in between."""
    b, h, n, d = q.shape
    q, k, v = q[:, :, :1].reshape(b * h, 1, d), k.reshape(b * h, n, d), v.reshape(b * h, n, d)
    p = torch.bmm(q, k.transpose(1, 2)).view(b * h, n).softmax(-1).view(b, h, 1, n)
    p = torch.einsum("bhij,hg->bgij", p, m).reshape(b * h, 1, n)
    return torch.bmm(p, v).view(b, h, d)


def shifted_windows(q, k, v, m):
    """Parts of a window that do not see each other but by a number."""
    part = (v[:, 0, :, 0] > 0.1).to(q.dtype)
    apart = part[:, None] - part[:, :, None]
    apart = apart.masked_fill(apart != 0, -4.0).masked_fill(apart == 0, 0.0)
    return (q @ k.transpose(-2, -1) + m[0][:, None, None] + apart[:, None]).softmax(-1) @ v


def added_products(q, k, v, m):
    """A second product has keys that heads share, and a soft cap follows."""
    s = q @ k.transpose(-2, -1) - 2 * torch.einsum("bhid,bjd->bhij", v[..., :3], q[:, 0, :, :3])
    return (5 * torch.tanh(s * 0.1)).softmax(-1) @ v


def added_and_mixed(q, k, v, m):
    """Heads of a sum of products are mixed; two others are not."""
    s = q @ k.transpose(-2, -1) + v @ k.transpose(-2, -1) / 2
    s = torch.einsum("bhij,hg->bgij", s, m) + k @ q.transpose(-2, -1)
    return (s + (q[:, :1] @ k[:, 1:2].transpose(-2, -1))).softmax(-1) @ v


def distances(q, k, v, m):
    """The product comes twice, once for each order."""
    far = (q[:, :, :, None] - k[:, :, None]).square().sum(-1)
    return (-far / 3).softmax(-1) @ v


def relative_shift(q, k, v, m):
    """Places are keys of a second product, which is shifted (Transformer-XL)."""
    b, h, n, d = q.shape
    far = (torch.arange(n, dtype=q.dtype)[:, None] * (torch.arange(d) + 1) / 7).sin()
    s = F.pad((q + m[1, 0]) @ far.t(), (1, 0)).view(b, h, n + 1, n)[:, :, 1:].view(b, h, n, n)
    return ((q + m[:, :1, None]) @ k.transpose(-2, -1) + s).softmax(-1) @ v


def relative_keys(q, k, v, m):
    """Each pair has a vector that meets the query, and the key."""
    place = torch.arange(q.shape[2])
    far = (place[:, None] - place).to(q.dtype)[..., None] * m[:2].flatten()
    s = q @ k.transpose(-2, -1) + torch.einsum("bhid,ijd->bhij", q, far.cos())
    return ((s + torch.einsum("bhjd,ijd->bhij", k, far.sin())) / 2).softmax(-1) @ v


def mixers_in_a_row(q, k, v, m):
    """Heads become two and then four again; all heads of weights, twice."""
    s = torch.einsum("bhij,hg->bgij", q @ k.transpose(-2, -1), m[:, :2])
    s = torch.einsum("bgij,gh->bhij", s, m[1:3]) * m[0][:, None, None]
    p = torch.einsum("bhij,hg->bgij", s.softmax(-1), m)
    return torch.einsum("bgij,hg->bhij", p, m + 1) @ v


def given(q, k, v, m):
    """Scores are an argument, of eight keys."""
    s = (q + m.flatten()[:8]) / 3
    return s.softmax(-1) @ (k[:, :, :1].transpose(-2, -1) * m[0])


def given_and_mixed(q, k, v, m):
    s = torch.einsum("bhij,hg->bgij", q, m)
    return s.softmax(-1) @ (k[:, :, :1].transpose(-2, -1) * m[0])


def packed_by_count(positions):
    """Which of sequences side by side each position is in: one begins where the last position is
    not the one before."""
    first = positions[:, :1] - 1
    steps = positions - torch.cat([first, positions], 1)[:, :-1]
    return (steps != 1).cumsum(-1)


def in_one_sequence(positions):
    """The mask of transformers: keys of the query's sequence, up to the query."""
    batch = torch.arange(positions.shape[0])[:, None, None, None]
    place = torch.arange(positions.shape[1])
    query, key = place[None, None, :, None], place[None, None, None]
    sequence = packed_by_count(positions)
    return (key <= query) & (sequence[batch, query] == sequence[batch, key])


def continued(q, k, v, m):
    """Positions count up: all is one sequence."""
    positions = torch.arange(q.shape[2])[None].expand(q.shape[0], -1)
    seen = in_one_sequence(positions)
    s = (q @ k.transpose(-2, -1) * 0.4) + torch.where(seen, 0.0, torch.finfo(torch.float32).min)
    return s.softmax(-1) @ v


def packed(q, k, v, m):
    """The input says where sequences begin."""
    begins = (v[:, 0, :, 0] > 0.3).long()
    positions = torch.arange(q.shape[2]) + begins.cumsum(-1) * 5
    return F.scaled_dot_product_attention(q, k, v, attn_mask=in_one_sequence(positions))


RAISED = [einsums, views, joined_batch, taken_apart, causal_fill, causal_sum, window, positions,
          float_mask, bool_mask, plain, causal, grouped, repeated, one_key_head, rotary,
          talking_heads, mixed_weights, mixed_by_row, mixed_scores, rectified_scores,
          mixture_stacked, mixture_of_powers, mixture_by_head, mixture_uneven, one_query, one_masked,
          one_mixed, shifted_windows, added_products, added_and_mixed, distances, relative_shift,
          relative_keys, mixers_in_a_row, given, given_and_mixed, continued, packed]

# Those that core ATen takes apart most.
CORE = [einsums, joined_batch, plain, causal, grouped, bool_mask, rotary, talking_heads,
        mixed_by_row, mixture_stacked]


def finite_sum(q, k, v, m):
    """The sum is not quite that of the weights."""
    s = (q @ k.transpose(-2, -1)).exp()
    return (s / (s.sum(-1, keepdim=True) + 1e-6)) @ v


def doubled(q, k, v, m):
    """Queries and keys meet twice, and what becomes of both is multiplied."""
    return ((q @ k.transpose(-2, -1)).tanh() * (q @ v.transpose(-2, -1)).sigmoid()).softmax(-1) @ v


UNRAISED = [finite_sum, doubled]


class Spellings(torch.nn.Module):
    """All of `functions`, one result each."""

    def __init__(self, functions):
        super().__init__()
        self.functions = functions

    def forward(self, q, k, v, m):
        return tuple(each(q, k, v, m) for each in self.functions)
