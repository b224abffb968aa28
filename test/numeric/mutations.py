# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong oracles: each must contradict the artifact and lib/Reference.

A test that cannot fail proves nothing. Each mutation replaces functions of the
oracle, as a slip in a formula would. Run as a program, this file tries them
all, or those of the variants named.
"""

import argparse
import contextlib
import pathlib
import sys
import tempfile

import numpy as np

import oracle
import run_variant
from oracle import basics, linear, scores, softmax

HOMES = {name: module for module in oracle.MODULES
         for name, value in vars(module).items()
         if getattr(value, "__module__", None) == module.__name__}
REAL = {name: getattr(module, name) for name, module in HOMES.items()}

# Large scores, where the nearest key takes all, and small ones.
CASES = ["2x33x17x8", "2x33x17x1"]


def causal_off_by_one(x, causal=False, band=None):
    allow = REAL["visible"](x, causal, band)
    return allow & ~np.eye(*allow.shape[2:], allow.shape[3] - allow.shape[2],
                           dtype=bool)


def aligned_at_the_start(x, causal=False, band=None):
    return np.tri(x["q"].shape[2], x["v"].shape[2], dtype=bool)[None, None]


def nan_for_empty_rows(logits, allow):
    weights, *logarithms = REAL["softmax"](logits, allow)
    return np.where(allow.any(-1, keepdims=True), weights, np.nan), *logarithms


def without_query_norm(x, variances):
    norms = [REAL["square_norms"](x["q"], k)[0] for k in basics.keys_of(x)]
    return [s + norm / (2 * variance) for s, norm, variance in
            zip(REAL["gaussians"](x, variances), norms, 2 * variances)]


def masked_and_mixed(logits, mixer):
    seen = np.tri(*logits.shape[2:], logits.shape[3] - logits.shape[2])
    return REAL["mix_scores"](np.where(seen, logits, -np.inf), mixer)


def weights_before_mixing(x, stages, allow, *others, **options):
    expected = REAL["attend"](x, stages, allow, *others, **options)
    expected.results["weights"] = softmax.softmax(stages[-1], allow)[0]
    return expected


def band_of_no_alignment(band, queries, keys, start=None):
    return REAL["within"](band, queries, queries)[:, :keys] if queries > keys \
        else np.pad(REAL["within"](band, queries, queries),
                    ((0, 0), (0, keys - queries)))


def renormalised(weights, keep, start=None):
    kept = REAL["drop"](weights, keep, start)
    return basics.quotient(kept, kept.sum(-1, keepdims=True))


def noise_outside_the_mixer(logits, mixer, sigma, noise, bend):
    return REAL["mix_scores"](logits, mixer) + sigma.sum() * noise


def mixed_before_the_feature_map(x, feature_map):
    prior = scores.by_component(x["prior"]).swapaxes(-1, -2)
    return linear.elu(sum(p * k for p, k in zip(prior, basics.keys_of(x))))


def denominators_unmixed(sums, mixer):
    if sums[0].ndim == 3:
        mixer = np.ones_like(mixer) / len(mixer)
    return REAL["mix_sums"](sums, mixer)


def wrapped_band(band, length):
    matrix = REAL["band_matrix"](band, length)
    for t in range(3):
        for row in range(3 - t):
            matrix[:, row, row + t - 3] += band[:, row, t]
    return matrix


def first_row_read(triples, heads, length):
    triples = [(first, first, rows) for _, first, rows in triples]
    return REAL["window_matrix"](triples, heads, length)


def one_row_more(triples, heads, length):
    triples = [(column, first, rows + 1) for column, first, rows in triples]
    return REAL["window_matrix"](triples, heads, length)


def numbers_in_order(seed, offset, shape, counter=None):
    """Philox from a counter of another order: the row first."""
    batches, heads, queries, keys = shape
    turned = REAL["normals"](seed, offset, (batches, heads, keys, queries))
    return turned.swapaxes(2, 3)


def heads_as_many_as_sources(seed, offset, shape):
    """The stride of a batch is the count of global heads."""
    numbers = REAL["normals"](seed, offset, (1, 2 + shape[1], *shape[2:]))[0]
    return np.stack([numbers[2 * b:2 * b + shape[1]]
                     for b in range(shape[0])])


# name: (variant, what replaces functions of the oracle)
MUTATIONS = {
    "causal_off_by_one": ("softmax_causal", {"visible": causal_off_by_one}),
    "aligned_at_the_start": (
        "softmax_causal", {"visible": aligned_at_the_start}),
    "nan_for_empty_rows": ("softmax_causal", {"softmax": nan_for_empty_rows}),
    "wrong_head_group": ("softmax_gqa", {
        "repeat_heads": lambda array, heads: np.concatenate(
            [array] * (heads // array.shape[1]), 1)}),
    "skipped_lengths": ("softmax_padded", {
        "visible": lambda x, **masks: REAL["visible"](
            {k: v for k, v in x.items() if k != "lengths"}, **masks)}),
    "inverted_mask": ("softmax_masked", {
        "visible": lambda x, **masks: ~REAL["visible"](x, **masks)}),
    "skipped_bias": ("softmax_bias", {"with_bias": lambda x, logits: [logits]}),
    "unscaled_scores": ("softmax", {
        "products": lambda x: REAL["products"](x) * np.sqrt(x["q"].shape[-1])}),
    "last_value_dropped": ("softmax", {
        "pool": lambda weights, v: REAL["pool"](weights[..., :-1],
                                                v[:, :, :-1])}),
    "linear_softcap": ("softmax_softcap", {
        "softcap": lambda s: np.clip(s, -30, 30)}),
    "signed_distance": ("softmax_alibi", {
        "alibi": lambda s, slopes: REAL["alibi"](s, -slopes)}),
    "transposed_mixer": ("mixhead_a", {
        "mix_heads": lambda p, mixer: REAL["mix_heads"](p, mixer.T)}),
    "scaled_mixer_source": ("mixhead_b", {
        "mix_heads_by_row": lambda p, q, w, b: REAL["mix_heads_by_row"](
            p, q / 8, w, b)}),
    "skipped_mixing": ("mixhead_b_causal", {
        "mix_heads_by_row": lambda p, q, w, b: p}),
    "skipped_key_norm": ("gaussian", {
        "gaussians": lambda x, variances: REAL["dots"](x, variances)}),
    "undivided_distance": ("gaussian", {
        "gaussians": lambda x, variances: REAL["gaussians"](x, (4,))}),
    "skipped_query_norm": ("mgk", {"gaussians": without_query_norm}),
    "skipped_query_norm_of_shifted_keys": (
        "smgk_unequal", {"gaussians": without_query_norm}),
    "swapped_variances": ("mgk", {
        "gaussians": lambda x, variances: REAL["gaussians"](
            x, variances[::-1])}),
    "swapped_components": ("mgk_causal", {
        "log_sum_exp": lambda s, prior: REAL["log_sum_exp"](s[::-1], prior)}),
    "prior_after_the_sum": ("mgk_causal", {
        "log_sum_exp": lambda s, prior: REAL["log_sum_exp"](s, 0 * prior)
                       + prior.sum(1)[:, None, None]}),
    "prior_no_logarithm": ("mgk_dot", {
        "log_sum_exp": lambda s, prior: REAL["log_sum_exp"](
            s, np.log(np.abs(prior)))}),
    "scaled_twice": ("mgk_dot", {
        "dots": lambda x, variances: [s / 8 for s in
                                      REAL["dots"](x, variances)]}),
    "maximum_for_sum": ("mgk_dot", {
        "log_sum_exp": lambda s, prior: np.max(
            np.stack(s) + prior.T[:, None, :, None, None], axis=0)}),
    "sum_for_maximum": ("mgk_hard", {
        "hardest": lambda s: np.logaddexp.reduce(s)}),
    "minimum_for_maximum": ("mgk_hard", {
        "hardest": lambda s: np.min(s, axis=0)}),
    "prior_of_other_position": ("mgk_position_prior", {
        "log_sum_exp": lambda s, prior: REAL["log_sum_exp"](
            s, prior[..., ::-1])}),
    "prior_of_other_head": ("mgk_multi_query", {
        "log_sum_exp": lambda s, prior: REAL["log_sum_exp"](s, prior[::-1])}),
    "subtracted_shifts": ("smgk", {
        "keys_of": lambda x: REAL["keys_of"](x | {"shifts": -x["shifts"]})}),
    "swapped_shifts": ("smgk_full", {
        "keys_of": lambda x: REAL["keys_of"](x)[::-1]}),
    "swapped_global_heads": ("fish_hard", {
        "mix_scores": lambda s, mixer: REAL["mix_scores"](s, mixer[::-1])}),
    "mask_before_the_mixer": ("fish_hard_causal", {
        "visible": lambda x, **masks: REAL["visible"](x),
        "mix_scores": masked_and_mixed}),
    "scale_before_the_mixer": ("gfish_hard", {
        "mix_scores_by_mlp": lambda s, x: 8 * REAL["mix_scores_by_mlp"](
            s / 8, x)}),
    "no_bias_of_hidden_heads": ("gfish_hard", {
        "mix_scores_by_mlp": lambda s, x: REAL["mix_scores_by_mlp"](
            s, x | {"b1": 0 * x["b1"]})}),
    "linear_hidden_heads": ("gfish_hard", {"relu": lambda x: x}),
    "relu_outside_the_sum": ("gfish_paper", {
        "mix_positive_scores": lambda s, mixer: np.maximum(
            REAL["mix_scores"](s, mixer), 0)}),
    "relu_before_the_mixer": ("gfish_paper", {
        "mix_positive_scores": lambda s, mixer: REAL["mix_scores"](
            np.maximum(s, 0), mixer)}),
    "scale_after_the_mixer": ("swin_gfish", {
        "mix_scores_by_mlp": lambda s, x: REAL["mix_scores_by_mlp"](
            s * 32**0.5, x) / 32**0.5}),
    "transposed_mixer_after_softmax": ("composed", {
        "mix_heads": lambda p, mixer: REAL["mix_heads"](p, mixer.T)}),
    "exponentials_mixed": ("composed", {
        "mix_scores": lambda s, mixer: np.log(np.abs(REAL["mix_scores"](
            np.exp(s), mixer)))}),
    "query_norm_missing_in_lse": (
        "mgk_results", {"gaussians": without_query_norm}),
    "weights_before_mixing": (
        "mixhead_results", {"attend": weights_before_mixing}),
    "zero_lse_of_empty_rows": ("softmax_results", {
        "softmax": lambda s, allow: tuple(
            np.nan_to_num(r, neginf=0) for r in REAL["softmax"](s, allow))}),
    "sigmoid_of_shifted_scores": ("sigsoftmax", {
        "sigmoid_damped": lambda s: REAL["sigmoid_damped"](
            s - s.max(-1, keepdims=True))}),
    "no_sigmoid": ("mixhead_a_sigsoftmax", {"sigmoid_damped": lambda s: s}),
    "scaled_given_scores": ("mixhead_synthesizer", {
        "attend": lambda x, stages, *others: REAL["attend"](
            x, [stages[0] / 8], *others)}),
    "noise_of_other_head": ("fish_noise_local", {
        "noise_of": lambda x, shape: REAL["noise_of"](x, shape)[:, ::-1]}),
    "sigma_squared": ("fish_noise_local", {
        "mix_noisy_terms": lambda g, mixer, sigma, *others: REAL[
            "mix_noisy_terms"](g, mixer, sigma**2, *others)}),
    "noise_outside_the_mixer": (
        "fish_noise_local", {"mix_noisy_terms": noise_outside_the_mixer}),
    "noise_of_other_global_head": ("fish_noise_global", {
        "noise_of": lambda x, shape: REAL["noise_of"](x, shape)[:, ::-1]}),
    "sigma_squared_of_global_heads": ("fish_noise_global", {
        "add_noise": lambda g, sigma, noise: REAL["add_noise"](
            g, sigma**2, noise)}),
    "sigma_of_other_head": ("mish", {
        "mix_noisy_terms": lambda g, mixer, sigma, *others: REAL[
            "mix_noisy_terms"](g, mixer, sigma[::-1], *others)}),
    "noise_left_out": ("gfish", {"add_noise": lambda g, sigma, noise: g}),
    "words_paired_otherwise": ("fish_philox", {
        "words": lambda counter, key: [
            REAL["words"](counter, key)[w] for w in (0, 2, 1, 3)]}),
    "sine_first": ("fish_philox", {
        "box_muller": lambda *words: REAL["box_muller"](*words)[::-1]}),
    "counter_of_other_order": ("fish_philox", {"normals": numbers_in_order}),
    "batch_stride_of_sources": (
        "fish_philox", {"normals": heads_as_many_as_sources}),
    "key_words_swapped": ("fish_philox", {
        "words": lambda counter, key: REAL["words"](counter, key[::-1])}),
    "offset_left_out": ("fish_philox", {
        "normals": lambda seed, offset, shape: REAL["normals"](
            seed, 0, shape)}),
    "band_of_no_alignment": ("band_softmax", {"within": band_of_no_alignment}),
    "kept_band_of_no_alignment": (
        "band_projection", {"within": band_of_no_alignment}),
    "renormalised": ("band_projection", {"drop": renormalised}),
    "scaled_by_features": ("bigbird", {
        "dot": lambda q, k: REAL["dot"](q, k) / 8}),
    "projection_of_magnitudes": ("linformer", {
        "projected": lambda e, k: REAL["projected"](np.abs(e), k)}),
    "elu_without_one": ("linear", {
        "elu": lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)))}),
    "no_denominator": ("linear", {"quotient": lambda o, sums: o}),
    "linear_causal_off_by_one": (
        "linear_causal", {"visible": causal_off_by_one}),
    "linear_aligned_at_the_start": (
        "mlk_causal", {"visible": aligned_at_the_start}),
    "mixed_before_the_feature_map": (
        "mlk", {"features_of_keys": mixed_before_the_feature_map}),
    "prior_of_other_component": ("mlk", {
        "by_component": lambda prior: REAL["by_component"](prior)[::-1]}),
    "subtracted_shifts_of_features": ("smlk", {
        "keys_of": lambda x: REAL["keys_of"](x | {"shifts": -x["shifts"]})}),
    "denominators_unmixed": (
        "lfish_hard", {"mix_sums": denominators_unmixed}),
    "swapped_key_heads": ("lfish_hard", {
        "mix_sums": lambda sums, mixer: REAL["mix_sums"](sums, mixer[::-1])}),
    "linear_hidden_states": ("glfish", {"relu": lambda x: x}),
    "no_bias_of_states": ("glfish", {
        "bend_states": lambda s, x: REAL["bend_states"](
            s, x | {"b2": 0 * x["b2"]})}),
    "swapped_normaliser": ("glfish", {
        "mix_sums": lambda sums, mixer: REAL["mix_sums"](sums, mixer[::-1])}),
    "band_off_by_one": ("structured_band", {
        "band_matrix": lambda band, n: np.roll(
            REAL["band_matrix"](band, n), 1, -1)}),
    "wrapped_band": ("structured_band", {"band_matrix": wrapped_band}),
    "transposed_error": ("structured_sparse", {
        "error_matrix": lambda index, value, shape: REAL["error_matrix"](
            index[:, [0, 2, 1]], value, shape)}),
    "replacing_error": ("structured_sparse", {
        "weights_of_rows": lambda p, e: np.where(e != 0, e, p)}),
    "sums_without_errors": ("structured_normalised", {
        "row_sums": lambda p, e: REAL["row_sums"](p, 0 * e)}),
    "first_row_read": ("rare_tokens", {"window_matrix": first_row_read}),
    "one_row_more": ("rare_tokens", {"window_matrix": one_row_more}),
    "shares_of_keys": ("responsibilities", {
        "normalised": lambda s: s / s.sum(-1, keepdims=True)}),
    "uniform_prior": ("responsibilities", {
        "by_component": lambda prior: REAL["by_component"](0 * prior)}),
    "mean_over_keys_alone": ("prior_update", {
        "means": lambda gamma, over: gamma.mean(4).sum((0, 3))}),
    "sum_over_batches": ("prior_update", {
        "means": lambda gamma, over: gamma.mean((3, 4)).sum(0)}),
    "no_identity": ("orthogonal_penalty", {
        "products_of_columns": lambda m: m.T @ m + np.eye(len(m))}),
    "magnitudes_of_columns": ("orthogonal_penalty", {
        "products_of_columns": lambda m: np.abs(m).T @ np.abs(m)}),
}


@contextlib.contextmanager
def applied(name):
    """Makes the oracle wrong meanwhile."""
    replacements = MUTATIONS[name][1]
    for function, replacement in replacements.items():
        setattr(HOMES[function], function, replacement)
    try:
        yield
    finally:
        for function in replacements:
            setattr(HOMES[function], function, REAL[function])


def is_caught(name, variant, measured):
    """Whether the artifact and lib/Reference both contradict the mutation."""
    with applied(name):
        complaints = "\n".join(variant.judge(measured)[0])
    return all(f"{who} against NumPy: error" in complaints
               for who in ("artifact", "reference"))


def survivors_of(variant):
    """Tries the mutations of a variant in each case until one catches them."""
    left = [name for name, (of, _) in MUTATIONS.items() if of == variant.name]
    for case in CASES:
        measured = variant.measure(case, seed=1) if left else None
        left = [name for name in left
                if not is_caught(name, variant, measured)]
    return left


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("variants", nargs="*", help="default: all")
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    variants = options.variants or dict.fromkeys(
        variant for variant, _ in MUTATIONS.values())
    survivors = []
    for variant in variants:
        with tempfile.TemporaryDirectory() as folder:
            survivors += survivors_of(run_variant.Variant(
                variant, "f32", pathlib.Path(folder), options.bin))
    tried = sum(of in variants for of, _ in MUTATIONS.values())
    for name in survivors:
        print(f"SURVIVED {MUTATIONS[name][0]}: {name}")
    print(f"{tried - len(survivors)} wrong oracles caught of {tried}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
