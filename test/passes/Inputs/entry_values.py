# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the entries of a shared library with values that they refuse and with
the nearest that they take: entry_values.py LIBRARY. Prints `CASE: CODE
MESSAGE`, and whether a call that failed wrote to its result."""

import ctypes
import sys

import numpy

import value_cases
from dlpack import invoke, tensor
from value_cases import NAN

LIBRARY = ctypes.CDLL(sys.argv[1])
# Last row and column of the matrices that E and the windows are about.
N = 5


def brain(array):
    """bf16, as the integers that hold it."""
    return (numpy.float32(array).view(numpy.uint32) >> 16).astype(numpy.uint16)


def report(case, entry, *arguments, result, **changes):
    """One call; the arguments are arrays or DLTensors."""
    result.fill(7)
    tensors = [a if isinstance(a, ctypes.Structure) else tensor(a) for a in arguments]
    code, message = invoke(getattr(LIBRARY, "mixattn_" + entry),
                           [*tensors, tensor(result, **changes)])
    if code != 0 and (result != 7).any():
        message += ", but wrote"
    print(f"{case}: {code} {message}")


def sparse(case, index, dtype=numpy.int64):
    index = numpy.array(index, dtype=dtype).reshape(-1, 3)
    value = numpy.ones(len(index), dtype=numpy.float32)
    v = numpy.ones((1, 2, N, 4), dtype=numpy.float32)
    entry = "sparse" if dtype == numpy.int64 else "sparse32"
    report(case, entry, v, index, value, result=numpy.empty_like(v))


def windows(case, rows):
    rows = numpy.array(rows, dtype=numpy.int64).reshape(-1, 3)
    v = numpy.ones((1, 2, N, 4), dtype=numpy.float32)
    report(case, "windows", v, rows, result=numpy.empty_like(v))


def shares(case, prior, keys=3):
    prior = numpy.float32(prior)
    q = numpy.zeros((1, 2, 3, 4), dtype=numpy.float32)
    k = numpy.zeros((1, 2, 2, keys, 4), dtype=numpy.float32)
    entry = "shares" if prior.ndim == 2 else "shares_by_key"
    report(case, entry, q, k, prior,
           result=numpy.empty((1, 2, 2, 3, keys), dtype=numpy.float32))


def mixture(case, prior, entry="mixture", **changes):
    """A linear attention whose prior is no logarithm."""
    q = numpy.zeros((1, 2, 3, 4), dtype=numpy.float32)
    k = numpy.zeros((1, 2, 2, 3, 4), dtype=numpy.float32)
    if isinstance(prior, list):
        prior = numpy.float32(prior)
    prior = tensor(prior, **changes)
    report(case, entry, q, k, q, prior, result=numpy.empty_like(q))


def update(case, *sizes):
    gamma = numpy.ones((sizes[0], 2, 2, *sizes[1:]), dtype=numpy.float32)
    report(case, "update", gamma, result=numpy.empty((2, 2), dtype=numpy.float32))


value_cases.coordinates(sparse)
value_cases.windows(windows)
value_cases.shares(shares)

mixture("a component off", [[0, 1], [1e-30, 0]])
mixture("negative", [[0, 1], [1, -1e-30]])
mixture("NaN", [[0, NAN], [1, 1]])
mixture("a head all zero", [[1, 1], [0, -0.0]])
half = numpy.float16([[1, 0], [-6e-8, 1]])
mixture("f16", half, "mixture_f16")
mixture("bf16", brain([[1, 2], [0, 0]]), "mixture_bf16", code=4)
apart = numpy.zeros((2, 4), dtype=numpy.float32)
apart[:, :2] = [[1, 1], [1, -1]]
apart[:, 2:] = -9
mixture("rows apart", apart, shape=(ctypes.c_int64 * 2)(2, 2),
        strides=(ctypes.c_int64 * 2)(4, 1))
apart[1, 1] = 1
mixture("rows apart and right", apart, shape=(ctypes.c_int64 * 2)(2, 2),
        strides=(ctypes.c_int64 * 2)(4, 1))

value_cases.updates(update)
