# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The second oracle: every variant in matrix form, in double precision.

Written from the formulas, knowing neither the compiler nor the manifest.
Arrays are [batch, heads, length, features]; `x` holds the arguments of a
variant by name, floats as doubles. A formula gives its results by name, the
size of its scores, and how far the terms of a denominator cancel.
"""

from functools import partial

from oracle import (basics, beyond, linear, philox, pooling, scores, softmax,
                    training)
from oracle.basics import Expected

# Those that mutations.py may make wrong.
MODULES = (basics, scores, softmax, linear, pooling, training, philox)

CAUSAL = beyond.CAUSAL
NEAR = {"band": (3, 3)}

equal, unequal = softmax.equal, softmax.unequal

# The formula of each variant, and the masks that its attributes say.
VARIANTS = {
    "softmax": (softmax.plain, {}),
    "softmax_causal": (softmax.plain, CAUSAL),
    "softmax_gqa": (softmax.plain, {}),
    "softmax_padded": (softmax.plain, {}),
    "softmax_masked": (softmax.plain, {}),
    "softmax_bias": (softmax.plain, {}),
    "softmax_softcap": (softmax.softmax_softcap, {}),
    "softmax_alibi": (softmax.softmax_alibi, {}),
    "softmax_everything": (softmax.plain, CAUSAL),
    "sigsoftmax": (partial(softmax.plain, normaliser=softmax.sigsoftmax), {}),
    "mixhead_a": (softmax.plain, {}),
    "mixhead_a_causal": (softmax.plain, CAUSAL),
    "mixhead_b": (softmax.mixhead_b, {}),
    "mixhead_b_causal": (softmax.mixhead_b, CAUSAL),
    "mixhead_a_sigsoftmax": (
        partial(softmax.plain, normaliser=softmax.sigsoftmax), {}),
    "mixhead_shared_values": (softmax.plain, {}),
    "mixhead_relative_bias": (softmax.plain, {}),
    "mixhead_synthesizer": (softmax.mixhead_synthesizer, {}),
    "gaussian": (softmax.gaussian, {}),
    "mgk": (unequal(softmax.mgk), {}),
    "mgk_causal": (equal(softmax.mgk), CAUSAL),
    "mgk_dot": (equal(softmax.mgk_dot), {}),
    "mgk_hard": (equal(softmax.mgk_hard), {}),
    "mgk_position_prior": (unequal(softmax.mgk), {}),
    "mgk_multi_query": (equal(softmax.mgk), {}),
    "smgk": (equal(softmax.mgk), CAUSAL),
    "smgk_full": (equal(softmax.mgk), {}),
    "smgk_unequal": (unequal(softmax.mgk), {}),
    "fish_hard": (softmax.fish, {}),
    "fish_hard_causal": (softmax.fish, CAUSAL),
    "fish_noise_local": (softmax.fish_noise_local, {}),
    "fish_noise_global": (softmax.fish_noise_global, {}),
    "fish_philox": (softmax.fish_noise_local, {}),
    "mish": (softmax.fish_noise_local, {}),
    "gfish_hard": (softmax.gfish_hard, {}),
    "gfish": (softmax.gfish, {}),
    "gfish_paper": (softmax.gfish_paper, {}),
    "swin_gfish": (softmax.swin_gfish, {}),
    "composed": (equal(softmax.composed), CAUSAL),
    "band_softmax": (softmax.plain, NEAR),
    "band_projection": (partial(softmax.plain, keep=(3, 3)), {}),
    "bigbird": (softmax.bigbird, {}),
    "linformer": (softmax.linformer, {}),
    "linear": (linear.linear, {}),
    "linear_causal": (linear.linear, CAUSAL),
    "mlk": (linear.linear, {}),
    "mlk_causal": (linear.linear, CAUSAL),
    "smlk": (linear.linear, {}),
    "lfish_hard": (linear.mixed_linear, {}),
    "glfish": (linear.bent_linear, {}),
    "structured_band": (pooling.structured, {}),
    "structured_sparse": (pooling.structured, {}),
    "structured_normalised": (partial(pooling.structured, normalised=True), {}),
    "rare_tokens": (pooling.structured, {}),
    "responsibilities": (unequal(training.responsibilities), {}),
    "prior_update": (training.prior_update, {}),
    "orthogonal_penalty": (training.orthogonal_penalty, {}),
} | beyond.VARIANTS

# Those without a score that an infinite key makes +inf: distances, and what
# has no softmax.
FINITE = {"gaussian", "mgk", "mgk_causal", "mgk_hard", "mgk_position_prior",
          "mgk_multi_query", "smgk", "smgk_full", "smgk_unequal", "composed",
          "linear", "linear_causal", "mlk", "mlk_causal", "smlk", "lfish_hard",
          "glfish", "structured_band", "structured_sparse",
          "structured_normalised", "rare_tokens", "responsibilities",
          "prior_update", "orthogonal_penalty"} | beyond.FINITE


def expected(name, x):
    """The results of a variant by name, and what its tolerance depends on."""
    formula, masks = VARIANTS[name]
    return formula(x, **masks)


def allowed(name, x):
    """Who may see whom in a variant."""
    return basics.visible(x, **VARIANTS[name][1])
