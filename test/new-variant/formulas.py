# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attentions that no list holds, in matrix form.

Each NAME.mlir next to this file states one with clauses and stages that exist:
nothing below passes/ or lib/ was written for it.
"""

from oracle import CAUSAL, basics, scores, softmax

SIGNATURES = {
    "three_keys_both_mixers":
        "q[B,4,N,40] keys[B,2,3,S,40] v[B,3,S,24] log_prior[4,3]"
        " mixer_pre[4,6] bias[6,1,S] lengths[B]i64 source[B,6,N,16] w[16,6]"
        " b[6,6]",
    "softcap_of_distance": "q[B,8,N,64] k[B,8,S,64] v[B,8,S,64]",
    "perceptron_over_mixtures":
        "q[B,2,N,64] keys[B,2,2,S,64] v[B,4,S,64] log_prior[2,2]"
        " w1[2,8] b1[8] w2[8,4] b2[4]",
}
FINITE = set(SIGNATURES)


def three_keys_both_mixers(x, **masks):
    """Three keys per position, two heads of keys, four of queries, six of
    weights, three of values; each query mixes by a source of its own."""
    variances = (5, 8, 24)
    logits, sizes = softmax.mixture(x, variances)
    mixed = scores.mix_scores(logits, x["mixer_pre"])
    biased = mixed + x["bias"]
    return softmax.attend(
        x, [biased], basics.visible(x, **masks),
        lambda p: softmax.mix_heads_by_row(p, x["source"], x["w"], x["b"]),
        [basics.of_all_heads(sizes), mixed, biased])


def softcap_of_distance(x, **masks):
    capped = scores.softcap(scores.gaussians(x, (8,))[0])
    return softmax.attend(x, [capped], basics.visible(x, **masks),
                          sizes=[*scores.gaussian_sizes(x, (8,)), capped])


def perceptron_over_mixtures(x, **masks):
    variances = (8, 8)
    logits, sizes = softmax.mixture(x, variances)
    mixed = scores.mix_scores_by_mlp(logits, x)
    return softmax.attend(x, [mixed], basics.visible(x, **masks),
                          sizes=[basics.of_all_heads(sizes), mixed])


VARIANTS = {
    "three_keys_both_mixers": (three_keys_both_mixers, {}),
    "softcap_of_distance": (softcap_of_distance, {}),
    "perceptron_over_mixtures": (perceptron_over_mixtures, CAUSAL),
}
