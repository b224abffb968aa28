# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random arguments of a variant, in each element type."""

import re

import numpy as np

QKV = "q[B,8,N,64] k[B,8,S,64] v[B,8,S,64]"
GROUPED = "q[B,8,N,64] k[B,2,S,64] v[B,2,S,96]"

MIXTURE = "q[B,4,N,64] keys[B,4,2,S,64] v[B,4,S,64]"
SHIFTED = ("q[B,4,N,64] k[B,4,S,64] shifts[4,2,64] v[B,4,S,64]"
           " log_prior[4,2]")
GLOBAL = "q[B,2,N,64] k[B,2,S,64] v[B,8,S,64]"

SEQUENCES = ("q", "k", "keys", "v")

# As in the list of variants; `f32` after the shape: whatever the others are.
SIGNATURES = {
    "softmax": QKV,
    "softmax_causal": QKV,
    "softmax_gqa": "q[B,8,N,64] k[B,2,S,64] v[B,2,S,64]",
    "softmax_padded": QKV + " lengths[B]",
    "softmax_masked": QKV + " mask[B,1,N,S]",
    "softmax_bias": QKV + " bias[8,N,S]",
    "softmax_softcap": QKV,
    "softmax_alibi": QKV + " slopes[8]",
    "softmax_everything": GROUPED + " bias[8,N,S] lengths[B] mask[B,1,N,S]",
    "mixhead_a": QKV + " mixer[8,8]",
    "mixhead_a_causal": QKV + " mixer[8,8]",
    "mixhead_b": QKV + " w[64,8] b[8,8]",
    "mixhead_b_causal": QKV + " w[64,8] b[8,8]",
    "mixhead_shared_values":
        "q[B,8,N,64] k[B,1,S,64] v[B,1,S,64] mixer[8,8]",
    "mixhead_relative_bias": QKV + " mixer[8,8] bias[B,8,N,S]",
    "gaussian": QKV,
    "mgk": MIXTURE + " log_prior[4,2]",
    "mgk_causal": MIXTURE + " log_prior[4,2]",
    "mgk_dot": MIXTURE + " log_prior[4,2]",
    "mgk_hard": MIXTURE,
    "mgk_position_prior": MIXTURE + " log_prior[4,2,S]",
    "mgk_multi_query":
        "q[B,4,N,64] keys[B,1,2,S,64] v[B,1,S,64] log_prior[4,2]",
    "smgk": SHIFTED,
    "smgk_full": SHIFTED,
    "smgk_unequal": SHIFTED,
    "fish_hard": GLOBAL + " mixer[2,8]",
    "fish_hard_causal": GLOBAL + " mixer[2,8]",
    "gfish_hard": GLOBAL + " w1[2,8] b1[8] w2[8,8] b2[8]",
    "gfish_paper": GLOBAL + " mixer[2,8]",
    "swin_gfish": "q[B,6,49,32] k[B,6,49,32] v[B,12,49,32]"
                  " w1[6,12] b1[12] w2[12,12] b2[12] bias[12,49,49]",
    "composed": "q[B,2,N,64] keys[B,2,2,S,64] log_prior[2,2]"
                " mixer_pre[2,8] mixer_post[8,8] v[B,8,S,64]",
    "softmax_band": QKV,
    "softmax_results": GROUPED + " lengths[B]",
    "mixhead_results": QKV + " mixer[8,8]f32",
    "mgk_results": MIXTURE + " log_prior[4,2]f32",
    "mixhead_everything": GROUPED + " w[64,8]f32 b[8,8]f32 bias[8,1,S]f32"
                                    " slopes[8]f32 lengths[B] mask[N,S]",
}


def draw(name, shape, sizes, scale, rng):
    """One argument, floats as doubles."""
    if name == "lengths":
        lengths = rng.integers(0, sizes["S"] + 1, shape)
        lengths[1:2] = 0
        return lengths
    if name == "mask":
        mask = rng.random(shape) < 0.7
        mask[..., -1:, :] = False
        return mask
    if name == "slopes":
        return 0.5 ** np.arange(1, shape[0] + 1)
    values = rng.standard_normal(shape)
    if name in ("mixer", "mixer_pre", "mixer_post", "b"):
        return np.eye(*shape) + values / 2
    if name == "w":
        return values / 10
    return values * scale if name in SEQUENCES else values


def poison(x, special, allow):
    """Puts values into `x` that ordinary numbers do not reach.

    nan: keys and values that no query sees are NaN; inf: the first key of the
    first head scores +inf; ninf: biases hide keys, and all keys from a query;
    off: priors switch a component off, and all of them at some positions.
    """
    if special == "nan":
        hidden = ~allow.any(axis=(1, 2))
        for name in {"k", "keys", "v"} & set(x):
            np.moveaxis(x[name], -2, 1)[hidden] = np.nan
    elif special == "inf":
        x["q"][..., 0] = np.abs(x["q"][..., 0]) + 1
        keys = x["k"] if "k" in x else x["keys"]
        keys[:, 0, ..., :1, 0] = np.inf
    elif special == "ninf":
        x["bias"][..., ::3] = -np.inf
        x["bias"][..., :1, :] = -np.inf
    elif special == "off":
        x["log_prior"][0, 1] = -np.inf
        if x["log_prior"].ndim == 3:
            x["log_prior"][:, :, ::3] = -np.inf


def draw_all(variant, sizes, scale, dtype, rng):
    """The arguments by name, and the element types of those that are floats."""
    x, dtypes = {}, {}
    for name, dims, kind in re.findall(r"(\w+)\[([^]]*)\](\w*)",
                                       SIGNATURES[variant]):
        shape = [sizes[d] if d in sizes else int(d) for d in dims.split(",")]
        x[name] = draw(name, shape, sizes, scale, rng)
        if x[name].dtype == np.float64:
            dtypes[name] = kind or dtype
    return x, dtypes


def encode(array, dtype):
    """The array as mixattn-run reads it; bf16 has no name in NumPy."""
    if dtype == "bf16":
        bits = array.astype(np.float32).view(np.uint32)
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        rounded = np.where(np.isnan(array), 0x7FC0, rounded)
        return rounded.astype(np.uint16).view("V2")
    return array.astype({"f16": np.float16, "f32": np.float32}[dtype])


def decode(array):
    """An array from a file as doubles, exactly."""
    if array.dtype == np.dtype("V2"):
        bits = array.view(np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64)
    return array.astype(np.float64) if array.dtype.kind == "f" else array
