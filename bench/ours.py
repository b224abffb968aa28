# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A row compiled by mixattn-compile and called through the C ABI."""

import ctypes
import hashlib
import json
import math
import pathlib
import subprocess
import time
from typing import NamedTuple

import numpy as np

from bench import paths, rows
from dlpack import TYPES, DLTensor


def tensor(array, dtype):
    """A view of a contiguous array."""
    code, bits = TYPES[dtype]
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    return DLTensor(array.ctypes.data, 1, 0, array.ndim, code, bits, 1, shape,
                    None, 0)


class Call(ctypes.Structure):
    """mixattn_call of lib/Runtime/abi.h."""
    _fields_ = [("size", ctypes.c_uint32), ("stream", ctypes.c_void_p),
                ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_uint64),
                ("message", ctypes.c_void_p), ("message_size", ctypes.c_size_t),
                ("packed", ctypes.c_void_p), ("packed_bytes", ctypes.c_uint64)]


class Artifact(NamedTuple):
    """A compiled row: the shared library, the file that it is made of, and the
    seconds of the compiler's process."""
    library: pathlib.Path
    source: pathlib.Path
    seconds: float

    @property
    def manifest(self):
        return json.loads(self.library.with_suffix(".json").read_text())


def compile_row(row, tools, options=(), work=paths.WORK):
    """The artifact."""
    options = (*row.options(), *options)
    key = hashlib.sha256(repr((row.source(), row.target, options)).encode())
    stem = work / "artifacts" / f"{row.variant}_{key.hexdigest()[:12]}"
    stem.parent.mkdir(parents=True, exist_ok=True)
    source = stem.with_suffix(row.SUFFIX)
    row.write(source)
    command = [tools / "mixattn-compile", source, "-o", stem.with_suffix(".so"),
               f"--target={row.target}", *options]
    start = time.perf_counter()
    process = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise RuntimeError(f"mixattn-compile: {process.stderr.strip()[-500:]}")
    return Artifact(stem.with_suffix(".so"), source, seconds)


def openmp():
    """The OpenMP runtimes that an artifact may ask for the number of threads:
    LLVM's, as this process has loaded it, and whichever answers first."""
    with open("/proc/self/maps", encoding="ascii") as maps:
        names = {line.split()[-1] for line in maps if "libomp" in line}
    found = [ctypes.CDLL(name) for name in [*names, None]]
    return [each for each in found if hasattr(each, "omp_set_num_threads")]


def all_sources():
    """The MLIR of all rows, each once."""
    return sorted({row.source() for row in rows.all_rows().values()
                   if row.SUFFIX == ".mlir"})


def size_of(expression, dims, threads):
    """What an expression of the manifest is for these dims (manifest.md)."""
    if not isinstance(expression, list):
        return dims[expression] if isinstance(expression, str) else expression
    word, *parts = expression
    if word == "threads":
        return threads
    parts = [size_of(part, dims, threads) for part in parts]
    return {"add": sum, "multiply": math.prod, "minimum": min, "maximum": max,
            "subtract": lambda p: p[0] - p[1], "divide": lambda p: p[0] // p[1],
            "remainder": lambda p: p[0] % p[1], "above": lambda p: int(p[0] > p[1]),
            "at_most": lambda p: int(p[0] <= p[1])}[word](parts)


def aligned(count):
    """Bytes from a multiple of 64 on: NumPy aligns by 16."""
    whole = np.zeros(count + 63, np.uint8)
    return whole[-whole.ctypes.data % 64:][:count]


class Ours:
    """An artifact bound to the arguments of a row; each call writes `result`.
    Calls have a workspace and memory for packed parameters, which the first one
    packs, if this `keeps_memory`."""

    def __init__(self, row, arguments, artifact, threads, keeps_memory=True):
        # Pointers into them do not keep them alive.
        self.arguments = arguments
        self.library = ctypes.CDLL(str(artifact.library))
        # That of a model is called as its file is.
        names = row.variant, artifact.library.stem
        entry = next(each for each in artifact.manifest["entries"] if each["name"] in names)
        self.entry = getattr(self.library, f"mixattn_{entry['name']}")
        self.entry.restype = ctypes.c_int32
        self.openmp, self.threads = openmp(), threads
        stored = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16}
        # Peers' allocators align theirs, too.
        number, shape = np.dtype(stored[row.dtype]), row.result_shape()
        size = number.itemsize * math.prod(shape)
        self.result = aligned(size).view(number).reshape(shape)
        self.tensors = [tensor(array, arguments.dtypes[name] or "i64")
                        for name, array in arguments.arrays.items()]
        self.tensors.append(tensor(self.result, row.dtype))
        self.further = [aligned(4 * math.prod(shape)).view(np.float32).reshape(shape)
                        for shape in row.further_shapes()]
        self.tensors += [tensor(each, "f32") for each in self.further]
        self.pointers = (ctypes.POINTER(DLTensor) * len(self.tensors))(
            *map(ctypes.pointer, self.tensors))
        self.count = len(self.tensors)
        dims = {name: size for each in entry["arguments"]
                for name, size in zip(each["shape"], arguments.arrays[each["name"]].shape)}
        workspace = entry["workspace"] if keeps_memory else 0
        self.workspace = aligned(size_of(workspace or 0, dims, threads))
        self.packed = aligned(entry.get("packed", 0) if keeps_memory else 0)
        self.call = Call(size=ctypes.sizeof(Call), workspace=self.workspace.ctypes.data,
                         workspace_bytes=self.workspace.nbytes,
                         packed=self.packed.ctypes.data, packed_bytes=self.packed.nbytes)

    def prepare(self):
        """Sets what a call of another library may have changed."""
        for runtime in self.openmp:
            runtime.omp_set_num_threads(self.threads)

    def __call__(self):
        code = self.entry(self.pointers, self.count, ctypes.byref(self.call))
        if code:
            raise RuntimeError(f"mixattn_* returned {code}")
        return self.result


if __name__ == "__main__":
    print("\n// -----\n".join(all_sources()))
