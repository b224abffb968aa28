# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a model to a library that is loaded."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any, Mapping, Optional, Union

from . import _export, _programs
from ._library import Library, load


class CompileError(RuntimeError):
    """mixattn-compile refused a model; the text is its own, with the line of the model."""


def _options(options: Mapping[str, Any]) -> list:
    """Options of the command line: plan="online" is --plan=online, profile=True is --profile, and a
    list stands for one option after the other."""
    line = []
    for name, value in options.items():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            flag = "--" + name.replace("_", "-")
            if each is True:
                line.append(flag)
            elif each is not False and each is not None:
                line.append(f"{flag}={os.fspath(each) if isinstance(each, os.PathLike) else each}")
    return line


def _dim_names(dims: Mapping[str, Mapping[int, Any]]) -> list:
    """A --name-dim for each open dim: of a string itself, of a torch.export.Dim its name."""
    return [f"--name-dim={name}.{at}={dim if isinstance(dim, str) else dim.__name__}"
            for name, each in dims.items() for at, dim in each.items()
            if isinstance(dim, str) or isinstance(getattr(dim, "__name__", None), str)]


def compile(model: Any, args: Any = None, dims: Optional[Mapping[str, Mapping[int, Any]]] = None,
            target: str = "native", out: Union[str, os.PathLike, None] = None, **options: Any) -> Library:
    """Compiles a model and loads the library.

    `model` is a torch.nn.Module, or the path of a file that mixattn-compile reads: .mlir, .pt2, .onnx.
    Only a module needs PyTorch.

    `args` are tensors that a module can be called with: one, a sequence, or a mapping by name. Their
    dtypes and ranks are the library's, and their sizes but those that `dims` opens.
    `dims` names open dims of inputs of a module or a .pt2 or .onnx file: {"x": {0: "B", 1: "N"}}. Dims of one
    name have one size. For a module a torch.export.Dim may stand in place of a name.
    `target` is as for `mixattn-compile --target`: this machine, another CPU, GPUs, or both.
    `out` is where the library goes, NAME.so, and next to it header, manifest and weights; without it they are
    in a temporary folder, which is removed with the library.
    `options` are those of mixattn-compile: plan="online", threads=2, entry="layer", profile=True.

    The weights are those that the model has now; later changes of it are not seen. CompileError has
    the compiler's words; its remarks go to the standard error output, as they do without Python.
    """
    is_module = _export.is_module(model)
    if not is_module and not isinstance(model, (str, os.PathLike)):
        raise TypeError("expected a torch.nn.Module or the path of a file, "
                        f"but got a value of type '{type(model).__name__}'")
    if not is_module and args is not None:
        raise TypeError("expected no 'args' for a file, which says what it is called with, but got some")
    stem = type(model).__name__ if is_module else os.path.splitext(os.path.basename(os.fspath(model)))[0]
    folder = tempfile.TemporaryDirectory(prefix="mixattn-")
    path = os.path.join(folder.name, stem + ".so") if out is None else os.fspath(out)
    if not path.endswith(".so"):
        raise ValueError(f"out: expected a path that ends in .so, but got '{path}'")
    source = None if is_module else os.fspath(model)
    if is_module:
        # The entry is named as the file.
        source = os.path.join(folder.name, os.path.basename(path)[:-3] + ".pt2")
        _export.export(model, args, dims, source)
    line = [_programs.find("mixattn-compile"), source, "-o", path, f"--target={target}",
            *_dim_names(dims or {}), *_options(options)]
    ran = subprocess.run(line, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        raise CompileError(ran.stderr.strip() or f"mixattn-compile ended with {ran.returncode}")
    sys.stderr.write(ran.stderr)
    library = load(path)
    if out is None:
        library._folder = folder
    return library
