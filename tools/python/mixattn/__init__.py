# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles attention, and models that hold it, and calls what was compiled with tensors.

    layer = mixattn.compile("layer.mlir")
    o = layer(q, k, v, mixer)

`compile` takes modules of PyTorch and files, `load` libraries that were compiled before. Tensors of
NumPy, PyTorch and others come as they are, without a copy.
"""

from importlib import metadata as _metadata

from ._compile import CompileError, compile
from ._library import Entry, Library, load

__all__ = ["CompileError", "Entry", "Library", "compile", "load"]

try:
    #: The version of the installed package.
    __version__ = _metadata.version("mixattn")
except _metadata.PackageNotFoundError:
    __version__ = "of a source tree"
