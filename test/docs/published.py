# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the GPU model next to published times, as tables: of FlashAttention-3 by
units, and of all kernels whose figures were found.

The rates of units are those of `mixattn-compile --explain=json`. The model takes
a block of keys of FlashAttention's kernels for sm_90 and sm_80, whose instructions
were counted in a wheel (fa3-fwd 0.0.3, bf16, by test/emulator/sass.py). What cuDNN
executes was not counted: its figures stand next to FlashAttention-3's
instructions.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Features, warpgroups of 64 queries, keys; instructions of a warp for a block
# of keys: exps, f32, maxima and conversions, all. TFLOP/s on H100 at 16384
# queries and keys of fp16, from the plot in flash-attention's README; of 256
# features the most at any size.
KERNELS = [(64, 3, 192, 98, 230, 148, 630, 497),
           (128, 2, 176, 90, 246, 136, 593, 648),
           (256, 2, 80, 42, 214, 64, 457, 756)]
# The same of causal kernels; all instructions are those of a block with a mask,
# an upper bound: nothing below depends on them. The last number is not used.
CAUSAL = [(64, 3, 128, 66, 166, 100, 561, 473),
          (128, 2, 128, 66, 198, 100, 604, 616),
          (256, 2, 80, 42, 214, 64, 564, 642)]
# 8 warps of 16 queries by mma.sync.
SM80 = (128, 2, 128, 66, 198, 100, 838, 186)
# Kernel, GPU and its target, mask, queries and keys, instructions, TFLOP/s, source.
FIGURES = [
    *[("FlashAttention-3", "H100", "sm_90a", "no", 16384, each, each[-1], "a")
      for each in KERNELS],
    *[("FlashAttention-3", "H100", "sm_90a", "causal", 16384, each, each[-1], "a")
      for each in CAUSAL],
    ("cuDNN", "H100", "sm_90a", "no", 16384, KERNELS[0], 413, "b"),
    ("cuDNN", "H100", "sm_90a", "no", 16384, KERNELS[1], 595, "b"),
    ("cuDNN 9.19", "H200", "sm_90a", "no", 16384, KERNELS[1], 702, "c"),
    ("cuDNN 9.19", "H200", "sm_90a", "causal", 16384, CAUSAL[1], 673, "c"),
    ("FlashAttention-2", "A100", "sm_80", "no", 16384, SM80, 228, "d"),
    ("FlashAttention-2", "A100", "sm_80", "no", 4096, SM80, 186, "e"),
    ("FlashAttention-2", "A100", "sm_80", "causal", 4096, SM80, 156, "e"),
]
# Clocks are of a warp instruction on a quarter of a multiprocessor.
QUARTER_LANES = 4 * 32
# Integers, comparisons and conversions: as GpuModel.h has it.
INTEGERS = 64


def gpu_of(target, tool):
    source = (ROOT / "examples" / "variants" / "softmax.mlir").read_text()
    explained = subprocess.run(
        [tool, "-", f"--target={target}", "--explain=json"], check=True,
        input=source.replace("f32", "bf16"), capture_output=True, text=True)
    return json.loads(explained.stdout)["gpu"]


def clocks_of(gpu, kernel):
    """The clocks of each unit for a block of keys, and its multiply-adds."""
    features, groups, keys, exps, f32, alu, every, _ = kernel
    multiply_adds = 64 * groups * keys * 2 * features

    def clocks(instructions, rate):
        return instructions * groups * QUARTER_LANES / rate

    units = [multiply_adds / gpu["multiply_adds"], clocks(exps, gpu["exps"]),
             clocks(f32, gpu["others"]), clocks(alu, INTEGERS), every * groups]
    return units, multiply_adds


def speed(gpu, multiply_adds, clocks):
    return 2e-12 * multiply_adds * gpu["multiprocessors"] * gpu["hertz"] / clocks


def serial(units):
    return max(units[0] + units[1], *units)


def off_by(predicted, published):
    return f"{100 * (predicted / published - 1):+.1f} %"


def extremes(rows):
    """The least and the most that predictions are off by, in thousandths."""
    column = rows[0].index("off by")
    found = [round(10 * float(cells[column].rstrip(" %"))) for cells in rows[1:]]
    return [min(found), max(found)]


def row(gpu, kernel):
    features, groups, keys = kernel[:3]
    units, multiply_adds = clocks_of(gpu, kernel)
    speeds = [speed(gpu, multiply_adds, taken)
              for taken in (max(units), serial(units))]
    return [str(features), f"{64 * groups} × {keys}"] + \
        [f"{each:.0f}" for each in units + speeds] + \
        [str(kernel[-1]), off_by(speeds[1], kernel[-1])]


def figure(gpu, name, chip, mask, length, kernel, published, source):
    features, groups, keys = kernel[:3]
    units, multiply_adds = clocks_of(gpu, kernel)
    predicted = speed(gpu, multiply_adds, serial(units))
    # Blocks that the diagonal crosses are computed whole.
    if mask == "causal":
        predicted /= 1 + (64 * groups + keys) / length
    return [name, chip, str(features), mask, str(length), f"{predicted:.0f}",
            str(published), off_by(predicted, published), source]


def table(rows):
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def tables(gpus):
    units = [["features", "queries × keys", "tensor", "exp", "FMA", "ALU",
              "issue", "overlapped", "serial", "published", "serial is off by"]]
    units += [row(gpus["sm_90a"], kernel) for kernel in KERNELS]
    figures = [["kernel", "GPU", "features", "mask", "queries and keys",
                "serial, predicted", "published", "off by", "source"]]
    figures += [figure(gpus[target], name, chip, *rest)
                for name, chip, target, *rest in FIGURES]
    return units, figures


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default="mixattn-compile")
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE",
                        help="whether PAGE has the table, as it is")
    options = parser.parse_args()
    bad = 0
    gpus = {target: gpu_of(target, options.tool) for target in ("sm_90a", "sm_80")}
    units, figures = tables(gpus)
    expected = extremes(figures)
    for target, gpu in gpus.items():
        if gpu["residuals_per_mille"] != expected:
            print(f"FAIL --explain of {target} says {gpu['residuals_per_mille']}, "
                  f"but figures are off by {expected}")
            bad = 1
    for rows in (units, figures):
        text = table(rows)
        print(text)
        if options.check and text not in options.check.read_text():
            print(f"FAIL {options.check} has not this table")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
