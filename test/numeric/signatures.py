# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of each variant, as in the list of variants, and the same
variant at other static sizes.

H=8 is the static size H, 8 in the file; B, N, S, E and T are dynamic. A type
after the shape holds whatever the others are. After an arrow stand results
whose types no argument has.
"""

import itertools
import re

DYNAMIC = "BNSET"

QKV = "q[B,H=8,N,D=64] k[B,H,S,D] v[B,H,S,D]"
GROUPED = "q[B,8,N,64] k[B,2,S,64] v[B,2,S,96]"
MIXTURE = "q[B,H=4,N,D=64] keys[B,H,R=2,S,D] v[B,H,S,D]"
SHIFTED = "q[B,H=4,N,D=64] k[B,H,S,D] shifts[H,R=2,D] v[B,H,S,D]"
# M global heads, H local ones.
GLOBAL = "q[B,M=2,N,D=64] k[B,M,S,D] v[B,H=8,S,D]"
LOCAL = "q[B,H=8,N,D=64] k[B,M=2,S,D] v[B,M,S,D]"
PERCEPTRON = " w1[M,H] b1[H] w2[H,H] b2[H]"
SPARSE = "band[H=8,N,7] error_index[E,3]i64 error_value[E] v[B,H,N,D=64]"

SIGNATURES = {
    "softmax": QKV,
    "softmax_causal": QKV,
    "softmax_gqa": "q[B,H=8,N,D=64] k[B,G=2,S,D] v[B,G,S,D]",
    "softmax_padded": QKV + " lengths[B]i64",
    "softmax_masked": QKV + " mask[B,1,N,S]i1",
    "softmax_bias": QKV + " bias[H,N,S]",
    "softmax_softcap": QKV,
    "softmax_alibi": QKV + " slopes[H]",
    "softmax_everything":
        "q[B,H=8,N,D=64] k[B,G=2,S,D] v[B,G,S,V=96] bias[H,N,S]"
        " lengths[B]i64 mask[B,1,N,S]i1 -> o[B,H,N,V]",
    "sigsoftmax": QKV,
    "mixhead_a": QKV + " mixer[H,H]",
    "mixhead_a_causal": QKV + " mixer[H,H]",
    "mixhead_b": QKV + " w[D,H] b[H,H]",
    "mixhead_b_causal": QKV + " w[D,H] b[H,H]",
    "mixhead_a_sigsoftmax": QKV + " mixer[H,H]",
    "mixhead_shared_values":
        "q[B,H=8,N,D=64] k[B,1,S,D] v[B,1,S,D] mixer[H,H]",
    "mixhead_relative_bias": QKV + " mixer[H,H] bias[B,H,N,S]",
    "mixhead_synthesizer":
        "scores[B,H=8,N,S] v[B,H,S,D=64] mixer[H,H]",
    "gaussian": QKV,
    "mgk": MIXTURE + " log_prior[H,R]",
    "mgk_causal": MIXTURE + " log_prior[H,R]",
    "mgk_dot": MIXTURE + " log_prior[H,R]",
    "mgk_hard": MIXTURE,
    "mgk_position_prior": MIXTURE + " log_prior[H,R,S]",
    "mgk_multi_query":
        "q[B,H=4,N,D=64] keys[B,1,R=2,S,D] v[B,1,S,D] log_prior[H,R]",
    "smgk": SHIFTED + " log_prior[H,R]",
    "smgk_full": SHIFTED + " log_prior[H,R]",
    "smgk_unequal": SHIFTED + " log_prior[H,R]",
    "fish_hard": GLOBAL + " mixer[M,H]",
    "fish_hard_causal": GLOBAL + " mixer[M,H]",
    "fish_noise_local": GLOBAL + " mixer[M,H] sigma[M] noise[B,H,N,S]",
    "fish_noise_global": GLOBAL + " mixer[M,H] sigma[M] noise[B,M,N,S]",
    "fish_philox": GLOBAL + " mixer[M,H] sigma[M] seed[]i64 offset[]i64",
    "mish": GLOBAL + " mixer[M] sigma[M] noise[B,H,N,S]",
    "gfish_hard": GLOBAL + PERCEPTRON,
    "gfish": GLOBAL + PERCEPTRON + " sigma[M] noise[B,M,N,S]",
    "gfish_paper": GLOBAL + " mixer[M,H]",
    # Windows of W positions.
    "swin_gfish": "q[B,M=6,W=49,D=32] k[B,M,W,D] v[B,H=12,W,D]" + PERCEPTRON
                  + " bias[H,W,W]",
    "composed": "q[B,M=2,N,D=64] keys[B,M,R=2,S,D] log_prior[M,R]"
                " mixer_pre[M,H=8] mixer_post[H,H] v[B,H,S,D]",
    "band_softmax": QKV,
    "band_projection": QKV,
    "bigbird": QKV + " neighbours[N,S]i1",
    # C projected keys.
    "linformer": QKV + " e[C=64,S] f[C,S]",
    "linear": QKV,
    "linear_causal": QKV,
    "mlk": MIXTURE + " prior[H,R]",
    "mlk_causal": MIXTURE + " prior[H,R]",
    "smlk": SHIFTED + " prior[H,R]",
    "lfish_hard": LOCAL + " mixer[M,H]",
    "glfish": LOCAL + PERCEPTRON + " normaliser[M,H]",
    "structured_band": "band[H=8,N,7] v[B,H,N,D=64]",
    "structured_sparse": SPARSE,
    "structured_normalised": SPARSE,
    "rare_tokens": "triples[T,3]i64 v[B,H=8,N,D=64]",
    "responsibilities": "q[B,H=4,N,D=64] keys[B,H,R=2,S,D] log_prior[H,R]"
                        " -> gamma[B,H,R,N,S]",
    "prior_update": "gamma[B,H=4,R=2,N,S] -> prior[H,R]",
    "orthogonal_penalty": "mixer[H=8,H]",
    # Beyond the list: Inputs/NAME.mlir.
    "softmax_band": QKV,
    "softmax_wide_band": QKV,
    "softmax_results": GROUPED + " lengths[B]i64",
    "softmax_lse": "q[B,H=4,N,D=64] k[B,H,S,D] v[B,H,S,D] lengths[B]i64"
        " -> lse[B,H,N]",
    "softmax_from": QKV + " start[B]i64",
    "mixhead_from": QKV + " start[B]i64 mixer[H,H]f32",
    "mgk_from": MIXTURE + " log_prior[H,R] lengths[B]i64 start[B]i64",
    "sigsoftmax_results":
        GROUPED + " bias[8,N,S] lengths[B]i64 mask[B,1,N,S]i1",
    "keep_earlier": QKV,
    "keep_later": QKV,
    "keep_results": QKV + " mixer[H,H]f32 -> weights[B,H,N,S] lse[B,H,N]",
    "mixhead_results": QKV + " mixer[H,H]f32 -> weights[B,H,N,S] lse[B,H,N]",
    "mixhead_everything":
        GROUPED + " w[64,8]f32 b[8,8]f32 bias[8,1,S]f32 slopes[8]f32"
                  " lengths[B]i64 mask[N,S]i1",
    "mixhead_shared_everything":
        "q[B,6,N,24] k[B,1,S,24] v[B,1,S,40] w[24,6]f32 b[6,6]f32"
        " bias[6,1,S]f32 slopes[6]f32 lengths[B]i64 mask[6,N,S]i1 -> lse[B,6,N]",
    "mixhead_shared_given": "scores[B,8,N,S]f32 mixer[8,8]f32 lengths[B]i64"
                            " v[B,1,S,64]",
    "composed_mlp": "q[B,2,N,64] keys[B,2,2,S,64] log_prior[2,2] w1[2,3] b1[3]"
                    " w2[3,4] b2[4] mixer_post[4,4] v[B,4,S,48]"
                    " -> lse[B,4,N]",
    "mixhead_band": "q[B,4,N,64] k[B,4,S,64] v[B,4,S,64] w[64,4] b[4,4]",
    "gaussian_shared_keys":
        "q[B,4,N,64] k[B,2,S,64] v[B,2,S,40] term[B,4,2,N] -> o[B,4,N,40]",
    "mgk_results": MIXTURE + " log_prior[H,R]f32 -> weights[B,H,N,S] lse[B,H,N]",
    "mgk_sigsoftmax": MIXTURE + " log_prior[4,2]",
    "linformer_grouped": "q[B,8,N,64] k[B,2,S,64] v[B,4,S,96] e[24,S]f32"
                         " f[24,S] bias[8,N,24]",
    "synthesizer_mixed": "scores[B,4,N,S] mixer[4,8] bias[8,N,S]"
                         " lengths[B]i64 v[B,2,S,40]",
    "given_masked": "scores[B,4,N,S]f32 bias[4,1,S] lengths[B]i64 mask[N,S]i1"
                    " v[B,2,S,40]",
    "given_mixed": "scores[B,8,N,S]f32 q[B,8,N,24] w[24,8] b[8,8]"
                   " lengths[B]i64 v[B,4,S,40]",
    "given_single": "scores[B,8,N,1] v[B,8,1,40] mixer[8,8]",
    "noise_relu": "q[B,4,N,64] k[B,2,S,64] v[B,3,S,40] mixer[4,6] sigma[4]"
                  " noise[B,6,N,S] lengths[B]i64",
    "noise_philox": "q[B,3,N,64] k[B,3,S,64] v[B,6,S,40] w1[3,5] b1[5] w2[5,6]"
                    " b2[6] sigma[3] seed[]i64 offset[]i64",
    "linear_padded": "q[B,8,N,64] k[B,4,S,64] v[B,2,S,96] lengths[B]i64",
    "linear_relu": "q[B,8,N,4] k[B,8,S,4] v[B,8,S,16]",
    "linear_dpfp": "q[B,4,N,20] k[B,2,S,20] v[B,2,S,33]",
    "linear_favor": "q[B,4,N,16] k[B,4,S,16] v[B,4,S,16] directions[16,12]",
    "linear_composed":
        "q[B,6,N,16] k[B,2,S,16] shifts[2,3,16] prior[2,3] mixer[2,6]"
        " directions[16,12] lengths[B]i64 v[B,2,S,24]",
    "mlk_everything": "q[B,8,N,40] keys[B,4,3,S,40] v[B,2,S,24]"
                      " prior[4,3,S]f32 lengths[B]i64",
    "smlk_causal": "q[B,4,N,64] k[B,2,S,64] shifts[2,2,64] v[B,2,S,64]"
                   " lengths[B]i64",
    "lfish_causal": "q[B,8,N,64] k[B,2,S,64] v[B,1,S,40] mixer[2,8]f32"
                    " lengths[B]i64",
    "glfish_causal":
        "q[B,8,N,16] k[B,2,S,16] v[B,2,S,24] w1[2,5] b1[5] w2[5,8] b2[8]"
        " normaliser[2,8] lengths[B]i64",
    "structured_error": "error_index[E,3]i64 error_value[E] v[B,H=6,N,40]",
    "structured_grouped": "band[H=6,N,5]f32 error_index[E,3]i64"
                          " error_value[E]f32 v[B,2,N,40]",
    "structured_wide": "band[H=4,N,41] error_index[E,3]i64 error_value[E]"
                       " v[B,2,N,100]",
    "structured_narrow": "band[H=3,N,3] v[B,H,N,8]",
    "structured_windows": "triples[T,3]i64 error_index[E,3]i64 error_value[E]"
                          " v[B,H=3,N,40]",
    "responsibilities_gaussian":
        "q[B,4,N,64] k[B,2,S,64] shifts[2,3,64] log_prior[4,3] -> gamma[B,4,3,N,S]",
    "responsibilities_grouped":
        "q[B,4,N,64] keys[B,2,2,S,64] log_prior[4,2] -> gamma[B,4,2,N,S]",
    "weights_band": "q[B,4,N,64] k[B,2,S,64] v[B,2,S,48] -> weights[B,4,N,S]",
    "weights_fish": GLOBAL + " mixer[M,H] -> weights[B,H,N,S]",
    "responsibilities_shifted":
        "q[B,4,N,64] k[B,2,S,64] shifts[2,3,64] log_prior[4,3,S]"
        " mask[B,1,N,S]i1 lengths[B]i64 -> gamma[B,4,3,N,S]",
    "prior_update_per_key": "gamma[B,4,3,N,S]",
}


def tensors(variant):
    """The name, the dims and the type of each argument and named result."""
    return [(name, dims.split(",") if dims else [], kind)
            for name, dims, kind in re.findall(
                r"(\w+)\[([^]]*)\](\w*)", SIGNATURES[variant])]


def arguments(variant):
    """The name, the dims without their sizes, and the type of each argument."""
    results = SIGNATURES[variant].partition("->")[2]
    return [(name, [dim.split("=")[0] for dim in dims], kind)
            for name, dims, kind in tensors(variant)
            if f"{name}[" not in results]


def static_sizes(variant):
    """The sizes of the named static dims as they stand in the file."""
    return {dim[0]: int(dim[2:]) for _, dims, _ in tensors(variant)
            for dim in dims if "=" in dim}


def dynamic_dims(variant):
    return {dim for _, dims, _ in arguments(variant) for dim in dims
            if dim in DYNAMIC}


def shape(dims, sizes):
    return [sizes[dim] if dim in sizes else int(dim) for dim in dims]


def resize(variant, text, sizes):
    """The text of a variant with static dims of other sizes. Its types stand
    for shapes of named dims: one type never has two meanings. Variances begin
    anew where components are more than they."""
    old, new = static_sizes(variant), static_sizes(variant) | sizes
    meanings = {"": ""}
    for name, dims, _ in tensors(variant):
        names = [dim.split("=")[0] for dim in dims]
        before, after = (
            "".join(f"{size}x" for size in shape(names, dict.fromkeys(
                DYNAMIC, "?") | values)) for values in (old, new))
        if meanings.setdefault(before, after) != after:
            raise ValueError(f"{variant}: the type of '{name}' has two meanings")

    def retype(match):
        if match[1] not in meanings:
            raise ValueError(f"{variant}: no argument explains {match[0]}")
        return f"tensor<{meanings[match[1]]}"

    def repeat_variances(match):
        variances = itertools.cycle(match[1].split(", "))
        return f"variances [{', '.join(itertools.islice(variances, new['R']))}]"

    text = re.sub(r"tensor<((?:\d+x|\?x)*)", retype, text)
    return re.sub(r"variances \[([^]]*)\]", repeat_variances, text)
