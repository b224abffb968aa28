# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the entries of a shared library in wrong ways, and in unusual right
ones: entry_calls.py LIBRARY. Prints `CASE: CODE MESSAGE`, and whether a call
that failed wrote to its result."""

import ctypes
import resource
import sys

import numpy

from dlpack import POINTER, invoke, shape, tensor

LIBRARY = ctypes.CDLL(sys.argv[1])
X = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
KEEP = numpy.array([True, False, True])
N = numpy.array([0, 3], dtype=numpy.int32)


def report(case, change=lambda tensors: None, **call):
    """One call of @twice on three rows; `change` makes it wrong."""
    out = numpy.full((3, 4), 7, dtype=numpy.float32)
    tensors = [tensor(X), tensor(KEEP), tensor(N), tensor(out)]
    change(tensors)
    code, message = invoke(LIBRARY.mixattn_twice, tensors, **call)
    if code == 0:
        message = "right" if (out == 2 * X).all() else f"wrong: {out}"
    elif (out != 7).any():
        message += ", but wrote"
    print(f"{case}: {code} {message}")


def field(index, **changes):
    def change(tensors):
        for name, value in changes.items():
            setattr(tensors[index], name, value)
    return change


def without(index):
    def change(tensors):
        tensors[index] = None
    return change


report("plain")
report("strides given", field(0, strides=shape(4, 1)))
report("message of no interest", field(0, rank=1), message=None)
report("message cut", field(0, rank=1), message_size=20)
report("call too small", size=3)
report("call of its size alone", field(0, rank=1), size=4)
report("call without a message's size", field(0, rank=1), size=40)
report("call with a message", field(0, rank=1), size=48)
report("count", count=3)
report("negative count", count=-1)
report("no tensor", without(1))
report("no result", without(3))
report("device", field(0, device=2))
report("code", field(0, code=0))
report("bits", field(0, bits=64))
report("lanes", field(0, lanes=4))
report("boolean", field(1, code=1))
report("rank", field(0, rank=3))
report("no shape", field(0, shape=None))
report("static size", field(0, shape=shape(3, 5)))
report("negative size", field(0, shape=shape(-1, 4)))
report("named size", field(1, shape=shape(4)))
report("result's size", field(3, shape=shape(2, 4)))
report("innermost stride", field(0, strides=shape(8, 2)))
report("no data", field(0, data=None))
report("address", field(0, offset=2))
N[1] = 4
report("range")
N[:] = [-1, 9]
report("first out of range")
N[:] = [0, 3]

print("NULL tensors:", *invoke(LIBRARY.mixattn_twice, None, count=4))
print("NULL call:", LIBRARY.mixattn_twice(None, 3, None))

# Rows apart; columns of a tensor of one column, and rows of one row, anywhere.
apart = numpy.zeros((3, 8), dtype=numpy.float32)
apart[:, :4] = X
report("rows apart", field(0, data=apart.ctypes.data, strides=shape(8, 1)))
row = numpy.zeros((1, 4), dtype=numpy.float32)
keep, result = numpy.array([True]), numpy.ones((1, 4), dtype=numpy.float32)
numbers = numpy.zeros(2, dtype=numpy.int32)
print("one row:", *invoke(LIBRARY.mixattn_twice, [
    tensor(row, strides=(-99, 1)), tensor(keep, strides=(77,)), tensor(numbers),
    tensor(result)]))

# Nothing: no data is needed.
empty = numpy.zeros((0, 4), dtype=numpy.float32)
nothing = [tensor(empty, data=None), tensor(numpy.zeros(0, dtype=bool), data=None),
           tensor(numbers), tensor(empty, data=None)]
print("no rows:", *invoke(LIBRARY.mixattn_twice, nothing))

# As many elements as 64 bits do not count are not none where strides repeat one, and
# have no memory else; a function without tensors takes no array of them.
sizes = shape(2**33, 2**31, 1, 1)


def scaled(*strides):
    one = numpy.zeros((1, 1, 1, 1), dtype=numpy.float32)
    return invoke(LIBRARY.mixattn_scaled, [tensor(one, strides or None, data=None, shape=sizes)] * 2)


print("too many rows:", *scaled(0, 0, 1, 1))
print("too many bytes:", *scaled())
print("no tensors:", *invoke(LIBRARY.mixattn_nothing, None, count=0))

# 2^32 weights of one row that is read again and again want 16 GiB; a tile of
# mixed heads wants the weights of all its keys.
resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))
one = numpy.zeros((1, 1, 1, 4), dtype=numpy.float32)


def repeated(count):
    return tensor(one, strides=shape(0, 0, 0, 1), shape=shape(1, 1, count, 4))


result = tensor(numpy.zeros((1, 1, 2**16, 4), dtype=numpy.float32))
weight = tensor(numpy.zeros(1, dtype=numpy.float32))
print("memory:", *invoke(LIBRARY.mixattn_attend,
                         [repeated(2**16), repeated(2**16), result, weight]))
heads = numpy.zeros((1, 2, 1, 4), dtype=numpy.float32)
keys = tensor(one, strides=shape(0, 0, 0, 1), shape=shape(1, 2, 2**30, 4))
mixer = tensor(numpy.ones((2, 2), dtype=numpy.float32))
print("memory of a kernel:", *invoke(LIBRARY.mixattn_mixed,
                                     [tensor(heads), keys, mixer, tensor(heads)]))
print("repeated result:", *invoke(LIBRARY.mixattn_attend,
                                  [repeated(2**16) for _ in range(3)] + [weight]))
