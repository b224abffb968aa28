# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention without a softmax: products of features, divided by their sum. The
feature map is elu where none is said.

Weights are written out, W_ij = phi(q_i) . phi(k_j), except where a perceptron
bends the sums of keys and values themselves. All features are at least 0.
"""

import numpy as np

from oracle import basics, scores
from oracle.basics import Expected


def elu(x):
    """elu(x) + 1."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def normalized_elu(x):
    features = elu(x)
    return features / features.sum(-1, keepdims=True)


def dpfp(x, rolls):
    """relu[x, -x] times each of its rolls: feature i meets feature i - r."""
    y = basics.relu(np.concatenate([x, -x], -1))
    return np.concatenate([y * np.roll(y, r, -1)
                           for r in range(1, rolls + 1)], -1)


def favor(x, w):
    """[exp(-|x|^2/2 + x w), exp(-|x|^2/2 - x w)] + 1e-4, over sqrt(2 m)."""
    half_norm = (x * x).sum(-1, keepdims=True) / 2
    features = np.concatenate([np.exp(x @ w - half_norm),
                               np.exp(-(x @ w) - half_norm)], -1)
    return (features + 1e-4) / np.sqrt(features.shape[-1])


def features_of_queries(x, feature_map):
    return (feature_map or elu)(x["q"])


def features_of_keys(x, feature_map):
    """sum_r prior_r phi(k_r): components are summed after the feature map."""
    maps = [(feature_map or elu)(k) for k in basics.keys_of(x)]
    if "prior" not in x:
        return sum(maps)
    # [R,1,H,1,1 or S]: one number a key, whatever its feature.
    prior = scores.by_component(x["prior"]).swapaxes(-1, -2)
    return sum(p * phi for p, phi in zip(prior, maps, strict=True))


def divided(dividend, sums, sizes, allow, eps, output_scale):
    """output_scale * dividend / (sums + eps): zero where that is, and where
    nothing is seen. `sizes` are the sums of the terms' magnitudes."""
    sums, sizes = sums + eps, sizes + eps
    seen = allow.any(-1)
    o = output_scale * basics.quotient(dividend, sums[..., None])
    kappas = np.where(sizes == 0, 1, sizes / np.abs(sums))
    return Expected({"o": np.where(seen[..., None], o, 0)},
                    kappas=np.where(seen, kappas, 1))


def weights_of(q, features, allow):
    """phi(q_i) . phi(k_j) where i sees j."""
    return np.where(allow, scores.dot(q, features), 0)


def linear(x, feature_map=None, eps=0.0, output_scale=1.0, **masks):
    """o_i = sum_j W_ij v_j / sum_j W_ij."""
    allow = basics.visible(x, **masks)
    weights = weights_of(features_of_queries(x, feature_map),
                         features_of_keys(x, feature_map), allow)
    return divided(basics.pool(weights, x["v"]), weights.sum(-1),
                   np.abs(weights).sum(-1), allow, eps, output_scale)


def mix_sums(sums, mixer):
    """sum_k mixer[k,a] of what key head k gives to output head a."""
    return sum(share.reshape(-1, *[1] * (of_k.ndim - 2)) * of_k
               for share, of_k in zip(mixer, sums, strict=True))


def mixed_linear(x, feature_map=None, eps=0.0, output_scale=1.0, **masks):
    """W_ij of output head a and key head k is mixer[k,a] phi(q_ai) . phi(k_kj),
    on the values that key head k reads."""
    allow = basics.visible(x, **masks)
    features = features_of_keys(x, feature_map)
    heads = features.shape[1]
    q = features_of_queries(x, feature_map)
    v = basics.repeat_heads(x["v"], heads)
    pooled, sums = [], []
    for k in range(heads):
        weights = weights_of(q, features[:, k:k + 1], allow)
        pooled.append(basics.pool(weights, v[:, k:k + 1]))
        sums.append(weights.sum(-1))
    return divided(mix_sums(pooled, x["mixer"]), mix_sums(sums, x["mixer"]),
                   mix_sums(np.abs(sums), np.abs(x["mixer"])), allow, eps,
                   output_scale)


def states(features, v, allow):
    """S = sum_j phi_j v_j^T per key head, over what each query sees: [B, heads,
    N or 1, features, values]."""
    seen = allow.any(2)[:, :, :, None]
    features, v = np.where(seen, features, 0), np.where(seen, v, 0)
    outer = features[..., :, None] * v[..., None, :]
    sums = allow.astype(float) @ outer.reshape(
        *outer.shape[:3], outer.shape[3] * outer.shape[4])
    return sums.reshape(*sums.shape[:3], *outer.shape[3:])


def bend_states(s, x):
    """b2_a + sum_l w2[l,a] relu(b1_l + sum_k w1[k,l] S_k), entrywise."""
    def mixed(s, w, b):
        return (np.einsum("kl,bk...->bl...", w, s, optimize=True)
                + b.reshape(-1, *[1] * (s.ndim - 2)))
    return mixed(basics.relu(mixed(s, x["w1"], x["b1"])), x["w2"], x["b2"])


def bent_linear(x, feature_map=None, eps=0.0, output_scale=1.0, **masks):
    """A perceptron over heads makes S_a of all S_k; the denominator is a sum,
    by weights of its own."""
    allow = basics.visible(x, **masks)
    features = features_of_keys(x, feature_map)
    heads = features.shape[1]
    q = features_of_queries(x, feature_map)
    v = basics.repeat_heads(x["v"], heads)
    # If not causal, all queries see the same keys: one sum serves all.
    rows = allow if masks.get("causal") else allow[:, :, :1]
    s = bend_states(states(features, v, rows), x)
    if s.shape[2] == 1:
        dividend = q @ s[:, :, 0]
    else:
        dividend = np.einsum("baid,baide->baie", q, s)
    sums = [weights_of(q, features[:, k:k + 1], allow).sum(-1)
            for k in range(heads)]
    return divided(dividend, mix_sums(sums, x["normaliser"]),
                   mix_sums(np.abs(sums), np.abs(x["normaliser"])), allow, eps,
                   output_scale)
