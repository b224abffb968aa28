# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the entries of a shared library with values that they refuse and with
the nearest that they take: entry_values.py LIBRARY. Prints `CASE: CODE
MESSAGE`, and whether a call that failed wrote to its result."""

import ctypes
import sys

import numpy

from dlpack import invoke, tensor

LIBRARY = ctypes.CDLL(sys.argv[1])
INF, NAN = numpy.inf, numpy.nan
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


sparse("in order", [[0, 0, 0], [0, 4, 4], [1, 0, 0], [1, 0, 4], [1, 4, 0]])
sparse("none", [])
sparse("head", [[0, 0, 0], [2, 0, 0]])
sparse("negative head", [[-1, 0, 0]])
sparse("row", [[0, 5, 0]])
sparse("column", [[0, 0, 0], [1, 1, -1]])
sparse("twice", [[0, 1, 2], [0, 1, 2]])
sparse("columns descend", [[0, 1, 2], [0, 2, 3], [0, 2, 2]])
sparse("rows descend", [[0, 2, 0], [0, 1, 1]])
sparse("heads descend", [[1, 0, 0], [0, 1, 1]])
sparse("i32", [[0, 1, 2], [0, 1, 5]], numpy.int32)

windows("all rows", [[4, 2, 3], [0, 0, 2]])
windows("no window", [])
windows("column beyond", [[0, 0, 2], [5, 2, 1]])
windows("first row beyond", [[0, 5, 1]])
windows("no row", [[0, 0, 2], [1, 2, 0]])
windows("too long", [[0, 0, 2], [1, 2, 4]])
windows("far too long", [[1, 2, 2**63 - 1]])
windows("overlap", [[0, 0, 2], [1, 3, 2], [2, 1, 1]])
windows("one holds the other", [[0, 1, 1], [1, 0, 5]])

shares("one component on", [[-INF, 0], [0, -INF]])
shares("a head off", [[0, 0], [-INF, -INF]])
shares("NaN and one that is on", [[NAN, 0], [0, 0]])
shares("NaN alone", [[NAN, -INF], [0, 0]])
by_key = numpy.full((2, 2, 3), -INF)
by_key[0, 1, 2] = by_key[1, 0, 0] = 0
shares("one key on", by_key)
by_key[1, 0, 0] = -INF
shares("a head off by key", by_key)
shares("no keys", by_key[:, :, :0], keys=0)

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

update("something", 1, 2, 3)
update("no batch", 0, 2, 3)
update("no queries", 1, 0, 3)
update("no keys", 1, 2, 0)
