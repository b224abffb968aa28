# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled library in this process, whose entries are called with tensors."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from typing import Any, Iterator, Mapping, Optional, Union

from . import _dlpack, _manifest, _memory, _openmp, _results, _weights


class _Call(ctypes.Structure):
    """mixattn_call of <mixattn/abi.h>."""
    _fields_ = [("size", ctypes.c_uint32), ("stream", ctypes.c_void_p), ("workspace", ctypes.c_void_p),
                ("workspace_bytes", ctypes.c_uint64), ("message", ctypes.c_char_p),
                ("message_size", ctypes.c_size_t), ("packed", ctypes.c_void_p),
                ("packed_bytes", ctypes.c_uint64), ("status", ctypes.c_void_p)]


# MIXATTN_ERROR_MEMORY of <mixattn/abi.h>.
_NO_MEMORY = -3


class Entry:
    """A function of a library. `print(entry)` says what it takes and gives.

    Threads may call one entry at the same time. A call takes no memory but that of its results, once
    as many calls of these sizes as there are at the same time have been made.
    """

    def __init__(self, library: ctypes.CDLL, manifest: dict, weights: dict) -> None:
        self._manifest, self._weights = manifest, weights
        self.name: str = manifest["name"]
        #: The names of the arguments that a call gives, in order.
        self.arguments = [each["name"] for each in manifest["arguments"] if each["name"] not in weights]
        #: The names of those that a call changes where they lie: caches.
        self.updated = [each["name"] for each in manifest["arguments"] if each.get("updates")]
        #: The names of the results, in order.
        self.results = [each["name"] for each in manifest["results"]]
        self._function = getattr(library, "mixattn_" + self.name)
        self._query = getattr(library, "mixattn_workspace_" + self.name)
        self._workspaces = _memory.Workspaces()
        # Parameters of the caller's may change from call to call.
        parameters = [each["name"] for each in manifest["arguments"] if each.get("parameter")]
        keeps = manifest.get("packed", 0) and all(name in weights for name in parameters)
        self._packed = _memory.Packed(manifest["packed"]) if keeps else None
        self._on_gpus: dict[Any, dict] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"entry {self.name}\n" + _manifest.describe(self._manifest, self._weights)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the results of tensors of NumPy, PyTorch, or others that have `__dlpack__`.

        Arguments come by position or by name, in the shapes and dtypes that `print` says, and are read
        where they lie. The innermost dim is contiguous; other strides are free. Those in `updated` are
        written to as well. The result, or a tuple of several, is PyTorch's where an argument is, else
        NumPy's.

        TypeError says which argument is missing, too many or no tensor; ValueError which shape, dtype,
        stride or value is wrong; MemoryError and RuntimeError what the machine refuses.
        """
        given = self._bind(args, kwargs)
        kind = _results.kind_of(list(given.values()))
        views = self._view(given, kind)
        dims = _manifest.bind(self._manifest, [each.shape for each in views])
        device = views[0].tensor.device if views else _dlpack.Device(_dlpack.CPU, 0)
        kind.check(device)
        made = []
        for each in self._manifest["results"]:
            # Of sizes that the entry refuses a difference may be below 0.
            shape = [max(0, _manifest.evaluate(dim, dims)) for dim in each["shape"]]
            made.append(_dlpack.make(None, shape, _dlpack.DTYPES[each["dtype"]],
                                     (device.type, device.number)))
        count = len(views) + len(made)
        tensors = (ctypes.POINTER(_dlpack.Tensor) * count)(
            *(ctypes.pointer(each.tensor) for each in (*views, *made)))
        size = ctypes.c_uint64()
        self._invoke(self._query, tensors, count, ctypes.byref(size))
        results = []
        for each, view in zip(self._manifest["results"], made):
            results.append(kind.empty(view.shape, each["dtype"]))
            view.tensor.data = kind.address(results[-1])
        with self._memory(size.value, device, kind) as fields:
            self._invoke(self._function, tensors, count, **fields)
        return results[0] if len(results) == 1 else tuple(results)

    def zeros(self, name: str, **dims: int) -> Any:
        """NumPy's zeros for an argument, whose open dims have these sizes: a cache before the first call.

        TypeError where there is no such argument, or a dim has no size.
        """
        for each in self._manifest["arguments"]:
            if each["name"] == name:
                lacking = [dim for dim in each["shape"] if isinstance(dim, str) and dim not in dims]
                if lacking:
                    raise TypeError(f"argument '{name}': expected a size of dim '{lacking[0]}', but got none")
                made = _results.NumpyArrays().empty(
                    tuple(dims.get(dim, dim) for dim in each["shape"]), each["dtype"])
                made[...] = 0
                return made
        raise TypeError(f"{self.name}: expected an argument, but got '{name}'")

    def _bind(self, args: tuple, kwargs: dict) -> dict:
        """The tensors of a call by name."""
        names = ", ".join(self.arguments)
        if len(args) > len(self.arguments):
            raise TypeError(f"{self.name}: expected {len(self.arguments)} arguments ({names}), but got {len(args)}")
        given = dict(zip(self.arguments, args))
        for name, value in kwargs.items():
            if name in given:
                raise TypeError(f"argument '{name}': expected it once, but got it by position and by name")
            if name not in self.arguments:
                raise TypeError(f"{self.name}: expected arguments named {names}, but got '{name}'")
            given[name] = value
        for name in self.arguments:
            if name not in given:
                raise TypeError(f"argument '{name}': expected a tensor, but got none")
        return given

    def _view(self, given: dict, kind: Any) -> list:
        """Arguments and weights in the order of the entry."""
        views = {}
        for name, value in given.items():
            try:
                views[name] = _dlpack.view(value)
            except (TypeError, ValueError, BufferError) as error:
                raise type(error)(f"argument '{name}': {error}") from None
            if name in self.updated and views[name].is_read_only:
                raise ValueError(f"argument '{name}': expected memory that the call may write to, "
                                 "but got a tensor that is read-only")
        weights = self._weights_for(kind)
        return [views.get(each["name"]) or weights[each["name"]].view
                for each in self._manifest["arguments"]]

    def _weights_for(self, kind: Any) -> dict:
        """The weights where the caller's tensors lie: a copy on each GPU that they lie on."""
        if not self._weights or kind.stream is None:
            return self._weights
        with self._lock:
            if kind.device not in self._on_gpus:
                self._on_gpus[kind.device] = {
                    name: kind.copy(weight) for name, weight in self._weights.items()}
            return self._on_gpus[kind.device]

    @contextlib.contextmanager
    def _memory(self, size: int, device: _dlpack.Device, kind: Any) -> Iterator[dict]:
        """The fields of a call that say which memory it may use."""
        if device.type != _dlpack.CPU:
            # PyTorch gives it out again to what comes later on this stream; in a graph it is the graph's.
            workspace = kind.empty((size,), "i8")
            yield {"workspace": kind.address(workspace), "workspace_bytes": size, "stream": kind.stream}
            return
        with contextlib.ExitStack() as stack:
            fields: dict[str, Optional[int]] = {}
            if size:
                workspace = stack.enter_context(self._workspaces.take(size))
                fields.update(workspace=workspace.address, workspace_bytes=size)
            if self._packed:
                packed = stack.enter_context(self._packed.use())
                fields.update(packed=packed.address, packed_bytes=packed.size)
            yield fields

    def _invoke(self, function: Any, *given: Any, **fields: Any) -> None:
        """Calls by C; what it has against it is raised in its words."""
        message = ctypes.create_string_buffer(512)
        call = _Call(ctypes.sizeof(_Call), message=ctypes.addressof(message), message_size=512, **fields)
        code = function(*given, ctypes.byref(call))
        if code:
            kind = ValueError if code > 0 else MemoryError if code == _NO_MEMORY else RuntimeError
            raise kind(message.value.decode() or f"{self.name}: failed with code {code}")


class Library:
    """A compiled library: `library(...)` calls its entry, `library["name"](...)` one of several.
    `print(library)` says what they take and give."""

    def __init__(self, path: str, weights: Union[str, Mapping[str, Any], None], folder: Any = None) -> None:
        #: Where the library lies.
        self.path = path
        # The folder that is removed with the library.
        self._folder = folder
        self._manifest = _manifest.read(path)
        lacking = _manifest.lacking(self._manifest)
        if lacking:
            raise RuntimeError(f"{path}: expected a CPU that has {', '.join(lacking)}; "
                               f"it was compiled for '{self._manifest['target']['cpu']}'")
        _openmp.load()
        library = ctypes.CDLL(os.path.abspath(path))
        #: The entries by name.
        self.entries = {each["name"]: Entry(library, each, _weights.find(each, weights))
                        for each in self._manifest["entries"]}

    def __repr__(self) -> str:
        target = ", ".join(each["cpu"] for each in
                           self._manifest.get("versions", [self._manifest["target"]]))
        if "gpu" in self._manifest:
            target += ", " + self._manifest["gpu"]["cpu"]
        return "\n".join([f"{self.path}, for {target}", *(repr(each) for each in self.entries.values())])

    def __getitem__(self, name: str) -> Entry:
        if name not in self.entries:
            raise KeyError(f"expected one of the entries {', '.join(self.entries)}, but got '{name}'")
        return self.entries[name]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the only entry: see `Entry.__call__`. TypeError where there are several."""
        if len(self.entries) != 1:
            raise TypeError("expected a library of one entry, but there are "
                            f"{', '.join(self.entries)}: call library['NAME']")
        (entry,) = self.entries.values()
        return entry(*args, **kwargs)


def load(path: Union[str, os.PathLike], weights: Union[str, os.PathLike, Mapping[str, Any], None] = None) -> Library:
    """Loads a library that `mixattn-compile` made.

    `weights` are kept and come with each call: the path of a safetensors file, or tensors of NumPy or
    PyTorch by name, such as a state dict, which nobody changes from then on. Without it they are those
    of NAME.safetensors next to NAME.so, if mixattn-compile wrote both; ValueError where another file is
    there. An argument that they do not hold is a call's.

    ValueError where a file is not what it should be, RuntimeError where the CPU lacks what the code
    was made for, OSError where a file or a library that it needs is not there.
    """
    path = os.fspath(path)
    if weights is None:
        return Library(path, _weights.of_library(path, _manifest.read(path)))
    return Library(path, os.fspath(weights) if isinstance(weights, os.PathLike) else weights)
