# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that are not what an entry asks of its arguments, on a GPU.

conditions.py FILE.ptx FILE.json --library=PATH prints `CASE: STATUS`, for the
entries of conditions.test. No call fails, or reads outside of a tensor.
"""

import argparse
import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "passes" / "Inputs")]

import driver  # noqa: E402
import run  # noqa: E402
import value_cases  # noqa: E402
from value_cases import NAN  # noqa: E402

# The extents of the indices.
HEADS, ROWS = 2, 5


class Entries:
    def __init__(self, options):
        self.library = options.library
        self.text = options.ptx.read_text()
        manifest = json.loads(options.manifest.read_text())
        self.entries = {each["name"]: each for each in manifest["entries"]}

    def report(self, case, name, **arrays):
        cuda = driver.Driver(self.library, seed=1, landing="wait",
                             chip=run.target_of(self.text))
        words = [run.Run(cuda, self.text, self.entries[name], arrays,
                         has_status).run()[1] for has_status in (True, False)]
        # A caller without a status word learns nothing.
        assert words[1] == 0
        print(f"{case}: {words[0]}")

    def coordinates(self, case, rows, dtype=np.int64):
        rows = np.array(rows, dtype).reshape(-1, 3)
        name = "coordinates" if dtype == np.int64 else "coordinates32"
        self.report(case, name, x=np.zeros((HEADS, ROWS), np.uint16),
                    index=rows)

    def windows(self, case, rows):
        self.report(case, "windows", x=np.zeros((HEADS, ROWS), np.uint16),
                    triples=np.array(rows, np.int64).reshape(-1, 3))

    def shares(self, case, prior, keys=3):
        prior = np.float32(prior)
        q = np.zeros((1, 2, 3, 64), np.uint16)
        k = np.zeros((1, 2, 2, keys, 64), np.uint16)
        v = np.zeros((1, 2, keys, 64), np.uint16)
        name = "fused" if prior.ndim == 2 else "fused_by_key"
        self.report(case, name, q=q, k=k, v=v, log_prior=prior)

    def mixture(self, case, prior):
        q = np.zeros((1, 2, 3, 4), np.uint16)
        k = np.zeros((1, 2, 2, 3, 4), np.uint16)
        self.report(case, "mixture", q=q, k=k, v=q,
                    prior=np.float16(prior).view(np.uint16))

    def update(self, case, *sizes):
        gamma = np.full((sizes[0], 2, 2, *sizes[1:]), 0x3C00, np.uint16)
        self.report(case, "update", gamma=gamma)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("ptx", type=pathlib.Path)
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("--library", required=True, help="the stand-in libcuda")
    entries = Entries(parser.parse_args())

    value_cases.coordinates(entries.coordinates)
    entries.coordinates("far row", [[0, 2**63 - 1, 0]])
    value_cases.windows(entries.windows)
    value_cases.shares(entries.shares)

    check = entries.mixture
    check("a component off", [[0, 1], [1e-3, 0]])
    check("negative", [[0, 1], [1, -6e-8]])
    check("NaN", [[1, NAN], [1, 1]])
    check("a head all zero", [[1, 1], [0, -0.0]])

    value_cases.updates(entries.update)


if __name__ == "__main__":
    main()
