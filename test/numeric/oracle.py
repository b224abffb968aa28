# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The second oracle: every variant in matrix form, in double precision.

Written from the formulas, knowing neither the compiler nor the manifest.
Arrays are [batch, heads, length, features]; `x` holds the arguments of a
variant by name, floats as doubles. A formula gives its results by name, `o`,
`weights` and `lse`, and the size of its scores.
"""

import functools

import numpy as np


def visible(x, causal=False, band=None):
    """Whether query i may attend to key j: a boolean [B, 1, N, S]."""
    batches, queries, keys = len(x["q"]), x["q"].shape[2], x["v"].shape[2]
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


def dot(q, k):
    """q k^T, per query head."""
    return q @ repeat_heads(k, q.shape[1]).swapaxes(-1, -2)


def products(x):
    """q k^T / sqrt(D), per head."""
    return dot(x["q"], x["k"]) / np.sqrt(x["q"].shape[-1])


def keys_of(x):
    """The keys of each component: several, shifted from one, or one."""
    if "keys" in x:
        return list(np.moveaxis(x["keys"], 2, 0))
    if "shifts" in x:
        return [x["k"] + shift[:, None, :]
                for shift in np.moveaxis(x["shifts"], 1, 0)]
    return [x["k"]]


def square_norms(q, k):
    """|q_i|^2 and |k_j|^2, per query head: a column and a row."""
    k = repeat_heads(k, q.shape[1])
    return (q * q).sum(-1)[..., :, None], (k * k).sum(-1)[..., None, :]


def gaussians(x, variances):
    """-|q - k_r|^2 / (2 variance_r), per head, for each component r."""
    return [(dot(x["q"], k) - sum(square_norms(x["q"], k)) / 2) / variance
            for k, variance in zip(keys_of(x), variances, strict=True)]


def gaussian_sizes(x, variances):
    """What stands for the size of these: (|q|^2 + |k_r|^2) / (2 variance_r)."""
    return [sum(square_norms(x["q"], k)) / (2 * variance)
            for k, variance in zip(keys_of(x), variances, strict=True)]


def dots(x, variances):
    """q k_r^T / variance_r, per head, for each component r."""
    return [dot(x["q"], k) / variance
            for k, variance in zip(keys_of(x), variances, strict=True)]


def log_sum_exp(scores, log_prior):
    """log sum_r exp(log_prior[h,r] + s_r), or of log_prior[h,r,j]."""
    prior = np.moveaxis(log_prior, 1, 0)
    prior = prior.reshape(*prior.shape[:2], 1, *(prior.shape[2:] or (1,)))
    return np.logaddexp.reduce(np.stack(scores) + prior[:, None], axis=0)


def hardest(scores):
    """max_r s_r."""
    return np.max(scores, axis=0)


def relu(x):
    return np.maximum(x, 0)


def mix_scores(scores, mixer):
    """A[b,a,i,j] = sum_k mixer[k,a] G[b,k,i,j]."""
    return np.einsum("ka,bkij->baij", mixer, scores)


def mix_positive_scores(scores, mixer):
    """A[b,a,i,j] = sum_k relu(mixer[k,a] G[b,k,i,j])."""
    return relu(mixer[:, :, None, None] * scores[:, :, None]).sum(1)


def mix_scores_by_mlp(scores, x):
    """A = w2^T relu(w1^T G + b1) + b2, over the heads."""
    hidden = mix_scores(scores, x["w1"]) + x["b1"][:, None, None]
    return mix_scores(relu(hidden), x["w2"]) + x["b2"][:, None, None]


def softmax(scores, allow):
    """Row by row over what is allowed, and the logarithm of the sums; zeros
    and -inf where that is nothing."""
    scores = np.where(allow, scores, -np.inf)
    top = scores.max(-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(top == -np.inf, 0, top))
    total = weights.sum(-1, keepdims=True)
    return (weights / np.where(total == 0, 1, total),
            (top + np.log(total))[..., 0])


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


def largest_of(stages, allow):
    """The largest finite |score| at any stage where allowed; a stage of other
    heads counts where any head is."""
    largest = 0
    for stage in stages:
        seen = allow
        if allow.shape[1] not in (1, stage.shape[1]):
            seen = allow.any(1, keepdims=True)
        finite = np.isfinite(stage) & seen
        largest = max(largest, np.abs(stage[finite]).max(initial=0))
    return largest


def attend(x, stages, allow, mix=lambda weights: weights, sizes=None):
    """The results of attending to the last stage, and the size of the scores:
    that of `sizes`, or else of all stages."""
    weights, lse = softmax(stages[-1], allow)
    weights = mix(weights)
    results = {"o": pool(weights, x["v"]), "weights": weights, "lse": lse}
    return results, largest_of(sizes or stages, allow)


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


def gaussian(x, variances=(8,), **masks):
    return attend(x, gaussians(x, variances), visible(x, **masks),
                  sizes=gaussian_sizes(x, variances))


def mgk(x, variances, **masks):
    scores = log_sum_exp(gaussians(x, variances), x["log_prior"])
    return attend(x, [scores], visible(x, **masks),
                  sizes=gaussian_sizes(x, variances))


def mgk_hard(x, variances, **masks):
    scores = hardest(gaussians(x, variances))
    return attend(x, [scores], visible(x, **masks),
                  sizes=gaussian_sizes(x, variances))


def mgk_dot(x, variances, **masks):
    scores = dots(x, variances)
    return attend(x, [*scores, log_sum_exp(scores, x["log_prior"])],
                  visible(x, **masks))


def fish(x, **masks):
    scores = products(x)
    return attend(x, [scores, mix_scores(scores, x["mixer"])],
                  visible(x, **masks))


def gfish_paper(x, **masks):
    scores = products(x)
    return attend(x, [scores, mix_positive_scores(scores, x["mixer"])],
                  visible(x, **masks))


def gfish(x, **masks):
    """The scale comes after the mixer."""
    scale = 1 / np.sqrt(x["q"].shape[-1])
    scores = dot(x["q"], x["k"])
    return attend(x, [scale * scores, scale * mix_scores_by_mlp(scores, x)],
                  visible(x, **masks))


def swin_gfish(x, **masks):
    """The scale comes before the mixer, the bias after it."""
    scores = products(x)
    mixed = mix_scores_by_mlp(scores, x)
    return attend(x, [scores, mixed, mixed + x["bias"]], visible(x, **masks))


def composed(x, variances, **masks):
    scores = log_sum_exp(gaussians(x, variances), x["log_prior"])
    mixed = mix_scores(scores, x["mixer_pre"])
    return attend(x, [mixed], visible(x, **masks),
                  lambda p: mix_heads(p, x["mixer_post"]),
                  [*gaussian_sizes(x, variances), mixed])


def equal(formula):
    return functools.partial(formula, variances=(8, 8))


def unequal(formula):
    return functools.partial(formula, variances=(8, 24))


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
    "gaussian": (gaussian, {}),
    "mgk": (unequal(mgk), {}),
    "mgk_causal": (equal(mgk), CAUSAL),
    "mgk_dot": (equal(mgk_dot), {}),
    "mgk_hard": (equal(mgk_hard), {}),
    "mgk_position_prior": (unequal(mgk), {}),
    "mgk_multi_query": (equal(mgk), {}),
    "smgk": (equal(mgk), CAUSAL),
    "smgk_full": (equal(mgk), {}),
    "smgk_unequal": (unequal(mgk), {}),
    "fish_hard": (fish, {}),
    "fish_hard_causal": (fish, CAUSAL),
    "gfish_hard": (gfish, {}),
    "gfish_paper": (gfish_paper, {}),
    "swin_gfish": (swin_gfish, {}),
    "composed": (equal(composed), CAUSAL),
    # Beyond the list: Inputs/NAME.mlir.
    "softmax_band": (plain, {"band": (5, 3)}),
    "softmax_results": (plain, CAUSAL),
    "mixhead_results": (mixhead_a, CAUSAL),
    "mgk_results": (equal(mgk), CAUSAL),
    "mixhead_everything": (mixhead_everything,
                           {"causal": True, "band": (9, 2)}),
}

# Those whose scores are distances, none of which is +inf.
DISTANCES = {"gaussian", "mgk", "mgk_causal", "mgk_hard", "mgk_position_prior",
             "mgk_multi_query", "smgk", "smgk_full", "smgk_unequal",
             "composed", "mgk_results"}


def expected(name, x):
    """The results of a variant by name, and the size of its scores."""
    formula, masks = VARIANTS[name]
    return formula(x, **masks)


def allowed(name, x):
    """Who may see whom in a variant."""
    return visible(x, **VARIANTS[name][1])
