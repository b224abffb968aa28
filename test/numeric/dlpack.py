# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors as the C ABI takes them."""

import ctypes

# The code and the bits of an element type.
TYPES = {"f32": (2, 32), "f16": (2, 16), "bf16": (4, 16), "f64": (2, 64),
         "i64": (0, 64), "i32": (0, 32), "i1": (6, 8)}


class DLTensor(ctypes.Structure):
    """dlpack.h: a device of kind 1 is the CPU."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]
