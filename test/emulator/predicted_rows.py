# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what --explain predicts of each variant against what the emulator counts
(predicted.py), on one target, and says of which there is no prediction, and why."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import predicted  # noqa: E402
import run  # noqa: E402

VARIANTS = HERE.parents[1] / "examples" / "variants"

# The plan, the batch, queries and keys, the static sizes, the variants. Plans with
# many queries keep keys in one part.
ONLINE, TWO_PASS = ["--plan=online"], ["--plan=two_pass"]
CHUNKED = ["--plan=chunked_linear"]
SPANNED = ["--plan=spanned_linear,span=128"]
ROWS = [
    (ONLINE, "1x128x256x1", "H=2",
     "softmax softmax_alibi softmax_bias softmax_masked softmax_padded "
     "softmax_softcap sigsoftmax gaussian mgk mgk_dot mgk_hard "
     "mgk_position_prior smgk smgk_full smgk_unequal"),
    (ONLINE, "1x256x256x1", "H=2", "bigbird softmax_causal mgk_causal"),
    (ONLINE, "1x128x256x1", "H=4",
     "fish_hard fish_hard_causal fish_noise_global fish_noise_local fish_philox gfish gfish_hard "
     "gfish_paper mgk_multi_query mish softmax_everything softmax_gqa"),
    ([], "1x128x256x1", "H=8", "mixhead_shared_values"),
    ([], "1x512x512x1", "H=2", "band_projection band_softmax"),
    ([], "1x128x256x1", "H=2", "linformer"),
    ([], "2x128x256x1", "H=4,R=2", "responsibilities"),
    ([], "2x49x49x1", "H=12", "swin_gfish"),
    (TWO_PASS, "1x64x256x1", "H=4",
     "composed mixhead_a mixhead_a_sigsoftmax mixhead_b mixhead_relative_bias "
     "mixhead_synthesizer"),
    (TWO_PASS, "1x128x256x1", "H=4", "mixhead_a_causal mixhead_b_causal"),
    (CHUNKED, "1x256x256x1", "H=2", "linear linear_causal mlk smlk"),
    (CHUNKED, "1x256x256x1", "H=8", "lfish_hard"),
    (SPANNED, "1x256x256x1", "H=2", "mlk_causal"),
    (SPANNED, "1x256x256x1", "H=8", "glfish"),
    ([], "1x512x1x1", "H=2",
     "rare_tokens structured_band structured_normalised structured_sparse"),
]
WITHOUT = {
    "orthogonal_penalty": "no op of it is planned, so that nothing is predicted",
    "prior_update": "no op of it is planned: its kernels have a time alone",
}


def main():
    parser = predicted.parser_of(__doc__)
    parser.add_argument("--only", help="one variant")
    options = parser.parse_args()
    options.library = options.library or run.find_library()
    bad, held = 0, set()
    for options.plan, case, options.sizes, names in ROWS:
        for name in names.split():
            held.add(name)
            if options.only in (None, name):
                bad += predicted.count(options, name, case)
    every = {each.stem for each in VARIANTS.glob("*.mlir")}
    print(f"{len(held & every)} of {len(every)} variants are predicted")
    for name, why in WITHOUT.items():
        print(f"{name}: {why}")
    for name in sorted(every ^ held ^ WITHOUT.keys()):
        print(f"FAIL {name} is neither held nor has a reason why not, or both, or is "
              "no variant")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
