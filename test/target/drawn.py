# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks libraries for a CPU and for GPUs how large a workspace is, of drawn shapes, and evaluates their manifests'
expressions without a limit of 64 bits: COUNT LIBRARY... Prints how many sizes agreed, and of how many both say that they
are out of range.
"""

import ctypes
import json
import os
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "numeric")]

from both import Call  # noqa: E402
from dlpack import DLTensor  # noqa: E402

MOST = 2**63 - 1
SENTENCE = "the workspace would take a number of bytes that is out of range"
OPERATIONS = {"add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
              "divide": lambda a, b: a // b, "remainder": lambda a, b: a % b, "minimum": min, "maximum": max,
              "above": lambda a, b: int(a > b), "at_most": lambda a, b: int(a <= b)}


class Value:
    """That of a SIZE, exact; whether all on the way to it fit into 64 bits; and a bound of it, which takes away nothing
    that is subtracted, as code for a CPU has it.
    """

    def __init__(self, number, fits=True, bound=None):
        self.number, self.fits = number, fits and -2**63 <= number <= MOST
        self.bound = number if bound is None else bound

    def combine(self, operation, other):
        bound = self.bound if operation == "subtract" else None
        if operation in ("add", "multiply", "maximum", "minimum"):
            bound = OPERATIONS[operation](self.bound, other.bound)
        elif operation == "divide":
            bound = self.bound / other.number
        return Value(OPERATIONS[operation](self.number, other.number), self.fits and other.fits, bound)


def evaluate(size, dims, threads):
    if isinstance(size, int):
        return Value(size)
    if isinstance(size, str):
        return Value(dims[size])
    if size == ["threads"]:
        return Value(threads)
    operation, first, *rest = size
    value = evaluate(first, dims, threads)
    for each in rest:
        value = value.combine(operation, evaluate(each, dims, threads))
    return value


def draw(generator, most):
    """A size of a dim, of any number of bits; one in five is near the largest."""
    if generator.random() < 0.2:
        return most - generator.randint(0, most // 4)
    if generator.random() < 0.1:
        return generator.choice((0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 256, most))
    return generator.randint(1, 1 << generator.randint(1, most.bit_length() - 1))


class Entry:
    def __init__(self, path):
        manifest = json.loads(pathlib.Path(path).with_suffix(".json").read_text())
        self.entry = manifest["entries"][0]
        self.function = getattr(ctypes.CDLL(path), "mixattn_workspace_" + self.entry["name"])
        self.parameters = self.entry["arguments"] + self.entry["results"]
        self.dims = sorted({dim for each in self.parameters for dim in each["shape"] if isinstance(dim, str)})
        self.message = ctypes.create_string_buffer(512)
        self.call = Call(ctypes.sizeof(Call), message=ctypes.addressof(self.message), message_size=512)

    def ask(self, dims, device):
        """The code and the bytes."""
        pointers = (ctypes.POINTER(DLTensor) * len(self.parameters))()
        for i, each in enumerate(self.parameters):
            shape = [dims.get(dim, dim) for dim in each["shape"]]
            pointers[i] = ctypes.pointer(DLTensor(None, device, 0, len(shape), 0, 0, 0,
                                                  (ctypes.c_int64 * len(shape))(*shape), None, 0))
        size = ctypes.c_uint64(1)
        self.message.value = b""
        code = self.function(pointers, len(self.parameters), ctypes.byref(size), ctypes.byref(self.call))
        return code, size.value

    def check(self, dims, device):
        """Whether the size is in range."""
        size = self.entry["workspace"] if device == 1 else self.entry["gpu"].get("workspace", 0)
        value = evaluate(size, dims, int(os.environ["OMP_NUM_THREADS"]))
        code, got = self.ask(dims, device)
        place = f"{self.entry['name']} on device {device}, {dims}"
        if code == 0:
            assert value.number == got, f"{place}: expected {value.number} bytes, but got {got}"
            return True
        assert code == -4 and self.message.value.decode() == SENTENCE, \
            f"{place}: expected {value.number} bytes, but got {code}: {self.message.value.decode()}"
        # Doubles are a little off.
        is_out = value.bound >= 2**62 * (1 - 2**-40) if device == 1 else not value.fits
        assert is_out, f"{place}: expected {value.number} bytes, but got a sentence"
        return False


def main():
    count, *paths = sys.argv[1:]
    entries = [Entry(path) for path in paths]
    generator = random.Random(1)
    told = {1: [0, 0], 2: [0, 0]}
    for number in range(int(count)):
        entry = entries[number % len(entries)]
        device = 1 + number // len(entries) % 2
        # A GPU's sizes have 31 bits.
        most = MOST if device == 1 and generator.random() < 0.5 else 2**31 - 1
        dims = {dim: draw(generator, most) for dim in entry.dims}
        told[device][entry.check(dims, device)] += 1
    for device, name in ((1, "CPU"), (2, "GPU")):
        print(f"{name}: {told[device][1]} sizes, {told[device][0]} out of range")


if __name__ == "__main__":
    main()
