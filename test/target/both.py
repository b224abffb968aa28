# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls one library on a CPU and on a GPU: LIBRARY ENTRY CUDA, the last the
emulator's libcuda. The library is for both; the device of the tensors decides.
"""

import ctypes
import json
import pathlib
import sys

import numpy as np

from ffi import Device, Memory, arguments

from dlpack import DLTensor


class Call(ctypes.Structure):
    """mixattn_call of abi.h."""
    _fields_ = [("size", ctypes.c_uint32), ("stream", ctypes.c_void_p),
                ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_uint64),
                ("message", ctypes.c_void_p), ("message_size", ctypes.c_size_t),
                ("packed", ctypes.c_void_p), ("packed_bytes", ctypes.c_uint64),
                ("status", ctypes.c_void_p)]


def values(bits):
    """bf16's as f32's."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def main():
    path, name, cuda = sys.argv[1:]
    library = ctypes.CDLL(path)
    manifest = json.loads(pathlib.Path(path).with_suffix(".json").read_text())
    entry = next(each for each in manifest["entries"] if each["name"] == name)
    message = ctypes.create_string_buffer(512)
    host, device = Memory(), Device(cuda)
    sets = {place: arguments(entry, memory)
            for place, memory in (("host", host), ("cuda", device))}
    order = list(sets["host"][0])

    def request(**fields):
        message.value = b""
        return Call(ctypes.sizeof(Call), message=ctypes.addressof(message),
                    message_size=len(message), **fields)

    def pointers(places):
        given = (ctypes.POINTER(DLTensor) * len(order))()
        for i, place in enumerate(places):
            if place:
                given[i] = ctypes.pointer(sets[place][0][order[i]][0])
        return given

    def call(*places, **fields):
        code = getattr(library, f"mixattn_{name}")(
            pointers(places), len(places), ctypes.byref(request(**fields)))
        return code, message.value.decode()

    def workspace(*places):
        size = ctypes.c_uint64(2**64 - 1)
        code = getattr(library, f"mixattn_workspace_{name}")(
            pointers(places), len(order), ctypes.byref(size), ctypes.byref(request()))
        return code, size.value if code == 0 else message.value.decode()

    def prepare(number):
        code = getattr(library, f"mixattn_prepare_{name}")(number, ctypes.byref(request()))
        return code, message.value.decode()

    def result(place, memory):
        tensor, array = sets[place][0][order[-1]]
        out = np.empty_like(array)
        memory.download(tensor.data, out)
        return values(out)

    all_host, all_cuda = ["host"] * len(order), ["cuda"] * len(order)
    print("prepare host", *prepare(-1))
    print("host", *call(*all_host))
    print("prepare cuda", *prepare(0))
    print("prepare far", *prepare(5))
    bytes_of_cuda = workspace(*all_cuda)
    print("workspace", workspace(*all_host)[0], bytes_of_cuda[0],
          workspace(*all_host)[1] != bytes_of_cuda[1])
    print("without", *call(*all_cuda))
    print("cuda", *call(*all_cuda, workspace=device.allocate(bytes_of_cuda[1]),
                        workspace_bytes=bytes_of_cuda[1]))
    first, second = result("host", host), result("cuda", device)
    # Each rounds weights and results to bf16 in its own way.
    print("alike", np.abs(first - second).max() < 2**-7 * np.abs(first).max(),
          np.any(first != second))

    print("mixed", *call(*all_host[:1], *all_cuda[1:]))
    print("mixed result", *call(*all_cuda[:-1], "host"))
    print("mixed workspace", *workspace(*all_cuda[:-1], "host"))
    print("absent", *call(None, *all_cuda[1:]))
    print("absent host", *call(*all_host[:1], None, *all_host[2:]))
    print("few", *call(*all_cuda[1:]))
    sets["host"][0][order[1]][0].device_type = 7
    print("elsewhere", *call(*all_host))
    # A caller of an earlier version has no room for a sentence.
    early = Call(8, message=1, message_size=512)
    print("early", getattr(library, f"mixattn_{name}")(pointers(all_host), len(order),
                                                       ctypes.byref(early)))


if __name__ == "__main__":
    main()
