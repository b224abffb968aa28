# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attentions that no list holds, in matrix form.

Each NAME.mlir beside this file states one of clauses and stages that exist:
nothing below passes/ or lib/ was written for it.
"""

import oracle

SIGNATURES = {
    "three_keys_both_mixers":
        "q[B,4,N,40] keys[B,2,3,S,40] v[B,3,S,24] log_prior[4,3]"
        " mixer_pre[4,6] bias[6,1,S] lengths[B] source[B,6,N,16] w[16,6]"
        " b[6,6]",
    "softcap_of_distance": "q[B,8,N,64] k[B,8,S,64] v[B,8,S,64]",
    "perceptron_over_mixtures":
        "q[B,2,N,64] keys[B,2,2,S,64] v[B,4,S,64] log_prior[2,2]"
        " w1[2,8] b1[8] w2[8,4] b2[4]",
}
DISTANCES = set(SIGNATURES)


def three_keys_both_mixers(x, **masks):
    """Three keys per position, two heads of keys, four of queries, six of
    weights, three of values; each query mixes by a source of its own."""
    variances = (5, 8, 24)
    scores = oracle.log_sum_exp(oracle.gaussians(x, variances), x["log_prior"])
    mixed = oracle.mix_scores(scores, x["mixer_pre"])
    biased = mixed + x["bias"]
    return oracle.attend(
        x, [biased], oracle.visible(x, **masks),
        lambda p: oracle.mix_heads_by_row(p, x["source"], x["w"], x["b"]),
        [*oracle.gaussian_sizes(x, variances), mixed, biased])


def softcap_of_distance(x, **masks):
    capped = oracle.softcap(oracle.gaussians(x, (8,))[0])
    return oracle.attend(x, [capped], oracle.visible(x, **masks),
                         sizes=[*oracle.gaussian_sizes(x, (8,)), capped])


def perceptron_over_mixtures(x, **masks):
    variances = (8, 8)
    scores = oracle.log_sum_exp(oracle.gaussians(x, variances), x["log_prior"])
    mixed = oracle.mix_scores_by_mlp(scores, x)
    return oracle.attend(x, [mixed], oracle.visible(x, **masks),
                         sizes=[*oracle.gaussian_sizes(x, variances), mixed])


VARIANTS = {
    "three_keys_both_mixers": (three_keys_both_mixers, {}),
    "softcap_of_distance": (softcap_of_distance, {}),
    "perceptron_over_mixtures": (perceptron_over_mixtures, oracle.CAUSAL),
}
