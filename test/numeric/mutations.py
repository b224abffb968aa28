# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong oracles: each must make run_variant.py fail on the variant named.

A test that cannot fail proves nothing. Each mutation replaces one function of
the oracle, as a slip in a formula would. Run as a program, this file tries them
all; its arguments are handed on to run_variant.py.
"""

import pathlib
import subprocess
import sys

import numpy as np

import oracle

REAL = {name: getattr(oracle, name) for name in (
    "visible", "repeat_heads", "products", "softmax", "pool", "mix_heads",
    "mix_heads_by_row", "softcap", "alibi", "with_bias")}


def causal_off_by_one(x, causal=False, band=None):
    allow = REAL["visible"](x, causal, band)
    return allow & ~np.eye(*allow.shape[2:], allow.shape[3] - allow.shape[2],
                           dtype=bool)


def aligned_at_the_start(x, causal=False, band=None):
    return np.tri(x["q"].shape[2], x["k"].shape[2], dtype=bool)[None, None]


def nan_for_empty_rows(scores, allow):
    weights = REAL["softmax"](scores, allow)
    return np.where(allow.any(-1, keepdims=True), weights, np.nan)


# name: (variant, function of the oracle, what replaces it)
MUTATIONS = {
    "causal_off_by_one": ("softmax_causal", "visible", causal_off_by_one),
    "aligned_at_the_start": ("softmax_causal", "visible", aligned_at_the_start),
    "nan_for_empty_rows": ("softmax_causal", "softmax", nan_for_empty_rows),
    "wrong_head_group": (
        "softmax_gqa", "repeat_heads",
        lambda array, heads: np.concatenate(
            [array] * (heads // array.shape[1]), 1)),
    "skipped_lengths": (
        "softmax_padded", "visible",
        lambda x, **masks: REAL["visible"](
            {k: v for k, v in x.items() if k != "lengths"}, **masks)),
    "inverted_mask": (
        "softmax_masked", "visible",
        lambda x, **masks: ~REAL["visible"](x, **masks)),
    "skipped_bias": (
        "softmax_bias", "with_bias", lambda x: [REAL["products"](x)]),
    "unscaled_scores": (
        "softmax", "products",
        lambda x: REAL["products"](x) * np.sqrt(x["q"].shape[-1])),
    "last_value_dropped": (
        "softmax", "pool",
        lambda weights, v: REAL["pool"](weights[..., :-1], v[:, :, :-1])),
    "linear_softcap": (
        "softmax_softcap", "softcap", lambda s: np.clip(s, -30, 30)),
    "signed_distance": (
        "softmax_alibi", "alibi",
        lambda s, slopes: REAL["alibi"](s, -slopes)),
    "transposed_mixer": (
        "mixhead_a", "mix_heads",
        lambda p, mixer: REAL["mix_heads"](p, mixer.T)),
    "scaled_mixer_source": (
        "mixhead_b", "mix_heads_by_row",
        lambda p, q, w, b: REAL["mix_heads_by_row"](p, q / 8, w, b)),
    "skipped_mixing": (
        "mixhead_b_causal", "mix_heads_by_row", lambda p, q, w, b: p),
}


def apply(name):
    """Makes the oracle wrong for the rest of this process."""
    _, function, replacement = MUTATIONS[name]
    setattr(oracle, function, replacement)


def is_caught(name):
    """Whether the artifact and lib/Reference both contradict the mutation."""
    script = pathlib.Path(__file__).with_name("run_variant.py")
    process = subprocess.run(
        [sys.executable, script, MUTATIONS[name][0], "--mutate", name,
         "--dtypes", "f32", "--case", "2x33x17x8", *sys.argv[1:]],
        stdout=subprocess.PIPE, text=True)
    return process.returncode == 1 and all(
        f"{who} against NumPy: error" in process.stdout
        for who in ("artifact", "reference"))


def main():
    survivors = 0
    for name in MUTATIONS:
        caught = is_caught(name)
        survivors += not caught
        print(f"{name}: {'caught' if caught else 'SURVIVED'}", flush=True)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
