# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's modules as .pt2 files: all that needs PyTorch."""

from __future__ import annotations

import collections
import inspect
import sys
from typing import Any, Mapping, Optional


def is_module(model: Any) -> bool:
    """Whether it is a torch.nn.Module; PyTorch is not imported for it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def _split(args: Any) -> tuple:
    """Arguments by position and by name: a tensor, a sequence of them, or a mapping."""
    if isinstance(args, Mapping):
        return (), dict(args)
    if isinstance(args, (list, tuple)):
        return tuple(args), {}
    return (args,), {}


def _open(model: Any, args: tuple, kwargs: dict, dims: Mapping[str, Mapping[int, Any]]) -> Any:
    """The dynamic_shapes of torch.export. A name that stands twice is one Dim, whose sizes
    PyTorch asks to be the same; one that stands once is left to PyTorch."""
    import torch
    bound = inspect.signature(model.forward).bind(*args, **kwargs).arguments
    for name in dims:
        if name not in bound:
            raise ValueError(f"dims: expected arguments of forward ({', '.join(bound)}), but got '{name}'")
    counts = collections.Counter(dim for each in dims.values() for dim in each.values() if isinstance(dim, str))
    shared = {name: torch.export.Dim(name) if count > 1 else torch.export.Dim.AUTO
              for name, count in counts.items()}
    return {name: {at: shared[dim] if isinstance(dim, str) else dim for at, dim in dims[name].items()}
            if name in dims else None for name in bound}


def export(model: Any, args: Any, dims: Optional[Mapping[str, Mapping[int, Any]]], path: str) -> None:
    """Writes `model`, as it is called with `args`, to the .pt2 file `path`. PyTorch raises what it
    has against it."""
    import torch
    if args is None:
        raise TypeError("expected 'args', tensors that the module can be called with, but got none")
    args, kwargs = _split(args)
    with torch.no_grad():
        exported = torch.export.export(model, args, kwargs or None,
                                       dynamic_shapes=_open(model, args, kwargs, dims) if dims else None)
        torch.export.save(exported.run_decompositions({}), path)
