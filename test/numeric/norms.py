# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer norm, as a graph says it and in NumPy."""

import numpy as np


def normed(x, gain, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def layer_norm(g, x):
    """The sum over the row, of squares about its mean, and what they make."""
    t, count, small = g.dtype, g.number(float(g.sizes["d"])), g.number("1.0e-5")
    gain, bias = g.argument("d"), g.argument("d")
    total = g.op("bn", [(x, "bnd")], f"%1 = arith.addf %o, %0 : {t}\n%1", start=0.0)
    squares = g.op("bn", [(x, "bnd"), (total, "bn")], f"""
        %2 = arith.divf %1, {count} : {t}
        %3 = arith.subf %0, %2 : {t}
        %4 = arith.mulf %3, %3 : {t}
        %5 = arith.addf %o, %4 : {t}
        %5""", start=0.0)
    return g.op("bnd", [(x, "bnd"), (total, "bn"), (squares, "bn"), (gain, "d"), (bias, "d")], f"""
        %5 = arith.divf %1, {count} : {t}
        %6 = arith.divf %2, {count} : {t}
        %7 = arith.addf %6, {small} : {t}
        %8 = math.rsqrt %7 : {t}
        %9 = arith.subf %0, %5 : {t}
        %10 = arith.mulf %9, %8 : {t}
        %11 = arith.mulf %10, %3 : {t}
        %12 = arith.addf %11, %4 : {t}
        %12""")
