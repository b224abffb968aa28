# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors and calls of the C ABI (lib/Runtime/abi.h), through ctypes."""

import ctypes

I32, I64, POINTER = ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", POINTER), ("device", I32), ("device_id", I32), ("rank", I32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(I64)), ("strides", ctypes.POINTER(I64)),
                ("offset", ctypes.c_uint64)]


class Call(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("stream", POINTER), ("workspace", POINTER),
                ("workspace_bytes", ctypes.c_uint64), ("message", POINTER),
                ("message_size", ctypes.c_size_t), ("packed", POINTER),
                ("packed_bytes", ctypes.c_uint64)]


def tensor(array, strides=None, **changes):
    """A DLTensor of a NumPy array, which it keeps; `changes` replaces fields."""
    result = DLTensor(array.ctypes.data, 1, 0, array.ndim, CODES[array.dtype.kind],
                      8 * array.dtype.itemsize, 1, (I64 * array.ndim)(*array.shape), None, 0)
    result.array = array
    if strides is not None:
        result.strides = (I64 * len(strides))(*strides)
    for field, value in changes.items():
        setattr(result, field, value)
    return result


def invoke(entry, tensors, count=None, message_size=256, **changes):
    """Calls an entry; returns its code and message."""
    message = ctypes.create_string_buffer(b"(none)", max(message_size, 7))
    call = Call(ctypes.sizeof(Call), None, None, 0, ctypes.addressof(message), message_size,
                None, 0)
    for field, value in changes.items():
        setattr(call, field, value)
    pointers = tensors and (POINTER * len(tensors))(
        *[ctypes.addressof(t) if t is not None else None for t in tensors])
    code = entry(pointers, len(tensors) if count is None else count, ctypes.byref(call))
    return code, message.value.decode()


def shape(*sizes):
    return (I64 * len(sizes))(*sizes)
