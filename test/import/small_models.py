# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose exports are test inputs. Parameters and inputs are drawn by
archive.py; batch and length are open.
"""

import torch
from torch import nn
from torch.nn import functional as F

import attentions
import couplings
import more_attentions
import normalisers
import op_models
import outright
import single_queries


class Layer(nn.Module):
    """A transformer layer as PyTorch's users write it."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads, self.d = heads, width // heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = (part.view(b, n, self.heads, self.d).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).chunk(3, dim=-1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, n, w))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Pointwise(nn.Module):
    """Arithmetic, functions, comparisons and choices."""

    def __init__(self, width=8):
        super().__init__()
        self.scale = nn.Parameter(torch.empty(width))
        self.register_buffer("offset", torch.empty(width, 1))

    def forward(self, x):
        _, n, w = x.shape
        y = torch.add(x * self.scale, self.offset.squeeze(1), alpha=2)
        positive = x.abs() + 1
        place = torch.arange(n) - 3
        return (
            1 - y, y / 3, -y, y ** 2, positive ** 1.5, y.clamp(-1, 0.5),
            torch.exp(y) + torch.log(positive),
            torch.sqrt(positive) + torch.rsqrt(positive), torch.tanh(y) * torch.sigmoid(x),
            F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), torch.erf(x),
            torch.sin(x) + torch.cos(y), positive.reciprocal(),
            torch.where(x > y, x, 0.25), x.masked_fill((x < 0) | (y >= 1), -2.0),
            torch.maximum(x, y), torch.minimum(x, y),
            (torch.div(place, 2, rounding_mode="floor") * 10 + place)[None, :, None] + x,
            torch.div(place, 2, rounding_mode="trunc").to(x.dtype)[:, None] * y,
            (~(place == 1)).to(x.dtype)[:, None] * x,
            x / n + w, (4 * x).floor() + y.ceil(), torch.remainder(x, -0.3),
            torch.remainder(place, 3)[:, None] * x,
        )


class Views(nn.Module):
    """Other sizes and orders, parts, and tensors side by side."""

    def __init__(self, width=12):
        super().__init__()
        self.table = nn.Parameter(torch.empty(7, width))

    def forward(self, x, index):
        b, n, w = x.shape
        first, second, third = x.view(b, n, 3, w // 3).unbind(2)
        left, right = x.split([5, 7], dim=-1)
        return (
            x.view(b * n, w).t().reshape(w, b, n).permute(1, 2, 0),
            x.reshape(b, n, 2, 2, 3).transpose(1, 3).flatten(2).unsqueeze(1).squeeze(1)
            .reshape(b, 2, 2, n, 3).transpose(1, 3).reshape(b, n, w),
            torch.cat([right, left], -1), torch.stack([first, third], 2),
            second + x[:, :, 1:9:2], x[:, 0], x[:, -1:, 2], x.select(2, 5),
            x[..., None].expand(b, n, w, 2), self.table[index],
            F.embedding(index.clamp(0, 6), self.table),
            x.chunk(4, -1)[1], self.table.index_select(1, torch.arange(4) * 2),
            torch.ones(n, n).tril() + torch.zeros(n, n, dtype=x.dtype).triu(1) + x[0, 0, 0],
            x.roll(5, 2) + x.roll(-14, 2),
            torch.full((n, 2), 1.5).triu(-1) * x[:, :, :2],
            torch.cat([*x.split([0, 12, 0], -1), left[..., 2:2].roll(3, 2)], -1),
        )


class Moves(nn.Module):
    """Ops that PyTorch takes apart where it is asked to: dims moved and repeated, products
    over named dims, functions of one number."""

    def forward(self, x, y):
        z = x.abs()
        return (
            x.movedim(2, 0), torch.moveaxis(x, (0, 1), (-1, 0)),
            x.swapaxes(0, 2), torch.swapdims(x, 1, -1), x.mT,
            x.repeat_interleave(3, 1), x.repeat_interleave(2),
            torch.tensordot(x, y, dims=([2], [1])),
            torch.tensordot(x, y, dims=([0, 2], [0, 1])),
            torch.log1p(z), torch.expm1(x), torch.exp2(x), torch.log2(z + 1),
            torch.logaddexp(x, x[:, :1] - 1), x.detach() + 1,
        )


class Picks(nn.Module):
    """Elements by tensors of indices; differences and running sums."""

    def __init__(self, width=12):
        super().__init__()
        self.table = nn.Parameter(torch.empty(7, 3, width))

    def forward(self, x, index):
        b, n, w = x.shape
        rows = index % 3
        places = torch.arange(n).expand(b, n)
        return (
            self.table[index, rows], self.table[index[:, None], :, rows[None]],
            self.table[:, rows, 2:5], self.table[:, torch.arange(3) * 0 + 1, torch.arange(3)],
            x.gather(2, (index % w)[..., None].expand(b, n, 4)), x[:, :, :3].gather(1, index[..., None].expand(b, n, 3) % 2),
            (places * 2 + 1)[torch.arange(b)[:, None, None, None], places[:, None, :, None]],
            x.diff(), x.diff(dim=1, prepend=x[:, :1]), index.diff(append=index[:, :2]),
            x.view(b, n, 3, 4)[:, torch.arange(2) + 1, :, torch.arange(2) * 3],
            x.cumsum(1), x[0].cumsum(-1), (index > 0).cumsum(0), places.cumsum(-1),
        )


class Images(nn.Module):
    """Patches, borders and means of images; a tensor filled part by part."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 4, (2, 3), stride=(2, 3))
        self.columns = nn.Conv2d(3, 2, (8, 1), stride=(8, 1), bias=False)
        self.gain, self.shift = nn.Parameter(torch.empty(3)), nn.Parameter(torch.empty(3))
        self.register_buffer("mean", torch.empty(3))

    def forward(self, x):
        filled = x.new_zeros(8, 12)
        filled[0:3, 1:5] = 1.5
        filled[3:, 5:] = x[0, 0, 3:, 5:]
        filled[:, -2:] = -1
        return (
            self.patches(x), self.columns(x), F.pad(x, (1, 0, 0, 2)), F.pad(x, (0, 3), value=-1.5),
            F.adaptive_avg_pool2d(x, 1), x + filled, F.group_norm(x, 3, self.gain, self.shift, 0.1),
            F.group_norm(self.patches(x), 2), F.batch_norm(x, self.mean, self.mean.abs(), self.gain, eps=0.1),
            F.batch_norm(x[:, :, 0, 0], self.mean, self.mean.abs(), None, self.shift),
        )


class Sums(nn.Module):
    """Reductions, products and norms."""

    def __init__(self, width=6):
        super().__init__()
        self.square = nn.Parameter(torch.empty(width, width))
        self.cube = nn.Parameter(torch.empty(2, width, 3))
        self.norm = nn.RMSNorm(width)

    def forward(self, x, y):
        return (
            x.sum(-1), x.mean((1, 2), keepdim=True), x.mean(1), x.amax(2), x.amin(0, keepdim=True),
            x.softmax(1), x.log_softmax(-1), x.logsumexp((0, 2)), x.max() + x.min(),
            x @ self.square, x @ y, (x @ y).softmax(-1) @ x, x[0, 0] @ self.square,
            torch.einsum("bnw,wv->bvn", x, self.square),
            torch.einsum("bnw,hwd->bhnd", x, self.cube),
            torch.einsum("bnw->wn", x), torch.einsum("i,j->ij", x[0, 0], x[0, 1]),
            torch.einsum("bnw,wv,bmv->bnm", x, self.square, x),
            torch.einsum("...w,vw->...v", x, self.square), self.norm(x),
            torch.addmm(self.square[0], x[0], self.square), torch.bmm(x, y),
            F.layer_norm(x, (6,)), (x > 0).sum(-1),
            (x > 0.9).any(1), (x > -0.9).all(2, keepdim=True),
            x.var(2), x.var((0, 1), correction=0, keepdim=True), *torch.var_mean(x, 1),
        )


# Exported with everything taken apart to core ATen.
CORE = {"core_attentions"}
# Exported as PyTorch traces it, with nothing taken apart.
RAW = {"moves", *op_models.MODELS}

SEQUENCES = {name: ((2, 4, 5, 8), (0, 2)) for name in "qkv"} | {"m": ((4, 4), ())}

# The class of each, and its inputs by name: sizes, and which dims are open.
MODELS = {
    "layer": (Layer, {"x": ((2, 5, 32), (0, 1))}),
    "pointwise": (Pointwise, {"x": ((2, 5, 8), (0, 1))}),
    **op_models.MODELS,
    "moves": (Moves, {"x": ((2, 5, 6), (0, 1)), "y": ((2, 6, 5), (0, 2))}),
    "views": (Views, {"x": ((2, 5, 12), (0, 1)), "index": ((2, 5), (0, 1))}),
    "picks": (Picks, {"x": ((2, 5, 12), (0, 1)), "index": ((2, 5), (0, 1))}),
    "images": (Images, {"x": ((2, 3, 8, 12), (0,))}),
    "attentions": (lambda: attentions.Spellings(attentions.RAISED), SEQUENCES),
    "core_attentions": (lambda: attentions.Spellings(attentions.CORE), SEQUENCES),
    "plain_attentions": (lambda: attentions.Spellings(attentions.UNRAISED), SEQUENCES),
    "more_attentions": (lambda: attentions.Spellings(more_attentions.RAISED), SEQUENCES),
    "kept_attentions": (lambda: attentions.Spellings(more_attentions.UNRAISED), SEQUENCES),
    "normalisers": (lambda: attentions.Spellings(normalisers.RAISED), SEQUENCES),
    "kept_normalisers": (lambda: attentions.Spellings(normalisers.UNRAISED), SEQUENCES),
    "no_attentions": (lambda: attentions.Spellings(normalisers.SILENT), SEQUENCES),
    "couplings": (lambda: attentions.Spellings(couplings.RAISED), SEQUENCES),
    "outright": (outright.Outright, {"q": ((2, 4, 5, 8), (0, 2)), "k": ((2, 4, 9, 8), (0, 2)),
                                     "v": ((2, 4, 9, 8), (0, 2)), "m": ((4, 4), ())}),
    "single_queries": (lambda: attentions.Spellings(single_queries.RAISED), SEQUENCES),
    "sums": (Sums, {"x": ((2, 5, 6), (0, 1)), "y": ((2, 6, 5), (0, 2))}),
}
