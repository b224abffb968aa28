# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention without a softmax: products of features, divided by their sum.

Weights are written out, o_i = sum_j W_ij v_j / sum_j W_ij, except where a
perceptron bends the sums of keys and values themselves.
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


def features_of_keys(x, feature_map):
    """sum_r prior_r phi(k_r): the components meet behind the feature map."""
    maps = [feature_map(k) for k in basics.keys_of(x)]
    if "prior" not in x:
        return sum(maps)
    # [R,1,H,1,1 or S]: one number a key, whatever its feature.
    prior = scores.by_component(x["prior"]).swapaxes(-1, -2)
    return sum(p * phi for p, phi in zip(prior, maps, strict=True))


def divided(dividend, terms, allow, eps, output_scale):
    """output_scale * dividend / (sum of terms + eps): zero where that is, and
    where nothing is seen. `terms` are [.., N, n] of the denominator."""
    sums = terms.sum(-1) + eps
    sizes = np.abs(terms).sum(-1) + eps
    o = basics.quotient(dividend, sums[..., None])
    seen = allow.any(-1)
    o = np.where(seen[..., None], output_scale * o, 0)
    kappas = np.where(sizes == 0, 1, sizes / np.abs(sums))
    return Expected({"o": o}, kappas=np.where(seen, kappas, 1))


def linear(x, feature_map=elu, eps=0.0, output_scale=1.0, **masks):
    """W_ij = phi(q_i) . phi(k_j)."""
    allow = basics.visible(x, **masks)
    features = features_of_keys(x, feature_map)
    weights = np.where(allow, scores.dot(feature_map(x["q"]), features), 0)
    return divided(basics.pool(weights, x["v"]), weights, allow, eps,
                   output_scale)


def mix_states(per_key_head, mixer):
    """sum_k mixer[k,a] of what key head k gives to output head a."""
    return np.einsum("ka,bkaij->baij", mixer, per_key_head)


def mixed_linear(x, feature_map=elu, eps=0.0, output_scale=1.0, **masks):
    """W_ij of output head a and key head k is mixer[k,a] phi(q_ai) . phi(k_kj),
    on the values that key head k reads."""
    allow = basics.visible(x, **masks)
    features = features_of_keys(x, feature_map)
    heads = features.shape[1]
    q = feature_map(x["q"])
    weights = np.stack([np.where(allow, scores.dot(q, features[:, k:k + 1]), 0)
                        for k in range(heads)], 1)
    v = basics.repeat_heads(x["v"], heads)
    pooled = np.stack([basics.pool(weights[:, k], v[:, k:k + 1])
                       for k in range(heads)], 1)
    # The terms of the denominator: a number a key head and key.
    terms = x["mixer"][:, :, None, None] * weights
    terms = np.concatenate(list(np.moveaxis(terms, 1, 0)), -1)
    return divided(mix_states(pooled, x["mixer"]), terms, allow, eps,
                   output_scale)


def states(features, v, allow):
    """S = sum_j phi_j v_j^T per key head, over what each query sees: [B, heads,
    N or 1, features, values]."""
    batches, heads, keys, _ = features.shape
    seen = allow.any(2)[:, :, :, None]
    features, v = np.where(seen, features, 0), np.where(seen, v, 0)
    outer = (features[..., :, None] * v[..., None, :]).reshape(
        batches, heads, keys, -1)
    sums = allow.astype(float) @ outer
    return sums.reshape(batches, heads, allow.shape[2], features.shape[-1],
                        v.shape[-1])


def bend_states(s, x):
    """b2_a + sum_l w2[l,a] relu(b1_l + sum_k w1[k,l] S_k), entrywise."""
    def mixed(s, w, b):
        return (np.einsum("kl,bk...->bl...", w, s, optimize=True)
                + b.reshape(-1, *[1] * (s.ndim - 2)))
    return mixed(basics.relu(mixed(s, x["w1"], x["b1"])), x["w2"], x["b2"])


def bent_linear(x, feature_map=elu, eps=0.0, output_scale=1.0, **masks):
    """A perceptron over heads makes S_a of all S_k; the denominator is a sum,
    by weights of its own."""
    allow = basics.visible(x, **masks)
    features = features_of_keys(x, feature_map)
    heads = features.shape[1]
    q = feature_map(x["q"])
    # What all queries see alike is summed up once.
    rows = allow if masks.get("causal") else allow[:, :, :1]
    s = bend_states(states(features, basics.repeat_heads(x["v"], heads), rows),
                    x)
    dividend = np.einsum("baid,baide->baie", q, np.broadcast_to(
        s, (*q.shape, s.shape[-1])), optimize=True)
    terms = np.concatenate([
        x["normaliser"][k][:, None, None]
        * np.where(allow, scores.dot(q, features[:, k:k + 1]), 0)
        for k in range(heads)], -1)
    return divided(dividend, terms, allow, eps, output_scale)
