# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls an artifact's entry by TVM FFI's calling convention: LIBRARY ENTRY TVM
[CUDA]. TVM is Inputs/tvm_ffi.c, compiled; with CUDA, the emulator's libcuda, the
tensors lie on a GPU.
"""

import ctypes
import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "numeric"), str(HERE.parent / "emulator")]

from dlpack import TYPES, DLTensor  # noqa: E402

SIZES = {"B": 2, "N": 70, "S": 66}
HEADER = 24


class Any(ctypes.Structure):
    """TVMFFIAny."""
    _fields_ = [("type", ctypes.c_int32), ("padding", ctypes.c_uint32),
                ("pointer", ctypes.c_void_p)]


class Memory:
    """That of the host, which stays until the end."""

    def __init__(self):
        self.kept, self.kind = [], 1

    def upload(self, array):
        self.kept.append(array.copy())
        return self.kept[-1].ctypes.data

    def allocate(self, size):
        self.kept.append(np.full(size, 0x7f, np.uint8))
        return self.kept[-1].ctypes.data

    def download(self, address, array):
        ctypes.memmove(array.ctypes.data, address, array.nbytes)


class Device:
    """That of the GPU."""

    def __init__(self, library):
        from driver import Driver
        self.driver, self.kind = Driver(library, chip="sm_80"), 2

    def upload(self, array):
        return self.driver.upload(array)

    def allocate(self, size):
        return self.driver.upload(np.full(size, 0x7f, np.uint8))

    def download(self, address, array):
        self.driver.call("cuCtxSynchronize")
        self.driver.download(address, array)


def arguments(entry, memory):
    """Addresses and tensors of arguments and results, by name."""
    generator = np.random.default_rng(1)
    made, kept = {}, []
    for each in entry["arguments"] + entry["results"]:
        shape = [SIZES.get(dim, dim) for dim in each["shape"]]
        array = generator.standard_normal(shape).astype(np.float32)
        if each["dtype"] == "bf16":
            array = (array.view(np.uint32) >> 16).astype(np.uint16)
        dims = (ctypes.c_int64 * len(shape))(*shape)
        kept.append(dims)
        made[each["name"]] = DLTensor(memory.upload(array), memory.kind, 0, len(shape),
                                      *TYPES[each["dtype"]], 1, dims, None, 0), array
    return made, kept


def main():
    path, name, tvm_path, *cuda = sys.argv[1:]
    memory = Device(cuda[0]) if cuda else Memory()
    # As tvm_ffi loads it: an artifact finds the functions of what is global.
    tvm = ctypes.CDLL(tvm_path, ctypes.RTLD_GLOBAL)
    tvm.testRaised.restype = ctypes.c_char_p
    tvm.testLack.argtypes = [ctypes.c_char_p]
    tvm.testGiven.restype = tvm.testReleased.restype = ctypes.c_int64
    manifest = json.loads(pathlib.Path(path).with_suffix(".json").read_text())
    entry = next(each for each in manifest["entries"] if each["name"] == name)
    tensors, kept = arguments(entry, memory)
    order = list(tensors)
    library = ctypes.CDLL(path)
    result = order[-1]

    def read():
        out = np.empty_like(tensors[result][1])
        memory.download(tensors[result][0].data, out)
        return out

    def plain():
        pointers = (ctypes.POINTER(DLTensor) * len(order))(
            *(ctypes.pointer(tensors[each][0]) for each in order))
        return getattr(library, f"mixattn_{name}")(pointers, len(order), None)

    def call(values):
        given = (Any * (len(values) + 1))(*values)
        code = getattr(library, f"__tvm_ffi_{name}")(None, given, len(values), None)
        return code, tvm.testRaised().decode()

    def borrowed(each):
        return Any(7, 0, ctypes.addressof(tensors[each][0]))

    def owned(each):
        """The same in an object."""
        held = ctypes.create_string_buffer(HEADER + ctypes.sizeof(DLTensor))
        ctypes.memmove(ctypes.addressof(held) + HEADER,
                       ctypes.byref(tensors[each][0]), ctypes.sizeof(DLTensor))
        kept.append(held)
        return Any(70, 0, ctypes.addressof(held))

    def place(kind):
        for tensor, _ in tensors.values():
            tensor.device_type = kind

    def clear():
        """The result holds what it held at first."""
        tensor, array = tensors[result]
        memory.driver.call("cuMemcpyHtoD_v2", ctypes.c_uint64(tensor.data), ctypes.c_void_p(array.ctypes.data),
                           ctypes.c_size_t(array.nbytes))

    stream = None
    if not cuda:
        print("plain", plain())
        expected = read()
    print("borrowed", *call([borrowed(each) for each in order]))
    if cuda:
        # Its workspace is the caller's alone.
        allocator = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(memory.allocate)
        stream = ctypes.c_void_p()
        memory.driver.call("cuStreamCreate", ctypes.byref(stream), 1)
        tvm.testSet(ctypes.c_void_p(64), allocator)
        print("other stream", *call([borrowed(each) for each in order]))
        tvm.testSet(stream, allocator)
        print("with memory", *call([borrowed(each) for each in order]))
        expected = read()
        assert np.any(expected != tensors[result][1])
    else:
        assert np.array_equal(read(), expected)
        allocator = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(memory.allocate)
        tvm.testSet(None, allocator)
    if cuda:
        # Streams and allocators are a GPU's where its memory is managed.
        place(13)
        tvm.testSet(ctypes.c_void_p(64), allocator)
        print("managed other stream", *call([borrowed(each) for each in order]))
        tvm.testSet(stream, allocator)
        clear()
        print("managed", *call([borrowed(each) for each in order]))
        assert np.array_equal(read(), expected)
        place(memory.kind)
    print("owned", *call([owned(each) for each in order]))
    assert np.array_equal(read(), expected)
    print("memory", tvm.testGiven() > 0, tvm.testGiven() == tvm.testReleased())
    nothing = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(lambda size: None)
    tvm.testSet(stream, nothing)
    print("no memory", *call([borrowed(each) for each in order]))
    tvm.testLack(b"17 bytes are left")
    print("no memory, told", *call([borrowed(each) for each in order]))
    print("errors", tvm.testGiven() == tvm.testReleased())
    tvm.testSet(stream, allocator)
    print("few", *call([borrowed(each) for each in order[:-1]]))
    print("number", *call([borrowed(order[0]), Any(1, 0, 5)]
                          + [borrowed(each) for each in order[2:]]))
    tensors[order[1]][0].shape[1] += 1
    print("shape", *call([borrowed(each) for each in order]))


if __name__ == "__main__":
    main()
