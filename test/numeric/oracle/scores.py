# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scores: products or distances, their combination over components, mixers of
heads before the softmax, noise, and what bends them."""

import itertools

import numpy as np

from oracle import basics, philox


def dot(q, k):
    """q k^T, per query head."""
    return q @ basics.repeat_heads(k, q.shape[1]).swapaxes(-1, -2)


def products(x):
    """q k^T / sqrt(D), per head."""
    return dot(x["q"], x["k"]) / np.sqrt(x["q"].shape[-1])


def square_norms(q, k):
    """|q_i|^2 and |k_j|^2, per query head: a column and a row."""
    k = basics.repeat_heads(k, q.shape[1])
    return (q * q).sum(-1)[..., :, None], (k * k).sum(-1)[..., None, :]


def gaussians(x, variances):
    """-|q - k_r|^2 / (2 variance_r), per head, for each component r; where
    there are more of them than variances, these begin anew."""
    return [(dot(x["q"], k) - sum(square_norms(x["q"], k)) / 2) / variance
            for k, variance in zip(basics.keys_of(x), itertools.cycle(variances))]


def gaussian_sizes(x, variances):
    """The sizes that are taken for these: (|q|^2 + |k_r|^2) / (2 variance_r)."""
    return [sum(square_norms(x["q"], k)) / (2 * variance)
            for k, variance in zip(basics.keys_of(x), itertools.cycle(variances))]


def dots(x, variances):
    """q k_r^T / variance_r, per head, for each component r."""
    return [dot(x["q"], k) / variance
            for k, variance in zip(basics.keys_of(x), itertools.cycle(variances))]


def by_component(prior):
    """[H,R] or [H,R,S] as [R,1,H,1,1 or S]."""
    prior = np.moveaxis(prior, 1, 0)
    return prior.reshape(len(prior), 1, prior.shape[1], 1,
                         *(prior.shape[2:] or (1,)))


def log_sum_exp(scores, log_prior):
    """log sum_r exp(log_prior[h,r] + s_r), or of log_prior[h,r,j]."""
    return np.logaddexp.reduce(np.stack(scores) + by_component(log_prior),
                               axis=0)


def hardest(scores):
    """max_r s_r."""
    return np.max(scores, axis=0)


def sizes_that_matter(sizes, scores, combined, log_prior=None):
    """For each pair the largest size of a component whose share in what became
    of all of them matters."""
    scores = np.stack(scores)
    if log_prior is not None:
        scores = scores + by_component(log_prior)
    shares = scores - combined
    sizes = np.broadcast_to(sizes, shares.shape)
    return np.where(basics.matter(shares, sizes), sizes, 0).max(0)


def mix_scores(scores, mixer):
    """A[b,a,i,j] = sum_k mixer[k,a] G[b,k,i,j]."""
    return np.einsum("ka,bkij->baij", mixer, scores, optimize=True)


def mix_positive_scores(scores, mixer):
    """A[b,a,i,j] = sum_k relu(mixer[k,a] G[b,k,i,j])."""
    return sum(basics.relu(mixer[k][:, None, None] * scores[:, k, None])
               for k in range(len(mixer)))


def mix_scores_by_mlp(scores, x):
    """A = w2^T relu(w1^T G + b1) + b2, over the heads."""
    hidden = mix_scores(scores, x["w1"]) + x["b1"][:, None, None]
    return mix_scores(basics.relu(hidden), x["w2"]) + x["b2"][:, None, None]


def noise_of(x, shape):
    """The noise given, or drawn by Philox: [B, heads, N, S]."""
    if "noise" in x:
        return x["noise"]
    return philox.normals(x["seed"], x["offset"], shape)


def mix_noisy_terms(scores, mixer, sigma, noise, bend=lambda term: term):
    """A[b,a] = sum_k bend(mixer[k,a] (G[b,k] + sigma[k] noise[b,a])): each
    output head has its own noise."""
    return sum(
        bend(mixer[k][:, None, None] * (scores[:, k, None] + sigma[k] * noise))
        for k in range(len(mixer)))


def add_noise(scores, sigma, noise):
    """G[b,k] + sigma[k] noise[b,k]: each global head has its own noise."""
    return scores + sigma[:, None, None] * noise


def softcap(scores):
    return 30 * np.tanh(scores / 30)


def alibi(scores, slopes):
    queries, keys = scores.shape[-2:]
    row = np.arange(queries)[:, None] + (keys - queries)
    distance = np.abs(np.arange(keys)[None, :] - row)
    return scores - slopes[:, None, None] * distance


def sigmoid_damped(scores):
    """log(exp(a) sig(a)) = a - log(1 + exp(-a))."""
    return scores - np.logaddexp(0, -scores)
