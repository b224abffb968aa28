# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The second oracle: every variant in matrix form, in double precision.

Written from the formulas, knowing neither the compiler nor the manifest.
Arrays are [batch, heads, length, features]; `x` holds the arguments of a
variant by name, floats as doubles. A formula gives its result and the size
of its scores.
"""

import numpy as np


def visible(x, causal=False, band=None):
    """Whether query i may attend to key j: a boolean [B, 1, N, S]."""
    batches, queries, keys = len(x["q"]), x["q"].shape[2], x["k"].shape[2]
    row = np.arange(queries)[:, None] + (keys - queries)
    column = np.arange(keys)[None, :]
    allow = np.ones((batches, 1, queries, keys), bool)
    if causal:
        allow &= column <= row
    if band:
        lower, upper = band
        allow &= (-upper <= row - column) & (row - column <= lower)
    if "lengths" in x:
        allow &= column < x["lengths"][:, None, None, None]
    if "mask" in x:
        allow &= x["mask"]
    return allow


def repeat_heads(array, heads):
    """Gives each of `heads` query heads the key head that it reads."""
    return np.repeat(array, heads // array.shape[1], axis=1)


def products(x):
    """q k^T / sqrt(D), per head."""
    q = x["q"]
    k = repeat_heads(x["k"], q.shape[1])
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])


def softmax(scores, allow):
    """Row by row over what is allowed; zeros where that is nothing."""
    scores = np.where(allow, scores, -np.inf)
    top = scores.max(-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(top == -np.inf, 0, top))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def pool(weights, v):
    """weights v per head; what has no weight adds nothing, NaN included."""
    v = repeat_heads(v, weights.shape[1])
    finite = np.isfinite(v)
    result = weights @ np.where(finite, v, 0)
    poisoned = (weights != 0).astype(float) @ (~finite).astype(float)
    return np.where(poisoned > 0, np.nan, result)


def mix_heads(weights, mixer):
    """W[b,a,i,j] = sum_c mixer[c,a] P[b,c,i,j]."""
    return np.einsum("ca,bcij->baij", mixer, weights)


def mix_heads_by_row(weights, q, w, b):
    """The same, the mixer of query i being b + q_i w."""
    mixer = np.einsum("bcid,da->bica", q, w) + b
    return np.einsum("bica,bcij->baij", mixer, weights)


def softcap(scores):
    return 30 * np.tanh(scores / 30)


def alibi(scores, slopes):
    queries, keys = scores.shape[-2:]
    row = np.arange(queries)[:, None] + (keys - queries)
    distance = np.abs(np.arange(keys)[None, :] - row)
    return scores - slopes[:, None, None] * distance


def attend(x, stages, allow, mix=lambda weights: weights):
    """The result, and the largest finite |score| at any stage where allowed."""
    finite = [s[np.isfinite(s) & allow] for s in stages]
    largest = max(np.abs(s).max(initial=0) for s in finite)
    return pool(mix(softmax(stages[-1], allow)), x["v"]), largest


def with_bias(x):
    scores = products(x)
    return [scores, scores + x["bias"]] if "bias" in x else [scores]


def plain(x, **masks):
    return attend(x, with_bias(x), visible(x, **masks))


def softmax_softcap(x, **masks):
    scores = products(x)
    return attend(x, [scores, softcap(scores)], visible(x, **masks))


def softmax_alibi(x, **masks):
    scores = products(x)
    return attend(x, [scores, alibi(scores, x["slopes"])],
                  visible(x, **masks))


def mixhead_a(x, **masks):
    return attend(x, with_bias(x), visible(x, **masks),
                  lambda p: mix_heads(p, x["mixer"]))


def mixhead_b(x, **masks):
    return attend(x, with_bias(x), visible(x, **masks),
                  lambda p: mix_heads_by_row(p, x["q"], x["w"], x["b"]))


def mixhead_everything(x, **masks):
    stages = with_bias(x)
    stages.append(alibi(softcap(stages[-1]), x["slopes"]))
    return attend(x, stages, visible(x, **masks),
                  lambda p: mix_heads_by_row(p, x["q"], x["w"], x["b"]))


CAUSAL = {"causal": True}

# The formula of each variant, and the masks that its attributes say.
VARIANTS = {
    "softmax": (plain, {}),
    "softmax_causal": (plain, CAUSAL),
    "softmax_gqa": (plain, {}),
    "softmax_padded": (plain, {}),
    "softmax_masked": (plain, {}),
    "softmax_bias": (plain, {}),
    "softmax_softcap": (softmax_softcap, {}),
    "softmax_alibi": (softmax_alibi, {}),
    "softmax_everything": (plain, CAUSAL),
    "mixhead_a": (mixhead_a, {}),
    "mixhead_a_causal": (mixhead_a, CAUSAL),
    "mixhead_b": (mixhead_b, {}),
    "mixhead_b_causal": (mixhead_b, CAUSAL),
    "mixhead_shared_values": (mixhead_a, {}),
    "mixhead_relative_bias": (mixhead_a, {}),
    # Beyond the list: Inputs/NAME.mlir.
    "softmax_band": (plain, {"band": (5, 3)}),
    "mixhead_everything": (mixhead_everything,
                           {"causal": True, "band": (9, 2)}),
}


def expected(name, x):
    """The result of a variant, and the size of its scores."""
    formula, masks = VARIANTS[name]
    return formula(x, **masks)


def allowed(name, x):
    """Who may see whom in a variant."""
    return visible(x, **VARIANTS[name][1])
