# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers, by name. A peer is a module with `settings(task)`, which lists the
ways to run it; the fastest is the one that is timed.

A setting that cannot say the row raises Unsupported with the reason.
"""

import importlib
from typing import Callable, NamedTuple

# The library that a peer is part of, in the order in which they are printed.
MODULES = {"eager": "torch", "strips": "torch", "compile": "torch", "sdpa": "torch",
           "flex": "torch", "onnxruntime": "onnxruntime"}


class Unsupported(Exception):
    """This peer cannot say this row."""


class Setting(NamedTuple):
    """One way to run a peer: `build()` gives the call, compiled where there is
    something to compile; the call gives the result [B,H,N,E]."""
    label: str
    build: Callable
    threads: int


class Task(NamedTuple):
    """The task of a peer: the row, its arguments as the peer's own tensors of the
    same memory, and how many threads there are."""
    row: object
    x: dict
    threads: int


def load(name):
    return importlib.import_module(f"bench.peers.{name}")
