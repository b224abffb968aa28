# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts called in this process, through the C ABI.

Each tensor ends where memory ends that nothing may touch, or begins there;
arguments cannot be written, and results begin as garbage.
"""

import _ctypes
import ctypes
import mmap

import numpy as np

import inputs
from dlpack import TYPES, DLTensor

STORED = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16,
          "i64": np.int64, "i32": np.int32, "i1": np.uint8}
PAGE = mmap.PAGESIZE
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                      ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Message(ctypes.Structure):
    """mixattn_call of lib/Runtime/abi.h."""
    _fields_ = [("size", ctypes.c_uint32), ("stream", ctypes.c_void_p),
                ("workspace", ctypes.c_void_p),
                ("workspace_bytes", ctypes.c_uint64),
                ("message", ctypes.c_char_p),
                ("message_size", ctypes.c_size_t)]


class Guarded:
    """Memory of `size` bytes between pages that nothing may touch; it ends at
    the last of its own, or begins at the first."""

    def __init__(self, size, at_end):
        pages = -(-size // PAGE) or 1
        self.length = (pages + 2) * PAGE
        self.base = LIBC.mmap(None, self.length, 0,
                              mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        self.inner, self.inside = self.base + PAGE, pages * PAGE
        self.protect(mmap.PROT_READ | mmap.PROT_WRITE)
        self.address = self.inner + (self.inside - size if at_end else 0)
        self.size = size

    def protect(self, what):
        LIBC.mprotect(self.inner, self.inside, what)

    def array(self, dtype, shape):
        buffer = (ctypes.c_char * self.size).from_address(self.address)
        return np.frombuffer(buffer, dtype).reshape(shape)

    def free(self):
        LIBC.munmap(self.base, self.length)


def openmp_runtimes():
    """The OpenMP runtimes of this process."""
    with open("/proc/self/maps", encoding="ascii") as maps:
        names = {line.split()[-1] for line in maps if "omp" in line}
    found = [ctypes.CDLL(name) for name in names if name.startswith("/")]
    return [each for each in found if hasattr(each, "omp_set_num_threads")]


def stored(array, dtype):
    """An argument as its type lies in memory."""
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            array = inputs.encode(array, dtype)
        return array.view(np.uint16) if dtype == "bf16" else array
    return array.astype(STORED[dtype])


def decoded(array, dtype):
    return inputs.decode(array.view("V2") if dtype == "bf16" else array)


def strides_of(shape, rng):
    """Strides of rows that lie apart, in elements; the innermost is 1."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
        if rng.random() < 0.5:
            step += int(rng.integers(0, 9))
    return strides


class Tensors:
    """Arguments and results of one call, in memory."""

    def __init__(self, arguments, results, rng):
        """Names with array or shape, and dtype."""
        self.memory, self.views, self.keep = [], {}, []
        self.list = []
        for name, array, dtype in arguments:
            self.place(name, array.shape, dtype, rng, array)
        for name, shape, dtype in results:
            self.place(name, shape, dtype, rng, None)
        self.pointers = (ctypes.POINTER(DLTensor) * len(self.list))(
            *map(ctypes.pointer, self.list))

    def place(self, name, shape, dtype, rng, array):
        kind = np.dtype(STORED[dtype])
        strides = None
        if len(shape) > 1 and rng.random() < 0.15 and 0 not in shape:
            strides = strides_of(shape, rng)
        count = int(np.prod(shape)) if strides is None else 1 + sum(
            (size - 1) * step for size, step in zip(shape, strides))
        memory = Guarded(count * kind.itemsize, rng.random() < 0.7)
        self.memory.append(memory)
        whole = memory.array(kind, (count,))
        view = whole.reshape(shape) if strides is None else \
            np.lib.stride_tricks.as_strided(
                whole, shape, [step * kind.itemsize for step in strides])
        if array is None:
            whole.view(np.uint8)[:] = 0xF7
            self.views[name] = (view, dtype, whole, strides)
        else:
            whole.view(np.uint8)[:] = 0x7F
            view[...] = stored(array, dtype)
            memory.protect(mmap.PROT_READ)
        code, bits = TYPES[dtype]
        sizes = (ctypes.c_int64 * len(shape))(*shape)
        steps = None if strides is None else \
            (ctypes.c_int64 * len(shape))(*strides)
        self.keep += [sizes, steps]
        self.list.append(DLTensor(memory.address, 1, 0, len(shape), code, bits,
                                  1, sizes, steps, 0))

    def results(self):
        """Copies of the results as they lie."""
        return {name: view.copy()
                for name, (view, _, _, _) in self.views.items()}

    def gaps_written(self):
        """Names of results between whose rows something was written."""
        for name, (view, _, whole, strides) in self.views.items():
            if strides is None:
                continue
            inside = np.zeros(whole.shape, bool)
            np.lib.stride_tricks.as_strided(inside, view.shape, strides)[
                ...] = True
            if (whole.view(np.uint8).reshape(len(whole), -1)[~inside]
                    != 0xF7).any():
                yield name

    def clear(self):
        for view, _, whole, _ in self.views.values():
            whole.view(np.uint8)[:] = 0xF7

    def free(self):
        for memory in self.memory:
            memory.free()


class Artifact:
    """A shared library and its entry @program."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.entry = self.library.mixattn_program
        self.entry.restype = ctypes.c_int32
        self.runtimes = openmp_runtimes()

    def call(self, tensors, threads):
        """The error that the entry reports, or nothing."""
        for runtime in self.runtimes:
            runtime.omp_set_num_threads(threads)
        text = ctypes.create_string_buffer(1000)
        message = Message(ctypes.sizeof(Message), None, None, 0,
                          ctypes.cast(text, ctypes.c_char_p), 1000)
        code = self.entry(tensors.pointers, len(tensors.list),
                          ctypes.byref(message))
        return f"{code}: {text.value.decode()}" if code else None

    def close(self):
        handle, self.library, self.entry = self.library._handle, None, None
        _ctypes.dlclose(handle)
