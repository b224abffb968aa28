# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of bf16, as PyTorch's users write them, whose exports test/emulator runs."""

import math

import torch
from torch import nn
from torch.nn import functional as F

WIDTH, HEADS, ROOM = 32, 2, 24
D = WIDTH // HEADS


class PackedBlock(nn.Module):
    """A block of a GPT whose queries, keys and values are one layer's."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, n, 3, HEADS, D).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, n, w))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Chunks(nn.Module):
    """The same attention as GPT-2 has it, of an argument without a layer."""

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = (part.view(b, n, HEADS, D).transpose(1, 2) for part in x.chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).reshape(b, n, w // 3)


class Multihead(nn.Module):
    """PyTorch's own layer."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class Heads(nn.Module):
    """Layers of the last token, and of a first one that is learned."""

    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.norm = nn.LayerNorm(WIDTH)
        self.next, self.kind = nn.Linear(WIDTH, 50), nn.Linear(WIDTH, 10)

    def forward(self, x):
        y = torch.cat((self.first.expand(x.shape[0], -1, -1), x), 1)
        return self.next(x[:, -1]), self.kind(self.norm(y)[:, 0])


class Masked(nn.Module):
    """A mask of truth values of open sizes, and a choice by others."""

    def forward(self, q, k, v, visible):
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        return torch.where(y > 0, y, -y / 4)


class Eager(nn.Module):
    """Attention written out, its softmax in f32, as transformers has it."""

    def forward(self, q, k, v):
        scores = q @ k.transpose(-1, -2) * D**-0.5
        return torch.softmax(scores, -1, dtype=torch.float32).to(q.dtype) @ v


class TalkingHeads(nn.Module):
    """Attention of CaiT: layers over the heads of scores and of weights, with biases."""

    def __init__(self):
        super().__init__()
        self.scores, self.weights = nn.Linear(HEADS, HEADS), nn.Linear(HEADS, HEADS)

    def forward(self, q, k, v):
        scores = q * D**-0.5 @ k.transpose(-1, -2)
        weights = self.scores(scores.permute(0, 2, 3, 1)).permute(0, 3, 1, 2).softmax(-1)
        return self.weights(weights.permute(0, 2, 3, 1)).permute(0, 3, 1, 2) @ v


class Bucketed(nn.Module):
    """Attention of T5: a bias by the distance of query and key, far ones in buckets that
    grow with the logarithm."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Embedding(12, HEADS)

    def forward(self, q, k, v):
        n = q.shape[2]
        distance = torch.arange(n)[None, :] - torch.arange(n)[:, None]
        near = distance.abs()
        far = 3 + (torch.log(near.float() / 3) / math.log(7) * 3).to(torch.long)
        bucket = 6 * (distance > 0).to(torch.long) + torch.where(near < 3, near, far.clamp(max=5))
        bias = self.bias(bucket).permute(2, 0, 1)[None]
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)


class Cosine(nn.Module):
    """Attention of Swin v2: of directions, with a scale for each head, a bias by head and
    pair, and what hides keys from window to window."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(HEADS, 1, 1))
        self.bias = nn.Parameter(torch.zeros(HEADS, ROOM, ROOM))
        self.shown = nn.Parameter(torch.zeros(2, ROOM, ROOM))

    def forward(self, q, k, v):
        scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        scores = scores * torch.clamp(self.scale * 4, max=math.log(100.0)).exp()
        scores = scores + 16 * torch.sigmoid(self.bias)
        scores = scores.view(-1, 2, HEADS, ROOM, ROOM) + torch.where(self.shown < -0.1, -100.0, self.shown)[:, None]
        return scores.view(-1, HEADS, ROOM, ROOM).softmax(-1) @ v


class Temperatures(nn.Module):
    """Scores over a temperature of each head, of one for all, and of a number of each query."""

    def __init__(self):
        super().__init__()
        self.head = nn.Parameter(torch.zeros(HEADS, 1, 1))
        self.whole = nn.Parameter(torch.zeros(1))

    def forward(self, q, k, v, visible):
        scores = q @ k.transpose(-2, -1) / (1 + self.head) * self.whole.exp()
        scores = scores * q[..., :1].abs()
        return scores.masked_fill(~visible, -torch.inf).softmax(-1) @ v


class CachedStep(nn.Module):
    """New tokens, any number of them, from the position `start` on of caches."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(2, HEADS, ROOM, D))
        self.register_buffer("values", torch.zeros(2, HEADS, ROOM, D))
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x, start):
        b, n, w = x.shape
        q, k, v = (layer(x).view(b, n, HEADS, D).transpose(1, 2)
                   for layer in (self.q, self.k, self.v))
        places = start + torch.arange(n)
        self.keys.index_copy_(2, places, k)
        self.values.index_copy_(2, places, v)
        y = F.scaled_dot_product_attention(q, self.keys, self.values,
                                           attn_mask=torch.arange(ROOM) <= places[:, None])
        return self.out(y.transpose(1, 2).reshape(b, n, w))


TOKENS = {"x": ((2, 21, WIDTH), (0, 1))}
# Queries, keys and values, as many.
ALIKE = {name: ((2, HEADS, 21, D), (0, 2)) for name in "qkv"}

# The class of each, and its inputs by name: sizes, and which dims are open.
MODELS = {
    "packed_block": (PackedBlock, TOKENS),
    "chunks": (Chunks, {"x": ((2, 21, 3 * WIDTH), (0, 1))}),
    "multihead": (Multihead, TOKENS),
    "heads": (Heads, TOKENS),
    "masked": (Masked, ALIKE | {"visible": ((21, 21), (0, 1))}),
    "eager": (Eager, ALIKE),
    "talking_heads": (TalkingHeads, ALIKE),
    "bucketed": (Bucketed, ALIKE),
    "cosine": (Cosine, {name: ((4, HEADS, ROOM, D), (0,)) for name in "qkv"}),
    "temperatures": (Temperatures, ALIKE | {"visible": ((21, 21), (0, 1))}),
    "cached_step": (CachedStep, {"x": ((2, 5, WIDTH), (1,)), "start": ((), ())}),
}
