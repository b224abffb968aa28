# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pool at places that the graph computes, on the emulator: what lies outside of
the rows writes nothing, on a GPU, too, whose indices have 32 bits."""

import pathlib
import sys
import tempfile

import numpy as np

import variants

import computed_places  # noqa: E402
import inputs  # noqa: E402

# Of results in bf16: the sum of a few terms is rounded once.
LIMIT = 2.0**-7


def main():
    sys.argv[1:1] = ["computed_places"]
    options = variants.parse()
    options.sizes = {}
    x = computed_places.draw(np.random.default_rng(3))
    # Doubled, the lower 32 bits of these are those of a place.
    x["errors"][11] = 2**31
    for name in ("error_value", "v"):
        x[name] = inputs.encode(x[name].astype(float), options.dtype)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        kernel = variants.Kernel("computed_places", folder, options)
        file = folder / "inputs.npz"
        np.savez(file, **x)
        actual = kernel.actual(file)["o"]
    for name in ("error_value", "v"):
        x[name] = inputs.decode(x[name])
    right = computed_places.expected(x)
    error = np.abs(actual - right).max() / np.abs(right).max()
    print(f"computed places on {options.target}: error {error / LIMIT:.3f} of the limit")
    return 0 if error < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
