# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What test/numeric/hidden_keys.py checks, of a GPU's kernels. A row that hidden
values spoiled is computed again, with weights that are not rounded: results are
the same but for that.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np

import run
import variants  # which finds test/numeric

import hidden_keys  # isort: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--dtype", default="bf16")
    options = parser.parse_args()
    options.library = options.library or run.find_library()
    options.bin, options.seed, options.sizes, options.plan = None, 1, {}, []
    limit = hidden_keys.TOLERANCE[options.dtype]
    bad = 0
    for name, check in hidden_keys.CHECKS.items():
        with tempfile.TemporaryDirectory() as folder:
            kernel = variants.Kernel(name, pathlib.Path(folder), options)
            for complaint in check(kernel, lambda x, y: np.allclose(x, y, atol=limit)):
                bad += 1
                print(f"FAIL {options.dtype} {options.target}: {complaint}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
