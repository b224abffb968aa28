# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of PyTorch what mixattn asks for, with tensors on the emulated GPU: for tests where neither is."""

import ctypes
import os
import sys
import types

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "emulator"))
from driver import Driver  # noqa: E402

DRIVER = Driver(os.environ["MIXATTN_LIBCUDA"], chip=os.environ["MIXATTN_CUDA_CHIP"])
float32, bfloat16, int8 = "float32", "bfloat16", "int8"
# The type that NumPy holds each as, and DLPack's code.
HELD = {float32: (np.float32, 2), bfloat16: (np.uint16, 4), int8: (np.int8, 0)}


class nn:
    class Module:
        """None is given."""


class Device:
    type = "cuda"


CUDA = Device()


class Tensor:
    """Numbers of the GPU's memory, none of which is given back."""

    requires_grad = False

    def __init__(self, held, dtype, device=CUDA):
        self.shape, self.dtype, self.device = held.shape, dtype, device
        self.held, self.address = held, DRIVER.upload(held) if held.nbytes else 0

    def detach(self):
        return self

    def data_ptr(self):
        return self.address

    def numbers(self):
        """As NumPy's, once all that is under way is done."""
        DRIVER.call("cuCtxSynchronize")
        return DRIVER.download(self.address, np.empty_like(self.held))

    def view(self, shape):
        return Tensor(self.held.reshape(shape), self.dtype, self.device)

    def copy_(self, other):
        self.address = DRIVER.upload(other.held)


def is_grad_enabled():
    return True


def empty(shape, dtype, device):
    return Tensor(np.full(shape, 0x7f, HELD[dtype][0]), dtype, device)


def frombuffer(buffer, dtype):
    return Tensor(np.frombuffer(buffer, HELD[dtype][0]), dtype)


def to_dlpack(tensor):
    capsule = np.empty_like(tensor.held).__dlpack__()
    place = ctypes.pythonapi.PyCapsule_GetPointer
    place.restype, place.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = place(capsule, b"dltensor")
    ctypes.c_uint64.from_address(address).value = tensor.address
    ctypes.c_int32.from_address(address + 8).value = 2
    ctypes.c_uint8.from_address(address + 20).value = HELD[tensor.dtype][1]
    return capsule


utils = types.SimpleNamespace(dlpack=types.SimpleNamespace(to_dlpack=to_dlpack))
cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=0))
