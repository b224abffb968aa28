# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Polynomials against NumPy in double precision.

functions.py write X: arguments over the whole range of f32, into an .npy.
functions.py check X RESULTS: prints the largest error of each function, in units
in the last place of the exact value.
"""

import math
import sys

import numpy

NAMES = ("erf", "exp", "exp2", "expm1", "log", "log1p", "log2", "tanh")


def exact(name, x):
    return (numpy.vectorize(math.erf) if name == "erf" else getattr(numpy, name))(x)


def arguments():
    """Both signs of 2^16 values spread over all exponents, as many around each of
    0 and 1, infinities and NaN. Subnormals are left out: log and log2 take them
    for 2^-126.
    """
    spread = numpy.linspace(0x00800000, 0x7F7FFFFF, 2**16).astype(numpy.uint32).view(numpy.float32)
    near = numpy.linspace(0, 100, 2**16, dtype=numpy.float32)
    one = numpy.linspace(0.5, 2, 2**16, dtype=numpy.float32)
    special = numpy.array([numpy.inf, -numpy.inf, numpy.nan], numpy.float32)
    return numpy.concatenate([spread, -spread, near, -near, one, special])


def errors(got, exact):
    """|got - exact| in units in the last place of f32 at the exact value."""
    with numpy.errstate(all="ignore"):
        rounded = exact.astype(numpy.float32)
        unit = numpy.spacing(numpy.abs(rounded)).astype(numpy.float64)
        result = numpy.abs(got.astype(numpy.float64) - exact) / unit
        # Infinities and NaN are right or wrong; so is what is below 2^-126.
        special = ~numpy.isfinite(rounded)
        same = (got == rounded) | (numpy.isnan(got) & numpy.isnan(rounded))
        tiny = numpy.abs(exact) < 2.0**-126
        result = numpy.where(special, numpy.where(same, 0, numpy.inf), result)
        return numpy.where(tiny, numpy.where(numpy.abs(got) <= 2.0**-126, 0, numpy.inf), result)


def main():
    action, *files = sys.argv[1:]
    if action == "write":
        numpy.save(files[0], arguments())
        return
    x, results = map(numpy.load, files)
    for name in NAMES:
        with numpy.errstate(all="ignore"):
            expected = exact(name, x.astype(numpy.float64))
        error = errors(results[name], expected)
        worst = int(numpy.nanargmax(numpy.where(numpy.isnan(error), numpy.inf, error)))
        within = "within" if error[worst] <= 6 else "BEYOND"
        print(f"{name}: {within} 6 units ({error[worst]:.2f} at {x[worst]})")


main()
