# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lengths, or starts, out of range: a kernel takes the nearest that is not, and
says so.

Results have the bits of those for the nearest lengths. The status word becomes
1 + the number of their argument, and stays 0 for good ones. A caller
without a status word has the same results.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np

import driver
import run
import variants

KEYS, FEATURES = 70, 64
BAD = [-1, KEYS + 1, 33, -2**40, 2**40]
NEAREST = [0, KEYS, 33, 0, KEYS]
BATCH = len(BAD)


class Call:
    """A kernel and all its arguments but the lengths."""

    def __init__(self, options, folder):
        self.options = options
        self.name = options.argument
        variant = {"lengths": "softmax_padded", "start": "softmax_from"}[self.name]
        self.kernel = variants.Kernel(variant, folder, options)
        rng = np.random.default_rng(1)
        self.tensors = {
            name: (rng.standard_normal((BATCH, 1, rows, FEATURES))
                   .astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
            for name, rows in (("q", options.queries), ("k", KEYS), ("v", KEYS))}

    def run(self, lengths, has_status=True):
        """The bits of the result, and the status word."""
        cuda = driver.Driver(self.options.library, chip=self.options.target,
                             seed=1, landing="wait", approximate=0)
        dtype = next(each["dtype"] for each in self.kernel.entry["arguments"]
                     if each["name"] == self.name)
        arrays = {**self.tensors, self.name: np.array(lengths, run.DTYPES[dtype])}
        results, status = run.Run(cuda, self.kernel.text, self.kernel.entry,
                                  arrays, has_status).run()
        return results["o"].tobytes(), status

    def number(self):
        """What the status word is to become."""
        names = [each["name"] for each in self.kernel.entry["arguments"]]
        return 1 + names.index(self.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", required=True, help="the stand-in libcuda")
    parser.add_argument("--target", required=True, help="a GPU's name")
    parser.add_argument("--argument", default="lengths", choices=("lengths", "start"),
                        help="what is out of range (%(default)s)")
    parser.add_argument("--queries", type=int, default=20, help="how many (%(default)s)")
    options = parser.parse_args()
    options.dtype, options.bin, options.seed = "bf16", None, 1
    options.plan = []
    options.sizes = {"H": 1, "D": FEATURES}
    with tempfile.TemporaryDirectory() as folder:
        call = Call(options, pathlib.Path(folder))
        good, bad = call.run(NEAREST), call.run(BAD)
        silent = call.run(BAD, has_status=False)
        number = call.number()
    print(f"good lengths: status {good[1]}")
    print(f"bad lengths: status {bad[1]} of {number}, "
          f"{'equal' if bad[0] == good[0] else 'other'} bits")
    print(f"no status word: {'equal' if silent[0] == good[0] else 'other'} bits")
    return 0 if (good[1] == 0 and bad == (good[0], number)
                 and silent == (good[0], 0)) else 1


if __name__ == "__main__":
    sys.exit(main())
