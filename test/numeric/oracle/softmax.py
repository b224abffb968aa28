# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variants with a softmax over keys: plain, mixtures of keys (MGK), mixed
heads before it (FiSH) and after it (Mixhead)."""

import functools

import numpy as np

from oracle import basics, scores
from oracle.basics import Expected


def softmax(logits, allow):
    """Row by row over what is allowed, the logarithm of the sums, and that of
    each weight; zeros and -inf where that is nothing."""
    logits = np.where(allow, logits, -np.inf)
    top = logits.max(-1, keepdims=True, initial=-np.inf)
    below = logits - np.where(top == -np.inf, 0, top)
    weights = np.exp(below)
    total = weights.sum(-1, keepdims=True)
    return (weights / np.where(total == 0, 1, total),
            (top + np.log(total))[..., 0],
            below - np.log(np.where(total == 0, 1, total)))


def sigsoftmax(logits, allow):
    """exp(a) sig(a) / sum exp(a) sig(a)."""
    return softmax(scores.sigmoid_damped(logits), allow)


def mix_heads(weights, mixer):
    """W[b,a,i,j] = sum_c mixer[c,a] P[b,c,i,j]."""
    return np.einsum("ca,bcij->baij", mixer, weights, optimize=True)


def mix_heads_by_row(weights, q, w, b):
    """The same, the mixer of query i being b + q_i w."""
    mixer = np.einsum("bcid,da->bica", q, w) + b
    return np.einsum("bica,bcij->baij", mixer, weights)


def drop(weights, keep, start):
    """Weights outside the band are zero; the others stay as they are."""
    return np.where(basics.within(keep, *weights.shape[2:], start), weights, 0)


def attend(x, stages, allow, mix=lambda weights: weights, sizes=None,
           normaliser=None, keep=None):
    """The results of attending to the last stage, and the size of the scores:
    that of `sizes`, or else of all stages."""
    weights, lse, log_weights = (normaliser or softmax)(stages[-1], allow)
    if keep:
        weights = drop(weights, keep, x.get("start"))
    weights = mix(weights)
    results = {"o": basics.pool(weights, x["v"]), "weights": weights,
               "lse": lse}
    return Expected(results, basics.largest_that_matters(
        log_weights, basics.size_of_score(sizes or stages)))


def with_bias(x, logits):
    """Stages of scores: as they are, and with their bias."""
    return [logits, logits + x["bias"]] if "bias" in x else [logits]


def mixed_after(x):
    """The function that is applied to weights: a mixer where there is one."""
    if "mixer" in x:
        return lambda weights: mix_heads(weights, x["mixer"])
    return lambda weights: weights


def plain(x, normaliser=None, keep=None, **masks):
    return attend(x, with_bias(x, scores.products(x)),
                  basics.visible(x, **masks), mixed_after(x),
                  normaliser=normaliser, keep=keep)


def softmax_softcap(x, **masks):
    logits = scores.products(x)
    return attend(x, [logits, scores.softcap(logits)],
                  basics.visible(x, **masks))


def softmax_alibi(x, **masks):
    logits = scores.products(x)
    return attend(x, [logits, scores.alibi(logits, x["slopes"])],
                  basics.visible(x, **masks))


def mixhead_b(x, **masks):
    return attend(x, with_bias(x, scores.products(x)),
                  basics.visible(x, **masks),
                  lambda p: mix_heads_by_row(p, x["q"], x["w"], x["b"]))


def mixhead_synthesizer(x, **masks):
    """Scores from elsewhere, and no scale."""
    return attend(x, [x["scores"]], basics.visible(x, **masks),
                  mixed_after(x))


def bigbird(x, **masks):
    """No scale."""
    return attend(x, [scores.dot(x["q"], x["k"])], basics.visible(x, **masks))


def projected(e, sequence):
    """e k, per head: fewer keys, each a sum of all."""
    return np.einsum("cs,bhsd->bhcd", e, sequence)


def linformer(x):
    """Every query sees every projected key."""
    x = x | {"k": projected(x["e"], x["k"]), "v": projected(x["f"], x["v"])}
    return attend(x, with_bias(x, scores.products(x)), basics.visible(x))


def gaussian(x, variances=None, **masks):
    variances = variances or (np.sqrt(x["q"].shape[-1]),)
    return attend(x, scores.gaussians(x, variances),
                  basics.visible(x, **masks),
                  sizes=scores.gaussian_sizes(x, variances))


def mixture(x, variances):
    """The logarithm of the sum of components, and their size."""
    components = scores.gaussians(x, variances)
    logits = scores.log_sum_exp(components, x["log_prior"])
    return logits, scores.sizes_that_matter(
        scores.gaussian_sizes(x, variances), components, logits,
        x["log_prior"])


def mgk(x, variances, normaliser=None, **masks):
    logits, sizes = mixture(x, variances)
    return attend(x, [logits], basics.visible(x, **masks), sizes=[sizes],
                  normaliser=normaliser)


def mgk_hard(x, variances, **masks):
    components = scores.gaussians(x, variances)
    logits = scores.hardest(components)
    sizes = scores.sizes_that_matter(scores.gaussian_sizes(x, variances),
                                     components, logits)
    return attend(x, [logits], basics.visible(x, **masks), sizes=[sizes])


def mgk_dot(x, variances, **masks):
    components = scores.dots(x, variances)
    logits = scores.log_sum_exp(components, x["log_prior"])
    sizes = scores.sizes_that_matter(np.abs(components), components, logits,
                                     x["log_prior"])
    return attend(x, [sizes, logits], basics.visible(x, **masks))


def fish(x, **masks):
    logits = scores.products(x)
    return attend(x, [basics.of_all_heads(logits),
                      scores.mix_scores(logits, x["mixer"])],
                  basics.visible(x, **masks))


def gfish_paper(x, **masks):
    logits = scores.products(x)
    return attend(x, [basics.of_all_heads(logits),
                      scores.mix_positive_scores(logits, x["mixer"])],
                  basics.visible(x, **masks))


def scaled_after(x, mix, **masks):
    """Attention that mixes the bare products, the scale coming last."""
    scale = 1 / np.sqrt(x["q"].shape[-1])
    logits = scores.dot(x["q"], x["k"])
    return attend(x, [basics.of_all_heads(scale * logits),
                      scale * mix(logits)], basics.visible(x, **masks))


def gfish_hard(x, **masks):
    return scaled_after(x, lambda g: scores.mix_scores_by_mlp(g, x), **masks)


def output_heads(x, logits):
    """The shape of what mixes these, for as many output heads as values."""
    return logits.shape[0], x["v"].shape[1], *logits.shape[2:]


def fish_noise_local(x, bend=lambda term: term, **masks):
    """A mixer [M] is the same for all output heads: MiSH."""
    def mix(logits):
        shape = output_heads(x, logits)
        mixer = np.broadcast_to(x["mixer"].reshape(logits.shape[1], -1),
                                (logits.shape[1], shape[1]))
        return scores.mix_noisy_terms(logits, mixer, x["sigma"],
                                      scores.noise_of(x, shape), bend)
    return scaled_after(x, mix, **masks)


def noisy(x, logits):
    """Each global head with noise of its own."""
    return scores.add_noise(logits, x["sigma"],
                            scores.noise_of(x, logits.shape))


def fish_noise_global(x, **masks):
    return scaled_after(
        x, lambda g: scores.mix_scores(noisy(x, g), x["mixer"]), **masks)


def gfish(x, **masks):
    return scaled_after(
        x, lambda g: scores.mix_scores_by_mlp(noisy(x, g), x), **masks)


def swin_gfish(x, **masks):
    """The scale comes before the mixer, the bias after it."""
    logits = scores.products(x)
    mixed = scores.mix_scores_by_mlp(logits, x)
    return attend(x, [basics.of_all_heads(logits), *with_bias(x, mixed)],
                  basics.visible(x, **masks))


def composed(x, variances, **masks):
    logits, sizes = mixture(x, variances)
    mixed = scores.mix_scores(logits, x["mixer_pre"])
    return attend(x, [mixed], basics.visible(x, **masks),
                  lambda p: mix_heads(p, x["mixer_post"]),
                  [basics.of_all_heads(sizes), mixed])


def equal(formula, **options):
    return functools.partial(formula, variances=(8,), **options)


def unequal(formula, **options):
    return functools.partial(formula, variances=(8, 24), **options)
