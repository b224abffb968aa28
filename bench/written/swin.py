# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Swin-T in PyTorch, as its authors and torchvision write it: weights of linear
layers are [out, in], patches are a convolution, q, k and v one product."""

import torch
from torch.nn.functional import (conv2d, gelu, layer_norm, linear,
                                 scaled_dot_product_attention)

from bench.written import Way, exported

DEPTHS = (2, 2, 6, 2)
WINDOW, SHIFT = 7, 3


def distances():
    """Row of the table of biases, by query and key."""
    rows = torch.arange(WINDOW**2) // WINDOW
    columns = torch.arange(WINDOW**2) % WINDOW
    return ((rows[:, None] - rows + WINDOW - 1) * (2 * WINDOW - 1)
            + columns[:, None] - columns + WINDOW - 1)


def parted(size):
    """-100 between parts of a window that were not next to each other before the
    roll, else 0: [windows, 49, 49]."""
    labels = torch.zeros(size, size)
    ends = (slice(0, -WINDOW), slice(-WINDOW, -SHIFT), slice(-SHIFT, None))
    for number, (rows, columns) in enumerate((r, c) for r in ends for c in ends):
        labels[rows, columns] = number
    side = size // WINDOW
    own = labels.view(side, WINDOW, side, WINDOW).transpose(1, 2).reshape(side**2, -1)
    return (own[:, :, None] != own[:, None]) * -100.0


class Part(torch.nn.Module):
    """Tensors by name."""

    def __init__(self, **tensors):
        super().__init__()
        for name, t in tensors.items():
            self.register_parameter(name, torch.nn.Parameter(t.contiguous(),
                                                             requires_grad=False))


class Block(Part):
    def __init__(self, w, size, width, shift, is_written_out):
        heads = width // 32
        joined = [w("wq"), w("wk"), w("wv")]
        bias = w("table")[distances()].permute(2, 0, 1)[None]
        if shift:
            bias = bias + parted(size)[:, None]
        super().__init__(
            gain1=w("norm1_gain"), bias1=w("norm1_bias"), gain2=w("norm2_gain"),
            bias2=w("norm2_bias"), joined=torch.cat([t.reshape(width, -1) for t in joined],
                                                    1).t(),
            joined_bias=torch.cat([w(name).reshape(-1) for name in ("bq", "bk", "bv")]),
            bias=bias, out=w("wo").reshape(-1, width).t(), out_bias=w("bo"),
            w1=w("w1").t(), b1=w("b1"), w2=w("w2").t(), b2=w("b2"))
        self.size, self.width, self.heads, self.shift = size, width, heads, shift
        self.is_written_out = is_written_out

    def attend(self, q, k, v):
        """Of windows [images, windows, heads, 49, 32]."""
        if not self.is_written_out:
            return scaled_dot_product_attention(q, k, v, self.bias[None])
        scores = (q * 32**-0.5) @ k.transpose(-1, -2) + self.bias
        return scores.softmax(-1) @ v

    def forward(self, x):
        images, side = x.shape[0], self.size // WINDOW
        y = layer_norm(x, (self.width,), self.gain1, self.bias1)
        if self.shift:
            y = torch.roll(y, (-SHIFT, -SHIFT), (1, 2))
        y = y.view(images, side, WINDOW, side, WINDOW, self.width).transpose(2, 3)
        y = linear(y.reshape(-1, self.width), self.joined, self.joined_bias)
        q, k, v = y.view(images, side**2, WINDOW**2, 3, self.heads, 32).permute(
            3, 0, 1, 4, 2, 5).unbind(0)
        y = self.attend(q, k, v).transpose(2, 3).reshape(-1, self.width)
        y = linear(y, self.out, self.out_bias)
        y = y.view(images, side, side, WINDOW, WINDOW, self.width).transpose(2, 3)
        y = y.reshape(x.shape)
        if self.shift:
            y = torch.roll(y, (SHIFT, SHIFT), (1, 2))
        x = x + y
        y = layer_norm(x, (self.width,), self.gain2, self.bias2)
        return x + linear(gelu(linear(y, self.w1, self.b1)), self.w2, self.b2)


class Merge(Part):
    def __init__(self, w):
        super().__init__(gain=w("norm_gain"), bias=w("norm_bias"), w=w("w").t())

    def forward(self, x):
        x = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2],
                       x[:, 1::2, 1::2]], -1)
        return linear(layer_norm(x, x.shape[-1:], self.gain, self.bias), self.w)


class Network(Part):
    def __init__(self, x, is_written_out):
        super().__init__(
            patches=x["embedding_w"].permute(3, 0, 1, 2), patches_bias=x["embedding_bias"],
            gain0=x["embedding_norm_gain"], bias0=x["embedding_norm_bias"],
            gain=x["norm_gain"], bias=x["norm_bias"],
            classes=x["classifier_w"].t(), classes_bias=x["classifier_bias"])
        parts = []
        for stage, depth in enumerate(DEPTHS, 1):
            for number in range(1, depth + 1):
                size = 112 >> stage
                shift = SHIFT if number % 2 == 0 and size > WINDOW else 0
                parts.append(Block(named(x, f"stage{stage}_block{number}_"), size,
                                   48 << stage, shift, is_written_out))
            if stage < len(DEPTHS):
                parts.append(Merge(named(x, f"stage{stage}_merge_")))
        self.parts = torch.nn.Sequential(*parts)

    def forward(self, images):
        x = conv2d(images, self.patches, self.patches_bias, stride=4).permute(0, 2, 3, 1)
        x = self.parts(layer_norm(x, (96,), self.gain0, self.bias0))
        x = layer_norm(x, (768,), self.gain, self.bias).mean((1, 2))
        return linear(x, self.classes, self.classes_bias)


def named(x, prefix):
    return lambda name: x[prefix + name]


def ways(row, x):
    return {label: Way(Network(x, is_written_out), (x["images"],))
            for label, is_written_out in (("sdpa", False), ("written out", True))}


def graph(row, x):
    return exported(lambda: Network({name: t.clone() for name, t in x.items()}, True),
                    (x["images"],), row.result_shape())
