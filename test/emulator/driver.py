# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stand-in libcuda, called by ctypes."""

import ctypes
import json

import numpy as np

TYPES = {"u8": 0, "u16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5, "f16": 6,
         "f32": 7, "f64": 8, "bf16": 9, "tf32": 11}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}


class DriverError(Exception):
    """An error of the driver, with the emulator's message."""


class TensorMap(ctypes.Structure):
    """128 bytes, which must be aligned to 64."""
    _fields_ = [("words", ctypes.c_uint64 * 32)]

    def aligned(self):
        address = ctypes.addressof(self)
        return address + (-address) % 64


class Driver:
    def __init__(self, library, **options):
        self.cuda = ctypes.CDLL(str(library))
        self.cuda.mixattnEmulatorMessage.restype = ctypes.c_char_p
        self.cuda.mixattnEmulatorCounters.restype = ctypes.c_char_p
        for name, value in options.items():
            self.set(name, value)
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def set(self, name, value):
        if not self.cuda.mixattnEmulatorSet(name.encode(),
                                            str(value).encode()):
            raise DriverError(f"no option {name}={value}")

    def call(self, name, *arguments):
        error = getattr(self.cuda, name)(*arguments)
        if error:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(error, ctypes.byref(text))
            message = self.cuda.mixattnEmulatorMessage().decode()
            raise DriverError(f"{name}: {text.value.decode()}: {message}")

    def multiprocessors(self):
        count = ctypes.c_int()
        # 16 is CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT.
        self.call("cuDeviceGetAttribute", ctypes.byref(count), 16, 0)
        return count.value

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address),
                  ctypes.c_size_t(max(1, size)))
        return address.value

    def free(self, address):
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def upload(self, array):
        """The address of a copy of the array."""
        array = np.ascontiguousarray(array)
        address = self.allocate(array.nbytes)
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address),
                  ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_size_t(array.nbytes))
        return address

    def download(self, address, array):
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_uint64(address), ctypes.c_size_t(array.nbytes))
        return array

    def load(self, text):
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module),
                  ctypes.c_char_p(text.encode()))
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module,
                  name.encode())
        return function

    def tensor_map(self, kind, address, dims, strides, box, swizzle):
        result = TensorMap()
        # The launcher encodes no map without elements either.
        if 0 in dims:
            return result
        rank = len(dims)
        longs, words = ctypes.c_uint64 * rank, ctypes.c_uint32 * rank
        self.call("cuTensorMapEncodeTiled",
                  ctypes.c_void_p(result.aligned()), TYPES[kind], rank,
                  ctypes.c_void_p(address), longs(*dims), longs(*strides),
                  words(*box), words(*[1] * rank), 0, SWIZZLES[swizzle], 0, 0)
        return result

    def launch(self, function, grid, block, shared, parameters):
        """`parameters` are ctypes values, or tensor maps."""
        # 8 is CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.
        if shared > 48 * 1024:
            self.call("cuFuncSetAttribute", function, 8, shared)
        pointers = (ctypes.c_void_p * max(1, len(parameters)))(*[
            each.aligned() if isinstance(each, TensorMap)
            else ctypes.addressof(each) for each in parameters])
        self.call("cuLaunchKernel", function, *grid, *block, shared, None,
                  pointers, None)

    def counters(self):
        return json.loads(self.cuda.mixattnEmulatorCounters(1))
