# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cache that calls write into: cache.py STEP.mlir FOLDER. A text is given whole, in pieces, and
one position after the other, all to one entry; results are those of the oracle without a cache.
"""

import os
import subprocess
import sys

import mixattn
import numpy as np
from refused import refused

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "numeric"))
import oracle  # noqa: E402

HEADS, FEATURES, ROOM = 8, 64, 90


def main():
    step, folder = sys.argv[1:]
    library = os.path.join(folder, "step.so")
    subprocess.run(["mixattn-compile", step, "-o", library], check=True)
    entry = mixattn.load(library)
    print(repr(entry).split("\n", 1)[1])
    random = np.random.default_rng(7)
    batch, length = 2, 61
    q, k, v = (random.standard_normal((batch, HEADS, length, FEATURES), np.float32)
               for _ in range(3))
    mixer = random.standard_normal((HEADS, HEADS), np.float32)
    given = {"q": q, "k": k, "v": v, "mixer": mixer}
    right = oracle.expected("mixhead_a_causal", {name: x.astype(np.float64) for name, x
                                                 in given.items()}).results["o"]

    for name, pieces in {"whole": [61], "pieces": [23, 1, 30, 7], "steps": [40] + 21 * [1]}.items():
        # NaN shows where a place is read before it is written.
        keys, values = (np.full((batch, HEADS, ROOM, FEATURES), np.nan, np.float32)
                        for _ in range(2))
        found, first = [], 0
        for count in pieces:
            part = slice(first, first + count)
            start = np.full(batch, first, np.int32)
            found.append(entry(*(np.ascontiguousarray(x[:, :, part]) for x in (q, k, v)), keys,
                               values, mixer, start))
            first += count
        error = abs(np.concatenate(found, 2) - right).max() / abs(right).max()
        same = (np.array_equal(keys[:, :, :length], k) and np.array_equal(values[:, :, :length], v)
                and np.isnan(keys[:, :, length:]).all() and np.isnan(values[:, :, length:]).all())
        print(f"{name}: {len(pieces)} calls, error {error:.1e}, caches {'as' if same else 'not as'} given")

    # Batch rows of different lengths; a row beyond the end is not written.
    keys, values = (np.zeros((batch, HEADS, 8, FEATURES), np.float32) for _ in range(2))
    part = [np.ascontiguousarray(x[:, :, :3]) for x in (q, k, v)]
    entry(*part, keys, values, mixer, np.array([0, 6], np.int32))
    print("rows:", np.array_equal(keys[0, :, :3], k[0, :, :3]) and not keys[0, :, 3:].any()
          and np.array_equal(keys[1, :, 6:], k[1, :, :2]) and not keys[1, :, :6].any())
    refused(lambda: entry(*part, keys, values, mixer, np.array([0, 9], np.int32)))
    keys.flags.writeable = False
    refused(lambda: entry(*part, keys, values, mixer, np.array([0, 1], np.int32)))


main()
