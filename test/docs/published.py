# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the GPU model next to published times of FlashAttention-3, as a table.

The clocks of each unit are those of `mixattn-compile --explain=json` for
sm_90a. The model takes a block of keys of FlashAttention-3's kernels, whose
instructions were counted in its wheel (fa3-fwd 0.0.3, bf16, not causal).
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


def row(gpu, kernel):
    features, groups, keys, exps, f32, alu, every, published = kernel
    multiply_adds = 64 * groups * keys * 2 * features

    def clocks(instructions, rate):
        return instructions * groups * QUARTER_LANES / rate

    tensor = multiply_adds / gpu["multiply_adds"]
    exp = clocks(exps, gpu["exps"])
    units = [tensor, exp, clocks(f32, gpu["others"]), clocks(alu, INTEGERS),
             every * groups]
    speeds = [2e-12 * multiply_adds * gpu["multiprocessors"] * gpu["hertz"] /
              taken for taken in (max(units), max(tensor + exp, *units))]
    off = 100 * (speeds[1] / published - 1)
    return [str(features), f"{64 * groups} × {keys}"] + \
        [f"{each:.0f}" for each in units + speeds] + \
        [str(published), f"{off:+.1f} %"]


def table(gpu):
    rows = [["features", "queries × keys", "tensor", "exp", "FMA", "ALU",
             "issue", "overlapped", "serial", "published", "serial is off by"]]
    rows.append(["---"] * len(rows[0]))
    rows += [row(gpu, kernel) for kernel in KERNELS]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default="mixattn-compile")
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE",
                        help="whether PAGE has the table, as it is")
    options = parser.parse_args()
    text = table(gpu_of("sm_90a", options.tool))
    print(text)
    if options.check and text not in options.check.read_text():
        print(f"FAIL {options.check} has not this table")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
