# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what --explain predicts of a variant's kernels against what the emulator
counts: instructions of tensor cores and exps of all warps, and bytes that are copied
from the device's memory to shared memory.

Products are the same. Exps are the same but for those of a row: its sum and outputs
are scaled where its reference rises, with equal scores once, and divided in the end;
parts of keys are put together. Bytes are within a tenth: queries, which are copied
once, are not predicted. Sizes are such that every block is whole. Of a causal variant
a block of queries visits the keys up to those that its last query sees.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "numeric")]

import driver  # noqa: E402
import moved  # noqa: E402
import run  # noqa: E402
import run_variant  # noqa: E402
import variants  # noqa: E402

# Exps of a warp for 16 rows, of which each lane has two: a factor of their sums, one
# of their outputs, and the inverse of their sums.
OF_ROWS = 6


def explain(kernel, options, batches, queries, keys):
    """The clocks of the chosen plan, a kernel after the other."""
    made = subprocess.run(
        [run_variant.tool("mixattn-compile", options.bin),
         kernel.folder / f"{kernel.name}.mlir", f"--target={options.target}",
         *options.plan, "--explain=json", f"--dim=B={batches}",
         f"--dim=N={queries}", f"--dim=S={keys}"],
        capture_output=True, text=True, check=True)
    return [clocks for op in json.loads(made.stdout)["entries"][0]["ops"]
            for candidate in op["candidates"] if candidate["reason"] == "chosen"
            for clocks in candidate["predicted_clocks"]]


def seen_keys(kernel, queries, keys, rows):
    """How many keys each block of `rows` queries visits."""
    text = (kernel.folder / f"{kernel.name}.mlir").read_text()
    is_causal = re.search(r"\bcausal\b", text)
    return [min(keys, first + rows) if is_causal else keys
            for first in range(keys - queries, keys, rows)]


class Predicted:
    """The sums over all kernels, as --explain predicts them."""

    def __init__(self, kernel, options, case):
        batches, queries, keys, _ = map(int, case.split("x"))
        self.products = self.exps = self.bytes = self.of_rows = 0
        heads = options.heads
        for clocks, warps in zip(
                explain(kernel, options, batches, queries, keys),
                self.warps(kernel, options.target)):
            items = batches * (heads // clocks["heads"])
            # Parts of the keys have items of their own.
            parts = keys // options.split if options.split else 1
            seen = seen_keys(kernel, queries, keys, clocks["queries"])
            visits = items * parts * sum(-(-each // parts // clocks["keys"])
                                         for each in seen)
            items *= len(seen)
            self.products += visits * warps * clocks["warp_products"]
            self.exps += visits * warps * clocks["warp_exps"]
            groups = max(1, clocks["queries"] // (16 * warps))
            self.of_rows += items * parts * warps * groups * clocks["heads"] * \
                OF_ROWS
            self.bytes += visits * clocks["copied_bytes"]
        # Two warps put a row's parts together, of which each has a factor.
        if options.split:
            self.of_rows += batches * heads * queries * 2 * \
                (keys // options.split + 1)

    @staticmethod
    def warps(kernel, target):
        """Warps that compute in a block, of each kernel that visits keys."""
        for each in kernel.entry["launches"]:
            begin = kernel.text.index(f".entry {each['kernel']}(")
            body = kernel.text[begin:kernel.text.find(".entry", begin + 1)]
            # A producer's warpgroup has no products.
            others = 4 if "wgmma.mma_async" in body else 0
            if others or "mma.sync" in body:
                yield each["block"][0] // 32 - others


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("variant", help="its name")
    parser.add_argument("case", help="such as 2x512x512x1")
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--sizes", default="H=2", help="static sizes")
    parser.add_argument("--plan", action="append", default=[],
                        type=lambda plan: f"--plan={plan}")
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    options.library = options.library or run.find_library()
    options.sizes = {size[0]: int(size[2:]) for size in options.sizes.split(",")}
    options.heads = options.sizes["H"]
    options.split = next((int(plan.rpartition("split=")[2])
                          for plan in options.plan if "split=" in plan), 0)
    with tempfile.TemporaryDirectory() as folder:
        kernel = variants.Kernel(options.variant, pathlib.Path(folder), options)
        predicted = Predicted(kernel, options, options.case)
        arrays = moved.draw(kernel, options.case)
        # No score is above another, so that references rise once.
        arrays["q"] = np.zeros_like(arrays["q"])
        cuda = driver.Driver(options.library, chip=options.target, seed=1,
                             landing="wait", approximate=0, sms=132)
        run.Run(cuda, kernel.text, kernel.entry, arrays).run()
        counted = cuda.counters()

    def executed(*prefixes):
        return sum(count for name, count in counted["executed"].items()
                   if name.startswith(prefixes))
    products = executed("mma.sync", "wgmma.mma_async")
    exps = executed("ex2.", "lg2.", "rcp.")
    copied = counted["cp_async_bytes"] + counted["bulk_load_bytes"]
    print(f"{options.variant} {options.target} {options.case}: {products} of "
          f"{predicted.products} products, {exps} of {predicted.exps} exps, "
          f"{copied} of {predicted.bytes:.0f} bytes")
    bad = 0
    if products != predicted.products:
        print("FAIL products are not those that are predicted")
        bad = 1
    if not 0 <= exps - predicted.exps <= predicted.of_rows:
        print(f"FAIL expected at most {predicted.of_rows} exps more")
        bad = 1
    if not 1 <= copied / predicted.bytes <= 1.1:
        print(f"FAIL expected up to a tenth more bytes, but "
              f"{copied / predicted.bytes:.3f} times as many")
        bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
