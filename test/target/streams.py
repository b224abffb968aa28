# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls an entry of a GPU's library on streams of the emulator: LIBRARY ENTRY CUDA. A call that was captured and is
replayed with other values; two on two streams; two that take one workspace. Workspaces hold no number before each, and
lie between bytes that must stay.
"""

import ctypes
import json
import pathlib
import sys

import numpy as np

from both import Call
from ffi import Device, arguments

from dlpack import DLTensor

MARGIN = 256


class Workspace:
    """Bytes of the device between others."""

    def __init__(self, driver, size):
        self.driver, self.size = driver, size
        self.begin = driver.upload(np.full(size + 2 * MARGIN, 0x5a, np.uint8))
        self.poison()

    @property
    def address(self):
        return self.begin + MARGIN

    def poison(self):
        """NaN in every type of float."""
        self.driver.call("cuMemsetD8_v2", ctypes.c_uint64(self.address), 0xff, ctypes.c_size_t(self.size))

    def read(self):
        """What it holds; the bytes next to it are as they were."""
        held = self.driver.download(self.begin, np.empty(self.size + 2 * MARGIN, np.uint8))
        assert np.all(held[:MARGIN] == 0x5a) and np.all(held[-MARGIN:] == 0x5a), "a neighbour was written"
        return held[MARGIN:-MARGIN]


class Caller:
    """An entry, and its tensors with values of their own."""

    def __init__(self, library, entry, device):
        self.driver, self.name, self.library = device.driver, entry["name"], library
        self.tensors, self.kept = arguments(entry, device)
        self.message = ctypes.create_string_buffer(512)
        *self.inputs, self.result = self.tensors
        self.pointers = (ctypes.POINTER(DLTensor) * len(self.tensors))(
            *(ctypes.pointer(tensor) for tensor, _ in self.tensors.values()))

    def fill(self, seed):
        """Draws the arguments; the result holds no number."""
        generator = np.random.default_rng(seed)
        for name, (tensor, array) in self.tensors.items():
            drawn = generator.standard_normal(array.shape).astype(np.float32)
            bits = (drawn.view(np.uint32) >> 16).astype(np.uint16)
            if name == self.result:
                bits[:] = 0xffff
            self.driver.call("cuMemcpyHtoD_v2", ctypes.c_uint64(tensor.data), ctypes.c_void_p(bits.ctypes.data),
                             ctypes.c_size_t(bits.nbytes))

    def invoke(self, function, *given, **fields):
        request = Call(ctypes.sizeof(Call), message=ctypes.addressof(self.message), message_size=512, **fields)
        code = getattr(self.library, function + self.name)(*given, ctypes.byref(request))
        assert code == 0, f"{code}: {self.message.value.decode()}"

    def size(self):
        size = ctypes.c_uint64()
        self.invoke("mixattn_workspace_", self.pointers, len(self.pointers), ctypes.byref(size))
        return size.value

    def launch(self, workspace, stream=None):
        self.invoke("mixattn_", self.pointers, len(self.pointers), stream=stream, workspace=workspace.address,
                    workspace_bytes=workspace.size)

    def read(self):
        tensor, array = self.tensors[self.result]
        return self.driver.download(tensor.data, np.empty_like(array))


def is_number(bits):
    return not np.any((bits & 0x7fff) > 0x7f80)


def main():
    path, name, cuda = sys.argv[1:]
    library = ctypes.CDLL(path)
    manifest = json.loads(pathlib.Path(path).with_suffix(".json").read_text())
    entry = next(each for each in manifest["entries"] if each["name"] == name)
    device = Device(cuda)
    driver = device.driver
    first, second = Caller(library, entry, device), Caller(library, entry, device)
    own, other = (Workspace(driver, first.size()) for _ in range(2))

    def stream():
        made = ctypes.c_void_p()
        driver.call("cuStreamCreate", ctypes.byref(made), 1)
        return made

    expected = {}
    for seed in (1, 2):
        first.fill(seed)
        own.poison()
        first.launch(own)
        expected[seed] = first.read()
        own.read()
    print("plain", is_number(expected[1]), np.any(expected[1] != expected[2]), "of", own.size)

    first.invoke("mixattn_prepare_", 0)
    captured, graph, executable = stream(), ctypes.c_void_p(), ctypes.c_void_p()
    first.fill(1)
    own.poison()
    driver.call("cuStreamBeginCapture_v2", captured, 0)
    first.launch(own, captured)
    driver.call("cuStreamEndCapture", captured, ctypes.byref(graph))
    print("recorded", not is_number(first.read()))
    driver.call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
    for seed in (1, 2):
        first.fill(seed)
        own.poison()
        driver.call("cuGraphLaunch", executable, captured)
        print("replayed", np.array_equal(first.read(), expected[seed]))
        own.read()

    first.fill(1)
    second.fill(2)
    own.poison()
    other.poison()
    left, right = stream(), stream()
    first.launch(own, left)
    held = own.read()
    second.launch(other, right)
    print("two streams", np.array_equal(first.read(), expected[1]), np.array_equal(second.read(), expected[2]),
          np.array_equal(own.read(), held), np.any(other.read() != held))

    first.fill(1)
    second.fill(2)
    own.poison()
    first.launch(own, left)
    second.launch(own, left)
    print("one workspace", np.array_equal(first.read(), expected[1]), np.array_equal(second.read(), expected[2]))
    own.read()


if __name__ == "__main__":
    main()
