# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of any library as DLTensors, without a copy."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, NamedTuple, Optional, Sequence

CPU = 1


class Device(ctypes.Structure):
    """DLDevice: its type (1 is the host, 2 CUDA) and its number."""
    _fields_ = [("type", ctypes.c_int32), ("number", ctypes.c_int32)]


class DataType(ctypes.Structure):
    """DLDataType."""
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    """DLTensor."""
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32),
                ("dtype", DataType), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class View(NamedTuple):
    """A DLTensor and what keeps its memory alive."""
    tensor: Tensor
    shape: tuple
    owner: Any
    #: Whether its owner says that nobody may write to it.
    is_read_only: bool = False


# A dtype of the manifest: DLPack's code and bits.
DTYPES = {"f16": (2, 16), "bf16": (4, 16), "f32": (2, 32), "f64": (2, 64), "i1": (6, 8),
          "i8": (0, 8), "i16": (0, 16), "i32": (0, 32), "i64": (0, 64)}
# NumPy's kind of a dtype: DLPack's code.
CODES = {"f": 2, "i": 0, "u": 1, "b": 6, "c": 5}

# How many bytes stand before the DLTensor in a capsule of that name: of a
# DLManagedTensorVersioned the version, its owner, its deleter and its flags.
OFFSETS = {b"dltensor": 0, b"dltensor_versioned": 32}
# Where the flags stand in it, of which the first is DLPACK_FLAG_BITMASK_READ_ONLY.
FLAGS = 24

_is_capsule = ctypes.pythonapi.PyCapsule_IsValid
_is_capsule.restype, _is_capsule.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_address_in = ctypes.pythonapi.PyCapsule_GetPointer
_address_in.restype, _address_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def make(data: Optional[int], shape: Sequence[int], dtype: tuple, device: tuple = (CPU, 0),
         strides: Optional[Sequence[int]] = None, owner: Any = None) -> View:
    """A view of memory at `data`: row-major without `strides`, which count elements."""
    rank = len(shape)
    sizes = (ctypes.c_int64 * rank)(*shape)
    steps = (ctypes.c_int64 * rank)(*strides) if strides is not None else None
    tensor = Tensor(data, Device(*device), rank, DataType(*dtype, 1), sizes, steps, 0)
    return View(tensor, tuple(shape), (owner, sizes, steps))


def is_numpy(value: Any) -> bool:
    """Whether it is NumPy's array; NumPy is not imported for it."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def is_torch(value: Any) -> bool:
    """Whether it is PyTorch's tensor; PyTorch is not imported for it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _of_numpy(array: Any) -> View:
    # NumPy's own __dlpack__ refuses what is read-only, and booleans.
    kind = array.dtype.kind
    code = 4 if kind == "V" and array.dtype.name == "bfloat16" else CODES.get(kind)
    size = array.dtype.itemsize
    if code is None:
        raise TypeError(f"expected an array of numbers, but got one of '{array.dtype}'")
    if not array.dtype.isnative or any(step % size for step in array.strides):
        raise ValueError("expected whole numbers of this machine's byte order one element apart")
    return make(array.ctypes.data, array.shape, (code, 8 * size),
                strides=[step // size for step in array.strides],
                owner=array)._replace(is_read_only=not array.flags.writeable)


def _of_capsule(capsule: Any, owner: Any) -> View:
    for name, offset in OFFSETS.items():
        if _is_capsule(capsule, name):
            address = _address_in(capsule, name)
            tensor = Tensor.from_address(address + offset)
            flags = ctypes.c_uint64.from_address(address + FLAGS).value if offset else 0
            return View(tensor, tuple(tensor.shape[:tensor.ndim]), (capsule, owner), bool(flags & 1))
    raise TypeError("expected a capsule that holds a DLPack tensor and was not used before")


def _of_torch(tensor: Any) -> View:
    torch = sys.modules["torch"]
    if tensor.requires_grad and torch.is_grad_enabled():
        raise ValueError("expected a tensor without gradients, for calls have none: "
                         "torch.no_grad() or detach() says so")
    # No stream is waited for: a call on a GPU goes to the tensor's.
    return _of_capsule(torch.utils.dlpack.to_dlpack(tensor.detach()), tensor)


def view(value: Any) -> View:
    """A view of `value`, which is an array of NumPy, a tensor of PyTorch, a capsule of DLPack or has
    `__dlpack__`. TypeError or ValueError where it is none, in words that follow the argument's name."""
    if is_numpy(value):
        return _of_numpy(value)
    if is_torch(value):
        return _of_torch(value)
    if type(value).__name__ == "PyCapsule":
        return _of_capsule(value, None)
    if hasattr(value, "__dlpack__"):
        return _of_capsule(value.__dlpack__(), value)
    raise TypeError(f"expected a tensor of NumPy, PyTorch or another library that has __dlpack__, "
                    f"but got a value of type '{type(value).__name__}'")
