# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on a GPU against NumPy in double precision.

functions.py FOLDER --target=CHIP --library=PATH: compiles a graph with a result for
each function and runs it in the emulator. Prints the largest error of each, in units
in the last place of the exact value, and whether it is within the limit below.
"""

import argparse
import math
import pathlib
import subprocess
import sys

import numpy

INFINITY = numpy.inf


def of_each(function):
    """A function of libm on f64, where NumPy has none."""
    return numpy.vectorize(function, otypes=[numpy.float64])


def round_away(x):
    whole = numpy.trunc(x)
    return numpy.copysign(abs(whole) + (abs(x - whole) >= 0.5), x)


def integer_power(base, exponent):
    """What is left of it in 32 bits; reciprocals are rounded to 0."""
    if exponent < 0:
        return base ** (exponent & 1) if abs(base) == 1 else 0
    return (int(base) ** int(exponent) + 2**31) % 2**32 - 2**31


# Each function in f64, how many units it may be off, and of what: rounding
# to f32 alone takes half a unit.
FUNCTIONS = {
    "acos": (numpy.arccos, 3, "x"), "acosh": (numpy.arccosh, 1, "x"), "asin": (numpy.arcsin, 3, "x"),
    "asinh": (numpy.arcsinh, 1, "x"), "atan": (numpy.arctan, 3, "x"), "atan2": (numpy.arctan2, 3, "xy"),
    "atanh": (numpy.arctanh, 1, "x"), "cbrt": (numpy.cbrt, 1, "x"), "ceil": (numpy.ceil, 0, "x"),
    "cos": (numpy.cos, 2, "x"), "cosh": (numpy.cosh, 1, "x"), "erfc": (of_each(math.erfc), 1, "x"),
    "floor": (numpy.floor, 0, "x"), "fpowi": (numpy.power, 1, "xn"), "ipowi": (of_each(integer_power), 0, "mn"),
    "log10": (numpy.log10, 1, "x"), "powf": (numpy.power, 1, "xy"), "round": (round_away, 0, "x"),
    "roundeven": (numpy.rint, 0, "x"), "sin": (numpy.sin, 2, "x"), "sinh": (numpy.sinh, 2, "x"),
    "tan": (numpy.tan, 3, "x"), "tanh": (numpy.tanh, 4, "x"), "trunc": (numpy.trunc, 0, "x"),
}
TYPES = {"x": "f32", "y": "f32", "n": "i32", "m": "i32"}


def graph():
    def typed(name):
        return f"tensor<?x{TYPES[name]}>"

    inputs = ", ".join(f'%{name}: {typed(name)} {{attn.name = "{name}", attn.dims = ["N"]}}' for name in TYPES)
    results = {name: typed(operands[0]) for name, (_, _, operands) in FUNCTIONS.items()}
    names = ", ".join(f'{type} {{attn.name = "{name}"}}' for name, type in results.items())
    lines = [f"func.func @functions({inputs}) -> ({names}) {{"]
    for name, (_, _, operands) in FUNCTIONS.items():
        # Types of both operands only where they may differ.
        types = ", ".join(map(typed, operands)) if name == "fpowi" else typed(operands[0])
        lines.append(f"  %{name} = math.{name} {', '.join('%' + operand for operand in operands)} : {types}")
    values = ", ".join(f"%{name}" for name in results)
    return "\n".join([*lines, f"  return {values} : {', '.join(results.values())}", "}", ""])


def arguments():
    """Values spread over all exponents, over a few turns, around 1, halves, and what
    is special; each with each kind of second argument in turn."""
    bits = numpy.linspace(1, 0x7F7FFFFF, 2**11).astype(numpy.uint32)
    parts = [bits.view(numpy.float32), numpy.linspace(0, 13, 2**11), numpy.linspace(0.4, 1.1, 2**11),
             numpy.linspace(1e4, 3e5, 2**10), numpy.linspace(13, 110, 2**9),
             # Near multiples of pi/2, of any size.
             numpy.outer(2.0 ** numpy.arange(24), [1, 3, 5, 7]).ravel() * (math.pi / 2),
             numpy.arange(0, 20) + 0.5, 2.0**23 + numpy.arange(-3, 3) / 2, numpy.arange(0, 12),
             [0, 1, 16367173 * 2.0**72, INFINITY, numpy.nan]]
    one = numpy.concatenate([numpy.asarray(part, numpy.float32) for part in parts])
    x = numpy.concatenate([one, -one])
    y = numpy.roll(x, 4099).copy()
    # Powers of small exponents, too, and each special one of each other.
    y[::3] = numpy.linspace(-9, 9, len(y[::3]))
    y[1::7] = numpy.arange(len(y[1::7])) % 41 - 20
    special = numpy.array([0, -0.0, 1, -1, 2, -3, 0.5, -2.5, INFINITY, -INFINITY, numpy.nan, 1e-40, 3e38],
                          numpy.float32)
    x = numpy.concatenate([x, numpy.repeat(special, len(special))])
    y = numpy.concatenate([y, numpy.tile(special, len(special))])
    number = numpy.arange(len(x))
    return {"x": x, "y": y, "n": (number % 43 - 21).astype(numpy.int32),
            "m": (number // 43 % 29 - 14).astype(numpy.int32)}


def errors(got, expected):
    """|got - expected| in units in the last place of f32; infinities, NaN and signs of
    zeros are right or wrong."""
    rounded = expected.astype(numpy.float32)
    unit = numpy.spacing(abs(rounded)).astype(numpy.float64)
    result = abs(got.astype(numpy.float64) - expected) / unit
    same = (got == rounded) & ((rounded != 0) | (numpy.signbit(got) == numpy.signbit(rounded)))
    same |= numpy.isnan(got) & numpy.isnan(rounded)
    return numpy.where(numpy.isfinite(rounded) & (rounded != 0), result, numpy.where(same, 0, INFINITY))


def check(folder, inputs):
    for name, (function, limit, operands) in FUNCTIONS.items():
        got = numpy.load(folder / f"{name}.npy")
        values = [inputs[operand] for operand in operands]
        if got.dtype == numpy.float32:
            expected = function(*(value.astype(numpy.float64) for value in values))
            error = errors(got, expected)
        else:
            expected = function(*values)
            error = abs(got - expected)
        worst = int(numpy.argmax(error))
        within = "within" if error[worst] <= limit else "BEYOND"
        at = ", ".join(str(value[worst]) for value in values)
        print(f"{name}: {within} {limit} units ({error[worst]:.2f} at {at}: {got[worst]}, not {expected[worst]})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--target", required=True)
    parser.add_argument("--library", required=True)
    options = parser.parse_args()
    folder = options.folder
    numpy.seterr(all="ignore")
    (folder / "f.mlir").write_text(graph())
    inputs = arguments()
    for name, values in inputs.items():
        numpy.save(folder / f"{name}.npy", values)
    subprocess.run(["mixattn-compile", folder / "f.mlir", f"--target={options.target}", "-o", folder / "f.ptx"],
                   check=True)
    files = [f"--input={name}={folder / name}.npy" for name in inputs]
    files += [f"--output={name}={folder / name}.npy" for name in FUNCTIONS]
    subprocess.run([sys.executable, pathlib.Path(__file__).with_name("run.py"), folder / "f.ptx", folder / "f.json",
                    "--entry=functions", *files, f"--library={options.library}"], check=True)
    check(folder, inputs)


main()
