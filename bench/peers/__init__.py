# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers, by name. A peer is a module with `settings(task)`, which lists the
ways to run it; the fastest is the one that is timed.

A setting that cannot say the row raises Unsupported with the reason.
"""

import importlib
import math
from typing import Callable, NamedTuple

from bench.written import Unsupported  # pylint: disable=W0611

# The library that a peer is part of, in the order in which they are printed.
MODULES = {"eager": "torch", "strips": "torch", "compile": "torch", "sdpa": "torch",
           "flex": "torch", "onnxruntime": "onnxruntime"}


class Setting(NamedTuple):
    """One way to run a peer: `build()` gives the call, compiled where there is
    something to compile; the call gives the result."""
    label: str
    build: Callable
    threads: int


class Task(NamedTuple):
    """The task of a peer: the row, its arguments as the peer's own tensors of the
    same memory, how many threads there are, the operations of a call, and whether
    a peer's allocator may keep what a call gave back."""
    row: object
    x: dict
    threads: int
    flops: float = math.inf
    keeps_memory: bool = True

    def ways(self):
        """In PyTorch, by label."""
        return self.row.written().ways(self.row, self.x)

    def graph(self):
        """In ONNX."""
        return self.row.written().graph(self.row, self.x)


def load(name):
    return importlib.import_module(f"bench.peers.{name}")
