# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of PyTorch by families, each used as its documents show. They are exported as PyTorch traces
them, with nothing taken apart. Batch and length are open.
"""

import torch
from torch import nn
from torch.nn import functional as F


class Functions(nn.Module):
    """Functions of one number or two, what rounds them, and questions about them."""

    def forward(self, x, y):
        z, small = x.abs(), x.tanh() * 0.9
        odd = torch.where(x > 0.8, float("inf"), torch.where(x < -0.8, float("nan"), x))
        place = torch.arange(x.shape[2]) - 2
        return (
            torch.tan(small), torch.asin(small), torch.acos(small), torch.atan(x), torch.sinh(x),
            torch.cosh(x), torch.asinh(x), torch.acosh(z + 1), torch.atanh(small),
            torch.erfc(x), torch.log10(z + 1), (4 * x).round(), (4 * x).trunc(), (4 * x).frac(),
            torch.sign(place)[:, None].to(x.dtype) * x[:, :1, :1] + torch.sign(x[:, :1, :1]),
            torch.deg2rad(x) + torch.rad2deg(y), torch.atan2(x, y), torch.hypot(x, y),
            torch.xlogy(z, y.abs() + 1), torch.fmod(4 * x, y), torch.fmod(place, 3)[:, None] * y[:, :1, :1],
            torch.fmax(odd, y).clamp(max=5), torch.fmin(odd, y),
            torch.lerp(x, y, 0.3), torch.addcmul(x, x, y, value=2), torch.addcdiv(x, y, z + 1, value=-1),
            torch.nan_to_num(odd, nan=7.0, posinf=9.0), odd.isnan(), odd.isinf(), odd.isfinite(),
            place.isnan(), torch.isclose(x, x + 1e-6), torch.logical_xor(x > 0, y > 0),
            (place << 2) + (place >> 1), x // 0.3, torch.remainder(place, -3), torch.remainder(x, y),
            torch.floor_divide(place, 2), torch.clamp_min(x, 0.1) + torch.clip(y, max=0.2),
            x.double().half().double().bfloat16().float(), torch.float_power(z, 1.5),
            torch.subtract(x, y, alpha=2) * torch.negative(torch.absolute(y)),
        )


class Activations(nn.Module):
    """Activations, with their parameters and without."""

    def __init__(self, channels=3):
        super().__init__()
        self.slopes = nn.Parameter(torch.empty(channels))

    def forward(self, x):
        x = 4 * x
        return (
            F.elu(x) + 1, F.elu(x, 0.5), F.selu(x), F.celu(x, 2.0), F.leaky_relu(x, 0.1), F.relu6(2 * x),
            F.hardtanh(x, -0.5, 1.5), F.hardswish(x), F.hardsigmoid(x), F.mish(x), F.softplus(x),
            F.softplus(x, 2.0, 3.0), F.logsigmoid(x), F.glu(x, 1), F.threshold(x, 0.1, 20.0), F.softshrink(x, 0.3),
            F.hardshrink(x, 0.3), F.softsign(x), F.tanhshrink(x), F.prelu(x.unflatten(1, (-1, 3)).movedim(2, 1), self.slopes),
        )


class Repeats(nn.Module):
    """Tensors several times, turned round and in another order; new ones from sizes."""

    def forward(self, x, y):
        n = x.shape[1]
        return (
            x.repeat(1, 2, 3), x.repeat(2, 1, 1, 1), x.tile(2), x[:, :1].repeat(1, 3, 1), torch.hstack([x, y]),
            torch.vstack([x[0, 0], y[0, 1]]), torch.dstack([x[0], y[0]]), torch.column_stack([x[0, 0], y[0]. mT]),
            *torch.broadcast_tensors(x[:, :1], y), *torch.meshgrid(x[0, 0], y[0, :, 0], indexing="xy"),
            F.pixel_shuffle(x[:, None].expand(-1, 4, -1, -1) * y[:, None], 2),
            F.pixel_unshuffle(x[:, None, :4], 2), x.flip(1), x.flip((0, 2)), x.roll(2, 1), x.roll(-1, 1), x.narrow(1, 1, 2),
            x[..., :2, :3].diagonal(1, -2, -1), torch.diag_embed(x), torch.diag(x[0, 0]), x.unfold(1, 3, 1), x.unfold(2, 2, 4),
            torch.eye(n) * x[:, :, :1], torch.linspace(0, 1, 6) * x, torch.full_like(x, 2) * y,
            F.pad(x, (2, 1), mode="replicate"), F.pad(x, (2, 1), mode="reflect"), F.pad(x, (2, 1), mode="circular"),
            torch.arange(5, -1, -1) + x, torch.arange(n, 0, -1)[:, None] * x,
        )


class Vectors(nn.Module):
    """Products of vectors, their norms and distances."""

    def __init__(self, width=6):
        super().__init__()
        self.cube = nn.Parameter(torch.empty(4, width, width))

    def forward(self, x, y):
        one, other = x[0, 0], y[0, 1]
        return (
            torch.outer(one, other), torch.dot(one, other), torch.inner(x, y), torch.mv(x[0], other),
            torch.addmv(x[0, :, 0], x[0], other, beta=2, alpha=0.5), torch.addr(x[0, :1, 0] * 0 + self.cube[0], one, other),
            torch.addmm(self.cube[0], self.cube[1], self.cube[2], beta=0.5, alpha=3),
            torch.addbmm(x[0] @ y[0].mT, x, y.mT, beta=0.5), torch.baddbmm(x @ y.mT, x, y.mT, alpha=0.25),
            torch.linalg.multi_dot([x[0], self.cube[0], y[0].mT]), F.bilinear(x, y, self.cube, self.cube[0, 0, :4]),
            F.normalize(x, dim=-1), x.norm(dim=-1), x.norm(), x.norm(p=1, dim=(1, 2), keepdim=True),
            torch.linalg.norm(x, dim=1), torch.linalg.vector_norm(x, 3, -1), torch.linalg.vector_norm(x, float("inf"), -1),
            torch.linalg.vector_norm(x, -float("inf"), -1), torch.linalg.vector_norm(x.relu(), 0, -1),
            F.cosine_similarity(x, y, dim=-1), F.pairwise_distance(x, y), torch.cdist(x, y), torch.cdist(x, y[:1], p=1),
            x.std(-1), x.std((0, 1), correction=0), *torch.std_mean(x, 1), x.prod(-1), (x > 0).long().prod(-1) + 1,
            (1 + x).cumprod(1), torch.count_nonzero(x.relu(), dim=1),
        )


class Places(nn.Module):
    """Where elements are, their order, and elements written at places that are values."""

    def forward(self, x, index):
        rows, values = index % 3, (10 * x).round()
        spread = (10 * x).abs().long() % 6
        return (
            x.argmax(-1), x.argmin(1, keepdim=True), values.argmax(), *values.max(2), *values.min(1, keepdim=True), *torch.aminmax(x),
            torch.max(x, x.flip(1)) - torch.min(x, x[:, :1]), *x.topk(2, 1), values.topk(3, largest=False)[0], *torch.sort(values, stable=True),
            torch.sort(values, dim=1, descending=True, stable=True)[0], torch.argsort(values, stable=True), index.sort(-1)[0],
            x.bfloat16().topk(1)[0].float(), F.one_hot(rows, 4), torch.take_along_dim(x, x.argsort(-1), -1),
            torch.take(x, rows), x.gather(1, spread[:, :1, :4] % 3), x.index_add(2, torch.tensor([4, 0]), x[..., :2], alpha=2),
            x.index_fill(2, torch.tensor([1, -1]), 0.5), x.index_copy(2, torch.tensor([5, 0]), x[..., :2]),
            x.scatter_add(2, spread, x), x.scatter(2, spread[..., :1].flip(1), 0.5), x.scatter(2, torch.argsort(x), x),
            torch.zeros_like(x).scatter(-1, x.topk(2).indices, 1.0), torch.ops.aten.index_put(x, [None, None, torch.tensor([3, 1])], x[..., :2]),
        )


class Windows(nn.Module):
    """Convolutions and pools whose windows overlap, have borders or steps."""

    def __init__(self):
        super().__init__()
        self.line, self.deep = nn.Conv1d(4, 6, 3, padding=1), nn.Conv1d(4, 4, 3, groups=4, dilation=2)
        self.image = nn.Conv2d(3, 4, 3, padding=1, bias=False)
        self.strided = nn.Conv2d(3, 4, (3, 2), stride=(2, 1), padding=(1, 0))
        self.groups, self.same = nn.Conv2d(6, 4, 2, groups=2), nn.Conv2d(3, 2, (4, 3), padding="same")
        self.norm = nn.InstanceNorm1d(4, affine=True)
        self.lengths = nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 6, 3), dim=2)

    def forward(self, x, image):
        return (
            self.line(x), self.deep(x), self.image(image), self.strided(image), self.groups(torch.cat([image, -image], 1)), self.same(image),
            F.max_pool1d(x, 3, 1), F.max_pool2d(image, 2, ceil_mode=True), F.max_pool2d(image, 3, 2, 1),
            F.max_pool2d(image, 3, 2, ceil_mode=True), F.avg_pool2d(image, 3, 2, 1, ceil_mode=True), F.avg_pool2d(image, (2, 3), (3, 4), (1, 0), True, False), F.avg_pool1d(x, 2, 1), F.avg_pool2d(image, 2, 1, 1),
            F.avg_pool2d(image, 3, 2, 1, count_include_pad=False), F.adaptive_avg_pool2d(image, (2, 3)), F.adaptive_avg_pool1d(x, 1),
            self.norm(x), F.unfold(image, (3, 2), padding=1, stride=2), self.lengths(x), F.adaptive_avg_pool2d(image, (5, 4)),
            F.fold(F.unfold(image, (3, 2), 2, padding=(1, 0), stride=(2, 1)) * 0.5, (8, 6), (3, 2), 2, (1, 0), (2, 1)),
        )


class Enlarged(nn.Module):
    """Images that grow: transposed convolutions, and the nearest elements."""

    def __init__(self):
        super().__init__()
        self.tiles, self.line = nn.ConvTranspose2d(4, 3, 2, stride=2), nn.ConvTranspose1d(4, 3, 4, stride=2, padding=1)
        self.groups = nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.wide = nn.ConvTranspose2d(4, 3, (3, 2), dilation=2, padding=(1, 0), bias=False)
        self.cut = nn.ConvTranspose2d(4, 2, 3, stride=3, padding=3)

    def forward(self, x, image):
        return (
            self.tiles(image), self.line(x), self.groups(image), self.wide(image), self.cut(image), F.interpolate(image, scale_factor=2),
            F.interpolate(image, size=(2 * image.shape[2], 9)), F.interpolate(x, scale_factor=3.0), F.interpolate(image, scale_factor=(1, 2)),
        )


class Resampled(nn.Module):
    """Images of other sizes, known ones and such as follow from theirs."""

    def forward(self, line, image, opened):
        deep = image[:, :, None]
        return (
            *[F.interpolate(image, **options) for options in (
                {"size": (7, 11), "mode": "bilinear"}, {"size": (3, 14), "mode": "bilinear", "align_corners": True},
                {"size": (3, 14), "mode": "bilinear", "antialias": True}, {"scale_factor": 1.5, "mode": "bilinear"},
                {"size": (9, 5), "mode": "bicubic"}, {"scale_factor": 2, "mode": "bicubic", "align_corners": True},
                {"size": (3, 14), "mode": "bicubic", "antialias": True}, {"size": (1, 1), "mode": "bilinear", "align_corners": True},
                {"scale_factor": 1.7},
                *[{"scale_factor": (1.1, 2.2), "mode": mode} for mode in ("nearest", "nearest-exact", "bilinear", "bicubic")],
                {"scale_factor": (1.1, 0.5), "mode": "bicubic", "antialias": True}, {"size": (4, 13)}, {"size": (4, 13), "mode": "nearest-exact"}, {"size": (12, 8), "mode": "nearest-exact"})],
            F.interpolate(deep, scale_factor=(2, 1.5, 1), mode="trilinear"), F.interpolate(line, size=9, mode="linear"), F.interpolate(line, scale_factor=1.1),
            F.interpolate(deep, scale_factor=(1, 1.1, 2.2)),
            F.interpolate(opened, scale_factor=2, mode="bilinear"), F.interpolate(opened, size=(opened.shape[2] + 1, 7), mode="bicubic"),
            F.interpolate(opened, size=(2 * opened.shape[2] - 1, 3)), F.interpolate(opened, scale_factor=3.0, mode="bilinear", align_corners=True),
        )


class Lengths(nn.Module):
    """Two sequences, of whose batches the file does not say that they are one, and places between their ends."""

    def __init__(self, width=8):
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(width, 2, 12, batch_first=True)

    def forward(self, x, context):
        n, s = x.shape[1], context.shape[1]
        mask = torch.ones(n, n, dtype=torch.bool).tril(s - 4)
        ahead = torch.full((n, s + n), float("-inf")).triu(1 + s)
        return (
            self.layer(x, context), F.scaled_dot_product_attention(x, x, x, attn_mask=mask), ahead.exp(), torch.arange(n + s - 1, -1, -1) - torch.arange(n + s),
            torch.arange(n - 1, -1, -1.0).to(x.dtype)[:, None] * x, torch.arange(2 * n - 1, -1, -2)[:, None] * x,
            torch.arange(n, -n, -1.0, dtype=torch.int64) * s, x[:, max(0, 1 - n):] + context[:, max(0, 2 - s - n):].sum(1, keepdim=True),
            context[:, :min(s, s + n)], torch.cat([x, x], 1)[:, -n:], x + torch.arange(-63.0, 1).to(x.dtype)[max(0, 64 - n):, None],
        )


SEQUENCE = ((2, 5, 6), (0, 1))
MODELS = {
    "functions": (Functions, {"x": SEQUENCE, "y": SEQUENCE}),
    "activations": (Activations, {"x": ((2, 6, 5), (0,))}),
    "repeats": (Repeats, {"x": SEQUENCE, "y": SEQUENCE}),
    "vectors": (Vectors, {"x": SEQUENCE, "y": SEQUENCE}),
    "ordered": (Places, {"x": SEQUENCE, "index": ((2, 5), (0, 1))}),
    "enlarged": (Enlarged, {"x": ((2, 4, 5), (0, 2)), "image": ((2, 4, 4, 3), (0, 2))}),
    "resampled": (Resampled, {"line": ((2, 3, 6), (0,)), "image": ((2, 3, 6, 8), (0,)), "opened": ((2, 3, 4, 5), (0, 2, 3))}),
    "lengths": (Lengths, {"x": ((2, 3, 8), (0, 1)), "context": ((2, 5, 8), (0, 1))}),
    "windows": (Windows, {"x": ((2, 4, 7), (0, 2)), "image": ((2, 3, 8, 6), (0,))}),
}
