# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions of 16-bit floats against NumPy, bit by bit.

conversions.py write FOLDER: every f16, and f32 around every rounding.
conversions.py check FOLDER: compares what the entry made of them.
"""

import sys

import numpy


def wide_inputs():
    """All halves, the points midway between neighbours and theirs, the same of
    bf16 at every 97th, and 2^18 random bit patterns."""
    halves = numpy.arange(2**16, dtype=numpy.uint16).view(numpy.float16)
    finite = numpy.sort(halves[numpy.isfinite(halves)].astype(numpy.float32))
    middles = (finite[1:] + finite[:-1]) / 2
    limits = numpy.float32([65519.996, 65520, 65536, 1e38, 2.0**-25, 2.0**-26, 1e-45])
    brains = (numpy.arange(0, 2**16, 97, dtype=numpy.uint32) << 16) + 0x8000
    random = numpy.random.default_rng(1).integers(0, 2**32, 2**18, dtype=numpy.uint32)
    points = numpy.concatenate([
        halves.astype(numpy.float32), middles, limits, -limits,
        brains.view(numpy.float32), random.view(numpy.float32)])
    with numpy.errstate(all="ignore"):
        beside = [numpy.nextafter(points, numpy.float32(to)) for to in (-numpy.inf, numpy.inf)]
    return halves, numpy.concatenate([points, *beside]).astype(numpy.float32)


def to_brain(wide):
    """bf16 bits of f32, to nearest even; NaN stays NaN."""
    bits = wide.view(numpy.uint32).astype(numpy.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)


def differing(got, expected, is_nan):
    """How many bit patterns differ, where any NaN is as good as another."""
    nan_got, nan_expected = is_nan(got), is_nan(expected)
    return int(((got != expected) & ~(nan_got & nan_expected)).sum())


def main():
    action, folder = sys.argv[1:]
    halves, wide = wide_inputs()
    if action == "write":
        numpy.save(f"{folder}/halves.npy", halves)
        numpy.save(f"{folder}/wide.npy", wide)
        return

    def bits(name, kind):
        return numpy.load(f"{folder}/{name}.npy").view(kind)

    with numpy.errstate(all="ignore"):
        expected_wide = halves.astype(numpy.float32).view(numpy.uint32)
        expected_half = wide.astype(numpy.float16).view(numpy.uint16)
    print("f16 to f32:", differing(bits("widened", numpy.uint32), expected_wide,
                                   lambda b: (b & 0x7FFFFFFF) > 0x7F800000), "differ")
    print("f32 to f16:", differing(bits("narrowed", numpy.uint16), expected_half,
                                   lambda b: (b & 0x7FFF) > 0x7C00), "differ")
    known = ~numpy.isnan(wide)
    print("f32 to bf16:", differing(bits("brain", numpy.uint16)[known], to_brain(wide)[known],
                                    lambda b: (b & 0x7FFF) > 0x7F80), "differ")


main()
