# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of mixed heads that writes keys and values into caches, in bf16 on the
emulated GPU: cache.py --target=sm_80. A text comes in two pieces, the second one
position long; results are those of the oracle without a cache, and no place of a
cache changes but those of the new positions.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np

import driver
import run
import variants  # which finds test/numeric

import inputs  # isort: skip
import oracle  # isort: skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEP = ROOT / "test" / "python" / "Inputs" / "step.mlir"
HEADS, FEATURES, ROOM = 8, 64, 90
LIMIT = 2.0**-7


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    random = np.random.default_rng(3)
    length, batch = 41, 2
    q, k, v, mixer = (inputs.encode(random.standard_normal(shape), "bf16")
                      for shape in 3 * [(batch, HEADS, length, FEATURES)]
                      + [(HEADS, HEADS)])
    given = {"q": q, "k": k, "v": v, "mixer": mixer}
    right = oracle.expected("mixhead_a_causal", {
        name: inputs.decode(x).astype(np.float64)
        for name, x in given.items()}).results["o"]
    with tempfile.TemporaryDirectory() as path:
        source = pathlib.Path(path) / "step.mlir"
        source.write_text(STEP.read_text().replace("f32", "bf16"))
        text, entry = run.compile_source(source, options.target)
    cuda = driver.Driver(options.library or run.find_library(),
                         chip=options.target, seed=1, landing="wait", sms=4)
    # Of bf16 these bits are a NaN.
    caches = {name: np.full((batch, HEADS, ROOM, FEATURES), 0xFFFF, np.uint16)
              for name in ("keys", "values")}
    found = []
    for part in (slice(0, length - 1), slice(length - 1, length)):
        arrays = {name: np.ascontiguousarray(x[:, :, part]).view(np.uint16)
                  for name, x in (("q", q), ("k", k), ("v", v))}
        arrays |= caches | {"mixer": mixer.view(np.uint16),
                            "start": np.full(batch, part.start, np.int32)}
        results, status = run.Run(cuda, text, entry, arrays).run()
        if status:
            raise driver.DriverError(f"the status word is {status}")
        found.append(inputs.decode(results.pop("o").view("V2")))
        caches = results
    error = np.abs(np.concatenate(found, 2) - right).max() / np.abs(right).max()
    kept = all(
        np.array_equal(caches[name][:, :, :length], rows.view(np.uint16))
        and (caches[name][:, :, length:] == 0xFFFF).all()
        for name, rows in (("keys", k), ("values", v)))
    print(f"{options.target}: error {error:.4f} of the largest, caches "
          f"{'as' if kept else 'not as'} given")
    return 0 if error <= LIMIT and kept else 1


if __name__ == "__main__":
    sys.exit(main())
