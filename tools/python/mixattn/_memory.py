# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that calls keep: workspaces, and parameters in the order in which kernels read them."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import threading
from typing import Iterator, NamedTuple


class Pages(NamedTuple):
    """Memory of the system's, zeros at first, at an address that 4096 divides."""
    address: int
    size: int
    owner: object


def allocate(size: int) -> Pages:
    """At least `size` bytes. Pages that are never touched take no memory."""
    pages = mmap.mmap(-1, max(size, 1))
    return Pages(ctypes.addressof(ctypes.c_char.from_buffer(pages)), size, pages)


class Workspaces:
    """Workspaces that are kept from call to call, as many as there were calls at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[Pages] = []

    @contextlib.contextmanager
    def take(self, size: int) -> Iterator[Pages]:
        """One of `size` bytes or more. A free one that is too small gives way to it."""
        with self._lock:
            self._free.sort(key=lambda each: each.size)
            place = next((i for i, each in enumerate(self._free) if each.size >= size), -1)
            taken = self._free.pop(place) if self._free else None
        if taken is None or taken.size < size:
            taken = allocate(size)
        try:
            yield taken
        finally:
            with self._lock:
                self._free.append(taken)


class Packed:
    """Memory for packed parameters. The first call packs; until it has, others wait."""

    def __init__(self, size: int) -> None:
        self._pages = allocate(size)
        self._lock = threading.Lock()
        self.address, self.size = self._pages.address, size

    @property
    def _is_done(self) -> bool:
        # An entry leaves its mark in the first 8 bytes.
        return ctypes.c_uint64.from_address(self.address).value != 0

    @contextlib.contextmanager
    def use(self) -> Iterator["Packed"]:
        """For one call."""
        if self._is_done:
            yield self
            return
        with self._lock:
            yield self
