# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares contractions on a GPU, written as einsums, with NumPy in f64, and
their kernels' bits where copies land early and late. There are no more instructions of
tensor cores than --explain predicts; where blocks are whole, those and copied bytes
are as predicted. With --ends only blocks at either end of each number of a grid run,
and the batches are those that they have, of 65535 in a span; nothing is counted.

    contractions.py bni,ihd->bhnd --sizes=b=2,n=70,i=96,h=3,d=16 --target=sm_80
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import driver
import run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "numeric"))

import einsum_layer  # noqa: E402
from linalg_graph import numbers  # noqa: E402

def compile_form(options, folder):
    """The PTX and the entry of a form, and the remarks of its compilation."""
    source = folder / "f.mlir"
    source.write_text(einsum_layer.module(options.form, options.sizes,
                                          options.dtype, options.open,
                                          options.sums))
    made = subprocess.run(
        ["mixattn-compile", source, f"--target={options.target}", "--remarks",
         "-o", folder / "f.ptx"], check=True, capture_output=True, text=True)
    entry = json.loads((folder / "f.json").read_text())["entries"][0]
    return (folder / "f.ptx").read_text(), entry, made.stderr


def predict(options, folder, warps, algorithm):
    """Instructions of tensor cores and copied bytes of the form's kernel, and
    whether each block is whole."""
    sizes = [f"--dim={letter.upper()}={options.sizes[letter]}"
             for letter in options.open]
    made = subprocess.run(
        ["mixattn-compile", folder / "f.mlir", f"--target={options.target}",
         "--explain=json", *sizes], check=True, capture_output=True, text=True)
    op = json.loads(made.stdout)["entries"][0]["ops"][0]
    block, = next(each["predicted_clocks"] for each in op["candidates"]
                  if each["algorithm"] == algorithm)
    whole = {"rows": "queries", "columns": "heads", "depth": "keys"}
    # Loops that the tile has not are those of the grid, and of terms further out.
    steps = math.prod(options.sizes.values())
    if steps == 0:
        return 0, 0, True
    for name, size in whole.items():
        steps = steps // op["sizes"][name] * -(-op["sizes"][name] // block[size])
    # A product has 16 columns and terms.
    is_whole = all(op["sizes"][name] % block[size] == 0 and block[size] % 16 == 0
                   for name, size in whole.items())
    return (warps * steps * block["warp_products"],
            steps * block["copied_bytes"], is_whole)


def batches_at_ends(array, ends):
    """The matrices of batches that blocks at the ends of the last number have."""
    span = 65535
    matrices = array.reshape(-1, *array.shape[-2:])
    number = np.arange(len(matrices)) % span
    return matrices[(number < ends) | (number >= span - ends)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("form", help="an einsum of two operands")
    parser.add_argument("--sizes", required=True, metavar="b=2,…",
                        help="of each letter")
    parser.add_argument("--open", default="", help="letters whose sizes are open")
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--sums", help="the type of the product's own elements")
    parser.add_argument("--algorithm", default="dense",
                        help="the schedule that is expected; unfused: none")
    parser.add_argument("--ends", type=int, default=0,
                        help="blocks that run at either end; default: all")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    options.sizes = {each[0]: int(each[2:]) for each in options.sizes.split(",")}
    arrays, expected, scale = einsum_layer.problem(
        options.form, options.sizes, options.dtype,
        bool(options.open or options.sums))
    with tempfile.TemporaryDirectory() as folder:
        text, entry, remarks = compile_form(options, pathlib.Path(folder))
        is_fused = options.algorithm != "unfused"
        planned = "Passed" if is_fused else "Missed"
        if f"[{planned}] {options.algorithm} " not in remarks:
            print(f"FAIL {remarks}")
            return 1
        if is_fused:
            # A producer's warpgroup has no products.
            others = 4 if "wgmma.mma_async" in text else 0
            warps = entry["launches"][0]["block"][0] // 32 - others
            predicted = predict(options, pathlib.Path(folder), warps,
                                options.algorithm)
    results = []
    for landing, count in (("issue", 1), ("wait", 1000)):
        cuda = driver.Driver(options.library or run.find_library(),
                             chip=options.target, seed=1, landing=landing,
                             sms=count, ends=options.ends)
        given = {name: held.view(np.uint16) if held.dtype.kind == "V" else held
                 for name, held in arrays.items()}
        results.append(run.Run(cuda, text, entry, given).run()[0]["y"])
    if results[0].tobytes() != results[1].tobytes():
        print("FAIL other bits where copies land late")
        return 1
    if is_fused and not options.ends:
        # Of all runs together.
        counted = cuda.counters()
        products = sum(count for name, count in counted["executed"].items()
                       if name.startswith(("mma.sync", "wgmma.mma_async")))
        products //= len(results)
        copied = counted["cp_async_bytes"] + counted["bulk_load_bytes"]
        copied //= len(results)
        print(f"{products} of {predicted[0]} products, "
              f"{copied} of {predicted[1]:.0f} bytes")
        same = (products, copied) == predicted[:2]
        if products > predicted[0] or (predicted[2] and not same):
            print("FAIL they are not those that are predicted")
            return 1
    views = {"bf16": "V2", "f16": np.float16, "f32": np.float32}
    held = results[0].view(views[options.dtype])
    if options.ends:
        held, expected, scale = (
            batches_at_ends(each, options.ends)
            for each in (held, expected, np.broadcast_to(scale, held.shape)))
    # No terms: nothing but zeros.
    worst = np.max(np.abs(numbers(held) - expected) / np.where(scale, scale, 1e-9))
    limit = einsum_layer.LIMITS[options.dtype]
    print(f"{options.form} {options.target} {options.dtype}: error "
          f"{worst / limit:.3f} of the limit, {len(entry['launches'])} kernel(s)")
    return 0 if worst < limit else 1


if __name__ == "__main__":
    sys.exit(main())
