# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The character model in PyTorch, in three editions that differ in attention.

A parameter is called as in the graphs and in the weight files; `p` holds those
of one layer, by name.
"""

import math

import torch
from torch.nn.functional import dropout, layer_norm

from characters import ALPHABET

LAYERS, WIDTH, HIDDEN = 2, 128, 512


def shapes(edition):
    """The shape of every parameter, by name."""
    result = {"embedding": (len(ALPHABET), WIDTH)}
    for layer in range(LAYERS):
        layer_shapes = {"norm1_gain": (WIDTH,), "norm1_bias": (WIDTH,)}
        layer_shapes |= ATTENTIONS[edition][0]
        layer_shapes |= {
            "norm2_gain": (WIDTH,), "norm2_bias": (WIDTH,),
            "w1": (WIDTH, HIDDEN), "b1": (HIDDEN,), "w2": (HIDDEN, WIDTH), "b2": (WIDTH,),
        }
        result |= {f"layer{layer}_{name}": shape for name, shape in layer_shapes.items()}
    return result | {"norm_gain": (WIDTH,), "norm_bias": (WIDTH,),
                     "unembedding": (WIDTH, len(ALPHABET))}


def initial(name, shape):
    """The first value of a parameter; `name` without its layer."""
    if name.endswith("gain"):
        return torch.ones(shape)
    if name == "slopes":
        return 2.0 ** (1 - torch.arange(shape[0], dtype=torch.float32))
    if name == "mix_bias":
        return torch.eye(shape[0])
    if name in ("log_prior", "mix_weight") or name.endswith("bias") or len(shape) == 1:
        return torch.zeros(shape)
    if name in ("mlp_w1", "mlp_w2"):
        return torch.randn(shape) / math.sqrt(shape[0])
    return 0.04 * torch.randn(shape)


def attend(scores, slopes, values, mix=None):
    """Scores [B,H,N,S] to heads [B,H,N,E]: a penalty that grows with distance,
    the causal mask, softmax, heads mixed by `mix`, sums of values."""
    place = torch.arange(scores.shape[-1])
    distance = (place[:, None] - place).to(scores.dtype)
    scores = scores - slopes[:, None, None] * distance
    weights = scores.masked_fill(distance < 0, -math.inf).softmax(-1)
    return (mix(weights) if mix else weights) @ values


def mixture_of_keys(x, p):
    """Two Gaussian keys a position, variances sqrt(D) and 3 sqrt(D)."""
    q = torch.einsum("bni,ihd->bhnd", x, p["wq"])
    keys = torch.einsum("bni,ihrd->bhrnd", x, p["wk"])
    v = torch.einsum("bni,ihe->bhne", x, p["wv"])
    variances = math.sqrt(q.shape[-1]) * torch.tensor([1.0, 3.0], dtype=x.dtype)
    distance = (q.square().sum(-1)[:, :, None, :, None] + keys.square().sum(-1)[..., None, :]
                - 2 * q[:, :, None] @ keys.transpose(-1, -2))
    scores = -distance / (2 * variances[:, None, None])
    return attend((p["log_prior"][..., None, None] + scores).logsumexp(2), p["slopes"], v)


def admixture_heads(x, p):
    """Eight local score maps from two global ones by a small network."""
    q = torch.einsum("bni,ikd->bknd", x, p["wq"])
    k = torch.einsum("bni,ikd->bknd", x, p["wk"])
    v = torch.einsum("bni,ihe->bhne", x, p["wv"])
    maps = (q @ k.transpose(-1, -2)).permute(0, 2, 3, 1)
    hidden = (maps @ p["mlp_w1"] + p["mlp_b1"]).relu()
    local = (hidden @ p["mlp_w2"] + p["mlp_b2"]).permute(0, 3, 1, 2)
    return attend(local / math.sqrt(q.shape[-1]), p["slopes"], v)


def mix_heads(x, p):
    """Heads mixed after the softmax, the mixer made from each query."""
    q = torch.einsum("bni,ihd->bhnd", x, p["wq"])
    k = torch.einsum("bni,ihd->bhnd", x, p["wk"])
    v = torch.einsum("bni,ihe->bhne", x, p["wv"])

    def mix(weights):
        mixer = torch.einsum("bcnd,da->bnca", q, p["mix_weight"]) + p["mix_bias"]
        mixed = weights.permute(0, 2, 3, 1) @ mixer
        return mixed.permute(0, 3, 1, 2)

    return attend(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), p["slopes"], v, mix)


ATTENTIONS = {
    "mixture_of_keys": ({
        "wq": (WIDTH, 4, 32), "wk": (WIDTH, 4, 2, 32), "wv": (WIDTH, 4, 32),
        "log_prior": (4, 2), "slopes": (4,), "wo": (4, 32, WIDTH),
    }, mixture_of_keys),
    "admixture_heads": ({
        "wq": (WIDTH, 2, 16), "wk": (WIDTH, 2, 16), "wv": (WIDTH, 8, 16),
        "mlp_w1": (2, 8), "mlp_b1": (8,), "mlp_w2": (8, 8), "mlp_b2": (8,),
        "slopes": (8,), "wo": (8, 16, WIDTH),
    }, admixture_heads),
    "mix_heads": ({
        "wq": (WIDTH, 8, 16), "wk": (WIDTH, 8, 16), "wv": (WIDTH, 8, 16),
        "mix_weight": (16, 8), "mix_bias": (8, 8), "slopes": (8,), "wo": (8, 16, WIDTH),
    }, mix_heads),
}


def forward(edition, parameters, tokens, drop=0.0):
    """Tokens [B,N] to logits [B,N,V]."""
    def normalised(x, name):
        return layer_norm(x, (WIDTH,), parameters[name + "_gain"], parameters[name + "_bias"])

    x = dropout(parameters["embedding"][tokens], drop, drop > 0)
    for layer in range(LAYERS):
        prefix = f"layer{layer}_"
        p = {name.removeprefix(prefix): value for name, value in parameters.items()
             if name.startswith(prefix)}
        heads = ATTENTIONS[edition][1](normalised(x, prefix + "norm1"), p)
        x = x + dropout(torch.einsum("bhne,heo->bno", heads, p["wo"]), drop, drop > 0)
        hidden = (normalised(x, prefix + "norm2") @ p["w1"] + p["b1"]).relu()
        x = x + dropout(hidden @ p["w2"] + p["b2"], drop, drop > 0)
    return normalised(x, "norm") @ parameters["unembedding"]
