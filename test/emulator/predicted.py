# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what --explain predicts of a variant's kernels against what the emulator
counts: instructions of tensor cores and exps of all warps, and bytes that blocks of
threads ask the device's memory for: copied ones, and sectors of 32 bytes that are
loaded, each once for a block.

Products are the same. Exps, to which inverses and roots belong, are the same but for
those of a row: its sum and outputs are scaled where its reference rises, with equal
scores once, and divided in the end; parts of keys are put together. Bytes are within
a twentieth: what there is once of a row or of an item, such as its length or its
mixer, is not predicted. Counted are the kernels of which there are predictions. Of a
causal variant a block of queries visits the keys up to those that its last query
sees.
"""

import argparse
import copy
import json
import math
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
import sizes  # noqa: E402
import variants  # noqa: E402

# Exps of a warp for 16 rows, of which each lane has two: a factor of their sums, one
# of their outputs, and the inverse of their sums.
OF_ROWS = 6


# Linear attention has the inverse of each row's sum alone.
OF_LINEAR_ROWS = 2
# Keys or queries that it takes at a time.
CHUNK = 64
LINEAR = ("chunked_linear", "spanned_linear")
DENSE = ("dense", "dense_mma")


def explain(kernel, options, batches, queries, keys):
    """The chosen plan, the sizes of its op, and its clocks, a kernel after the
    other."""
    source = kernel.folder / f"{kernel.name}.mlir"
    dims = [f"--dim={name}={size}" for name, size in
            [("B", batches), ("N", queries), ("S", keys)]
            if f'"{name}"' in source.read_text()]
    made = subprocess.run(
        [run_variant.tool("mixattn-compile", options.bin), source,
         f"--target={options.target}", *options.plan, "--explain=json", *dims],
        capture_output=True, text=True, check=True)
    return [(candidate, op["sizes"], clocks) for op in json.loads(made.stdout)["entries"][0]["ops"]
            for candidate in op["candidates"] if candidate["reason"] == "chosen"
            for clocks in candidate["predicted_clocks"]]


def has_band(kernel):
    """Whether some rows see none of the first keys that their block visits."""
    return " band <" in (kernel.folder / f"{kernel.name}.mlir").read_text()


def seen_keys(kernel, queries, keys, clocks, copies_boxes):
    """Of each block of queries: how many keys it visits; how many it copies, an
    average of keys and values, which have as many features where a band cuts some
    off; how many values it pools. Boxes of TMA end where keys do, others where
    what is seen does."""
    text = (kernel.folder / f"{kernel.name}.mlir").read_text()
    is_causal = re.search(r"\bcausal\b", text)
    rows, block = clocks["queries"], clocks["keys"]

    def ends_of(clause, first):
        reach = re.search(clause + r" <(\d+), (\d+)>", text)
        lower, upper = map(int, reach.groups()) if reach else (keys, keys)
        return max(first - lower, 0), min(first + rows + upper, keys)

    def copied_end(end, begin):
        whole = begin + -(-(end - begin) // block) * block
        return min(whole, keys) if copies_boxes else end
    for first in range(keys - queries, keys, rows):
        begin, end = ends_of("band", first)
        end = min(end, first + rows) if is_causal else end
        # Values are read from the block on that has the first of them.
        begin_kept, end_kept = ends_of("keep", first)
        begin_kept = max(begin_kept - (begin_kept - begin) % block, begin)
        end_kept = min(end, end_kept)
        copied = copied_end(end, begin) - begin + \
            copied_end(end_kept, begin) - begin_kept
        yield end - begin, copied / 2, end_kept - begin_kept


class Launched:
    """A kernel that visits keys: the warps of a block that compute, and whether
    TMA copies keys and values."""

    def __init__(self, text, launch):
        begin = text.index(f".entry {launch['kernel']}(")
        body = text[begin:text.find(".entry", begin + 1)]
        self.copies_boxes = "wgmma.mma_async" in body
        self.has_products = self.copies_boxes or "mma.sync" in body
        # A producer's warpgroup has no products.
        self.warps = math.prod(launch["block"]) // 32 - 4 * self.copies_boxes


def launched_by(kernel, arrays, count):
    """The kernels that visit keys in a call with these arguments, by name: all,
    if they are `count`; else those that have products, or of a pool its last
    one."""
    dims = sizes.dims_of(kernel.entry, arrays)
    launches = {each["kernel"]: Launched(kernel.text, each)
                for each in sizes.launches_of(kernel.entry, dims)}
    if len(launches) == count:
        return launches
    return {name: each for name, each in launches.items()
            if each.has_products} or dict([launches.popitem()])


class Counting(driver.Driver):
    """Adds up what some kernels do."""

    def __init__(self, kernels, options):
        super().__init__(options.library, chip=options.target, seed=1,
                         landing="wait", approximate=0, sms=132)
        self.kernels, self.name = kernels, None
        self.products = self.exps = self.bytes = 0

    def function(self, module, name):
        self.name = name
        return super().function(module, name)

    def launch(self, function, grid, block, shared, parameters):
        super().launch(function, grid, block, shared, parameters)
        counted = self.counters()
        if self.name not in self.kernels:
            return

        def executed(*prefixes):
            return sum(count for name, count in counted["executed"].items()
                       if name.startswith(prefixes))
        self.products += executed("mma.sync", "wgmma.mma_async")
        self.exps += executed("ex2.", "lg2.", "rcp.", "sqrt.", "div.rn.f32",
                              "div.approx.") - \
            executed("div.rn.f32 by a constant")
        self.bytes += counted["cp_async_bytes"] + counted["bulk_load_bytes"] + \
            moved.SECTOR * counted["global_load_sectors_once"]


class Predicted:
    """The sums over all kernels, as --explain predicts them."""

    def __init__(self, kernel, options, case, arrays):
        batches, queries, keys, _ = map(int, case.split("x"))
        self.products = self.exps = self.bytes = self.of_rows = 0
        self.algorithm, split = None, 0
        heads = options.heads
        explained = explain(kernel, options, batches, queries, keys)
        self.launched = launched_by(kernel, arrays, len(explained))
        if len(explained) != len(self.launched):
            raise SystemExit(f"FAIL {len(self.launched)} kernels visit keys, but "
                             f"{len(explained)} are predicted")
        for (plan, planned, clocks), launched in zip(explained,
                                                     self.launched.values()):
            warps = launched.warps
            self.algorithm, split = plan["algorithm"], plan.get("split", 0)
            if self.algorithm in DENSE:
                self.add_dense(clocks, warps, planned,
                               batches * heads * options.sizes.get("R", 1))
                continue
            keys = planned["keys"]
            if self.algorithm in LINEAR:
                self.add_linear(clocks, warps, batches, queries, keys, options)
                continue
            if self.algorithm == "banded":
                self.bytes += batches * heads * clocks["column_blocks"] * \
                    queries // clocks["queries"] * clocks["copied_bytes"]
                self.of_rows += batches * heads * queries
                continue
            items = batches * (heads // clocks["heads"])
            # Parts of the keys have items of their own.
            parts = keys // split if split else 1
            seen = list(seen_keys(kernel, queries, keys, clocks,
                                  launched.copies_boxes))
            visits = items * parts * sum(-(-each // parts // clocks["keys"])
                                         for each, *_ in seen)
            copied = items * sum(each for _, each, _ in seen)
            kept = items * sum(-(-each // clocks["keys"])
                               for *_, each in seen)
            items *= len(seen)
            self.products += visits * warps * clocks["warp_products"] + \
                kept * warps * clocks["warp_kept_products"]
            self.exps += visits * warps * clocks["warp_exps"]
            groups = max(1, clocks["queries"] // (16 * warps))
            self.of_rows += items * parts * warps * groups * clocks["heads"] * \
                OF_ROWS * (2 if has_band(kernel) else 1)
            self.bytes += copied * clocks["copied_bytes"] / clocks["keys"] + \
                batches * (heads // clocks["heads"]) * parts * queries * \
                clocks["query_bytes"] / clocks["queries"]
        # Two warps put a row's parts together, of which each has a factor.
        if split:
            self.of_rows += batches * heads * queries * 2 * (keys // split + 1)

    def add_dense(self, clocks, warps, planned, products):
        """Blocks of a product's rows and columns take its terms step by step."""
        visits = products * math.prod(
            planned[name] // clocks[step] for name, step in
            [("rows", "queries"), ("columns", "heads"), ("depth", "keys")])
        self.products += visits * warps * clocks["warp_products"]
        self.bytes += visits * clocks["copied_bytes"]

    def add_linear(self, clocks, warps, batches, queries, keys, options):
        """A block takes the chunks of its keys, or one chunk of queries; causal
        ones have as many queries as keys."""
        items = batches * options.heads // clocks["heads"] * \
            clocks["column_blocks"]
        visits = items * ((keys if clocks["keys"] else queries) // CHUNK)
        self.products += visits * warps * clocks["warp_products"]
        self.exps += visits * warps * clocks["warp_exps"]
        self.bytes += visits * clocks["copied_bytes"]
        if clocks["queries"]:
            self.of_rows += visits * warps * clocks["heads"] * OF_LINEAR_ROWS


def count(options, variant, case):
    """Says what is counted, and what is predicted; whether they differ."""
    given = copy.copy(options)
    given.sizes = {size[0]: int(size[2:]) for size in options.sizes.split(",")}
    given.heads = given.sizes["H"]
    with tempfile.TemporaryDirectory() as folder:
        kernel = variants.Kernel(variant, pathlib.Path(folder), given)
        arrays = moved.draw(kernel, case)
        predicted = Predicted(kernel, given, case, arrays)
        # No score is above another, so that references rise once; all keys
        # count; no rows read the same one through a window.
        for name in {"q", "slopes"} & set(arrays):
            arrays[name] = np.zeros_like(arrays[name])
        if "lengths" in arrays:
            arrays["lengths"][:] = case.split("x")[2]
        if "triples" in arrays:
            arrays["triples"][:, 2] = 0
        cuda = Counting(predicted.launched, given)
        run.Run(cuda, kernel.text, kernel.entry, arrays).run()
    products, exps = cuda.products, cuda.exps
    print(f"{variant} {options.target} {case}: {products} of "
          f"{predicted.products} products, {exps} of {predicted.exps} exps, "
          f"{cuda.bytes} of {predicted.bytes:.0f} bytes", flush=True)
    bad = 0
    if products != predicted.products:
        print("FAIL products are not those that are predicted")
        bad = 1
    if not 0 <= exps - predicted.exps <= predicted.of_rows:
        print(f"FAIL expected at most {predicted.of_rows} exps more")
        bad = 1
    if not 0.95 <= cuda.bytes / predicted.bytes <= 1.05:
        print(f"FAIL expected 0.95 to 1.05 times as many bytes, but "
              f"{cuda.bytes / predicted.bytes:.3f} times as many")
        bad = 1
    return bad


def parser_of(description):
    """Of the options of a run."""
    parser = argparse.ArgumentParser(
        description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--sizes", default="H=2", help="static sizes")
    parser.add_argument("--plan", action="append", default=[],
                        type=lambda plan: f"--plan={plan}")
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    parser.add_argument("--library", type=pathlib.Path, default=None,
                        help="the stand-in libcuda; default: that of the build")
    return parser


def main():
    parser = parser_of(__doc__)
    parser.add_argument("variant", help="its name")
    parser.add_argument("case", help="such as 2x512x512x1")
    options = parser.parse_args()
    options.library = options.library or run.find_library()
    return count(options, options.variant, options.case)


if __name__ == "__main__":
    sys.exit(main())
