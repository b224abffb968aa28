# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the entry @attend of a library for GPUs from Python, through the C ABI:
once with dense tensors, once with keys and values that lie [B, S, H, D]."""

import ctypes
import os
import pathlib
import sys

import numpy as np

TEST = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TEST / "emulator"), str(TEST / "numeric")]

import driver  # noqa: E402
import inputs  # noqa: E402
from dlpack import TYPES, DLTensor  # noqa: E402

# DLPack's number of CUDA.
CUDA = 2


def tensor(cuda, array, dtype, keep):
    """A tensor on the device whose strides are those of `array`."""
    # The bytes as they lie: the array that `array` is a view of.
    whole = array if array.base is None else array.base
    rank = array.ndim
    sizes = (ctypes.c_int64 * rank)(*array.shape)
    strides = (ctypes.c_int64 * rank)(
        *(step // array.itemsize for step in array.strides))
    keep += [sizes, strides]
    code, bits = TYPES[dtype]
    return DLTensor(cuda.upload(whole), CUDA, 0, rank, code, bits, 1, sizes,
                    strides, 0)


def call(library, cuda, q, k, v, lengths):
    """The result, dense."""
    keep, out = [], np.zeros(q.shape, np.uint16)
    tensors = [tensor(cuda, array, dtype, keep) for array, dtype in (
        (q, "bf16"), (k, "bf16"), (v, "bf16"), (lengths, "i64"),
        (out, "bf16"))]
    pointers = (ctypes.POINTER(DLTensor) * len(tensors))(
        *map(ctypes.pointer, tensors))
    code = library.mixattn_attend(pointers, len(tensors), None)
    assert code == 0, code
    return cuda.download(tensors[-1].data, out)


def main():
    artifact, libcuda = sys.argv[1:]
    os.environ["MIXATTN_LIBCUDA"] = libcuda
    os.environ["MIXATTN_CUDA_PTX"] = str(
        pathlib.Path(artifact).with_suffix(".ptx"))
    cuda = driver.Driver(libcuda, chip="sm_80", approximate=0)
    library = ctypes.CDLL(str(pathlib.Path(artifact).resolve()))
    rng = np.random.default_rng(1)

    def draw(rows):
        numbers = rng.standard_normal((2, rows, 2, 64))
        return inputs.encode(numbers, "bf16").view(np.uint16)
    q = np.ascontiguousarray(draw(70).swapaxes(1, 2))
    k, v = draw(40).swapaxes(1, 2), draw(40).swapaxes(1, 2)
    lengths = np.array([40, 23], np.int64)
    strided = call(library, cuda, q, k, v, lengths)
    dense = call(library, cuda, q, np.ascontiguousarray(k),
                 np.ascontiguousarray(v), lengths)
    assert dense.any()
    print("the same bits" if dense.tobytes() == strided.tobytes()
          else "other bits")


if __name__ == "__main__":
    main()
