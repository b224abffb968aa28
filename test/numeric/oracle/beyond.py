# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clauses and their combinations that no variant of the list has:
Inputs/NAME.mlir."""

from functools import partial

import numpy as np

from oracle import basics, linear, pooling, scores, softmax, training

CAUSAL = {"causal": True}


def mixhead_everything(x, **masks):
    stages = softmax.with_bias(x, scores.products(x))
    stages.append(scores.alibi(scores.softcap(stages[-1]), x["slopes"]))
    return softmax.attend(
        x, stages, basics.visible(x, **masks),
        lambda p: softmax.mix_heads_by_row(p, x["q"], x["w"], x["b"]))


def composed_mlp(x, variances, **masks):
    logits, sizes = softmax.mixture(x, variances)
    mixed = scores.mix_scores_by_mlp(logits, x)
    return softmax.attend(x, [mixed], basics.visible(x, **masks),
                          lambda p: softmax.mix_heads(p, x["mixer_post"]),
                          [basics.of_all_heads(sizes), mixed])


def shared_keys(x, variances, **masks):
    """Components of one key, each with a term of the query."""
    count = x["term"].shape[2]
    x = x | {"keys": np.stack([x["k"]] * count, axis=2)}
    terms = np.moveaxis(x["term"], 2, 0)[..., None]
    components = np.stack(scores.gaussians(x, variances)) + terms
    logits = np.logaddexp.reduce(components, axis=0)
    sizes = scores.sizes_that_matter(
        scores.gaussian_sizes(x, variances), components, logits)
    return softmax.attend(x, [logits], basics.visible(x, **masks),
                          sizes=[sizes])


def mixhead_band(x, **masks):
    return softmax.attend(
        x, [scores.products(x)], basics.visible(x, **masks),
        lambda p: softmax.mix_heads_by_row(p, x["q"], x["w"], x["b"]),
        normaliser=softmax.sigsoftmax)


def synthesizer_mixed(x, **masks):
    logits = x["scores"] / 2
    mixed = scores.mix_scores(logits, x["mixer"])
    return softmax.attend(x, [basics.of_all_heads(logits),
                              *softmax.with_bias(x, mixed)],
                          basics.visible(x, **masks))


def given_masked(x, **masks):
    return softmax.attend(x, softmax.with_bias(x, x["scores"]),
                          basics.visible(x, **masks))


def given_mixed(x, **masks):
    return softmax.attend(
        x, [x["scores"]], basics.visible(x, **masks),
        lambda p: softmax.mix_heads_by_row(p, x["q"], x["w"], x["b"]))


def mixhead_shared_given(x, **masks):
    return softmax.attend(x, [x["scores"]], basics.visible(x, **masks),
                          lambda p: softmax.mix_heads(p, x["mixer"]),
                          keep=(40, 7))


def noise_relu(x, **masks):
    logits = scores.products(x)
    mixed = scores.mix_noisy_terms(logits, x["mixer"], x["sigma"], x["noise"],
                                   basics.relu)
    return softmax.attend(x, [basics.of_all_heads(logits), mixed],
                          basics.visible(x, **masks))


def dpfp_of_three(x):
    return linear.dpfp(x, rolls=3)


def with_directions(formula):
    """The feature map that reads an argument."""
    def of(x, **masks):
        return formula(x, lambda y: linear.favor(y, x["directions"]), **masks)
    return of


VARIANTS = {
    "softmax_band": (softmax.plain, {"band": (5, 3)}),
    "softmax_wide_band": (softmax.plain, {"band": (70, 40)}),
    "softmax_results": (softmax.plain, CAUSAL),
    "softmax_lse": (softmax.plain, CAUSAL),
    "softmax_from": (softmax.plain, CAUSAL),
    "mixhead_from": (partial(softmax.plain, keep=(9, 4)), {"band": (70, 6)}),
    "mgk_from": (softmax.equal(softmax.mgk), CAUSAL),
    "sigsoftmax_results": (
        partial(softmax.plain, normaliser=softmax.sigsoftmax), CAUSAL),
    "keep_earlier": (partial(softmax.plain, keep=(200, 2)), {}),
    "keep_later": (partial(softmax.plain, keep=(2, 200)), {}),
    "keep_results": (partial(softmax.plain, keep=(5, 2)), CAUSAL),
    "mixhead_results": (softmax.plain, CAUSAL),
    "mixhead_everything": (mixhead_everything, CAUSAL | {"band": (9, 2)}),
    "mixhead_shared_everything": (
        mixhead_everything, CAUSAL | {"band": (70, 2)}),
    "mixhead_shared_given": (mixhead_shared_given, {}),
    "gaussian_shared_keys": (softmax.unequal(shared_keys), {}),
    "mgk_results": (softmax.equal(softmax.mgk), CAUSAL),
    "mgk_sigsoftmax": (
        softmax.equal(softmax.mgk, normaliser=softmax.sigsoftmax), {}),
    "linformer_grouped": (softmax.linformer, {}),
    "composed_mlp": (softmax.unequal(composed_mlp), CAUSAL),
    "mixhead_band": (mixhead_band, {"band": (9, 2)}),
    "synthesizer_mixed": (synthesizer_mixed, CAUSAL),
    "given_masked": (given_masked, {}),
    "given_mixed": (given_mixed, CAUSAL),
    "given_single": (softmax.mixhead_synthesizer, {}),
    "noise_relu": (noise_relu, {}),
    "noise_philox": (softmax.gfish, CAUSAL),
    "linear_padded": (
        partial(linear.linear, feature_map=linear.normalized_elu, eps=0.5,
                output_scale=0.125), {}),
    "linear_relu": (partial(linear.linear, feature_map=basics.relu), CAUSAL),
    "linear_dpfp": (partial(linear.linear, feature_map=dpfp_of_three), {}),
    "linear_favor": (with_directions(linear.linear), CAUSAL),
    "linear_composed": (with_directions(linear.mixed_linear), CAUSAL),
    "mlk_everything": (
        partial(linear.linear, feature_map=linear.normalized_elu, eps=0.25,
                output_scale=2), CAUSAL),
    "smlk_causal": (linear.linear, CAUSAL),
    "lfish_causal": (partial(linear.mixed_linear, eps=0.25), CAUSAL),
    "glfish_causal": (
        partial(linear.bent_linear, eps=0.5, output_scale=2), CAUSAL),
    "structured_error": (pooling.structured, {}),
    "structured_grouped": (partial(pooling.structured, normalised=True), {}),
    "structured_wide": (pooling.structured, {}),
    "structured_narrow": (partial(pooling.structured, normalised=True), {}),
    "structured_windows": (
        partial(pooling.structured, normalised=True), {}),
    "responsibilities_gaussian": (softmax.unequal(training.responsibilities), {}),
    "responsibilities_grouped": (softmax.unequal(training.responsibilities), CAUSAL),
    "weights_band": (softmax.plain, {"band": (5, 3)}),
    "weights_fish": (softmax.fish, {}),
    "responsibilities_shifted": (
        softmax.unequal(training.responsibilities, dot=True),
        CAUSAL | {"band": (9, 2)}),
    "prior_update_per_key": (partial(training.prior_update, per_key=True), {}),
}

# As FINITE of the list.
FINITE = {"composed_mlp", "gaussian_shared_keys", "mgk_from", "mgk_results",
          "mgk_sigsoftmax", "linear_padded", "linear_relu",
          "linear_dpfp", "linear_favor", "linear_composed", "mlk_everything",
          "smlk_causal", "lfish_causal", "glfish_causal", "structured_error",
          "structured_grouped", "structured_wide", "structured_narrow",
          "structured_windows", "responsibilities_shifted",
          "responsibilities_gaussian", "responsibilities_grouped",
          "prior_update_per_key"}
