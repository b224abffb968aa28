# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what a variant moves from and to the device's memory, next to the bytes
of its arguments and results.

Counted are sectors of 32 bytes, once for each block of threads that loads or
stores them, and all that asynchronous copies take, over all kernels of a call: a
multiprocessor has a cache for what a block reads again, and none here for what
another one reads. There
is an error of a pool for each 16 rows, and a window for each 32: what is read for
them comes on top.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "numeric")]

import driver  # noqa: E402
import inputs  # noqa: E402
import run  # noqa: E402
import signatures  # noqa: E402
import variants  # noqa: E402

SECTOR = 32


def draw(kernel, case):
    """Arguments of one case, as the kernel reads them."""
    batches, queries, keys, scale = map(int, case.split("x"))
    sizes = signatures.static_sizes(kernel.name) | kernel.sizes | {
        "B": batches, "N": queries, "S": keys, "E": queries // 16,
        "T": queries // 32}
    rng, arrays = np.random.default_rng(1), {}
    for name, dims, kind in signatures.arguments(kernel.name):
        x = inputs.draw(name, signatures.shape(dims, sizes), sizes, scale, rng)
        if x.dtype == np.float64:
            x = inputs.encode(x, kind or kernel.dtype)
        arrays[name] = x.view(np.uint16) if x.dtype.kind == "V" else x
    return arrays


def count(kernel, arrays, options):
    """The bytes moved, and those of arguments and results."""
    cuda = driver.Driver(options.library, chip=options.target, seed=1,
                         landing="wait", approximate=0, sms=132)
    results, status = run.Run(cuda, kernel.text, kernel.entry, arrays).run()
    assert status == 0, f"the status word is {status}"
    counted = cuda.counters()
    moved = SECTOR * (counted["global_load_sectors_once"] +
                      counted["global_store_sectors_once"]) + \
        counted["cp_async_bytes"] + counted["bulk_load_bytes"] + \
        counted["bulk_store_bytes"]
    return moved, sum(each.nbytes for each in
                      [*arrays.values(), *results.values()])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("variant", help="its name")
    parser.add_argument("cases", nargs="+", help="such as 2x512x512x1")
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--sizes", default="H=2", help="static sizes")
    parser.add_argument("--plan", action="append", default=[],
                        type=lambda plan: f"--plan={plan}")
    parser.add_argument("--most", type=float, required=True,
                        help="times the bytes of arguments and results")
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    options.library = options.library or run.find_library()
    options.sizes = {size[0]: int(size[2:])
                     for size in options.sizes.split(",") if size}
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        kernel = variants.Kernel(options.variant, pathlib.Path(folder), options)
        for case in options.cases:
            moved, least = count(kernel, draw(kernel, case), options)
            print(f"{options.variant} {options.target} {case}: {moved} bytes, "
                  f"{moved / least:.3f} of {least}")
            if moved > options.most * least:
                print(f"FAIL expected at most {options.most} times")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
