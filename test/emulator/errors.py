# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs variants on the emulator, two batch rows of 150 queries and keys, and
compares their errors with those of a page, or writes them to it.

Each has few heads: numbers of heads change no arithmetic of a row.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "numeric")]

import driver  # noqa: E402
import row_table  # noqa: E402
import run  # noqa: E402
import run_variant  # noqa: E402
import signatures  # noqa: E402
import variants  # noqa: E402

CASE, SEED = "2x150x150x1", 1
EXAMPLES = """examples:
  errors.py --target=sm_80 --check=examples/variants/gpus.md softmax rare_tokens
  errors.py --target=sm_90a --write=examples/variants/gpus.md
"""


def few_heads(name):
    """The number of heads of a variant: two, or four where heads share or make
    others."""
    signature = signatures.SIGNATURES[name]
    if "H=" not in signature or "W=" in signature:
        return {}
    mixes = re.search(r"[MG]=|,2,|mixer", signature)
    return {"H": 4 if mixes else 2}


def measure(name, options):
    """The largest error of a variant, and complaints."""
    own = argparse.Namespace(**vars(options), sizes=few_heads(name),
                             seed=SEED, plan=[])
    with tempfile.TemporaryDirectory() as folder:
        try:
            kernel = variants.Kernel(name, pathlib.Path(folder), own)
            complaints, share = kernel.check(CASE, SEED)
        except (driver.DriverError, RuntimeError) as failure:
            return float("nan"), [str(failure)]
    return share, complaints


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0], epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW",
                        help="a variant; default: all of examples/variants")
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE",
                        help="whether PAGE has errors that are as large")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE",
                        help="write errors to PAGE")
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    options.library = options.library or run.find_library()
    options.rows = options.rows or sorted(
        each.stem for each in run_variant.FOLDERS[0].glob("*.mlir"))
    return options


def main():
    options, bad = parse(), 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(measure, options.rows, [options] * len(options.rows))
        for name, (share, complaints) in zip(options.rows, found):
            print(f"{name} {options.target} {options.dtype} {CASE}: "
                  f"error {share:.3f} of the limit", flush=True)
            if options.write and not complaints:
                row_table.Page(options.write).write_error(
                    options.target, name, share)
            if options.check:
                complaints.append(row_table.Page(options.check).check_error(
                    options.target, name, share))
            for complaint in filter(None, complaints):
                print(f"FAIL {name}: {complaint}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
