# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that a library keeps: those of a safetensors file, or tensors of the caller's."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import re
import struct
from typing import Any, Mapping, NamedTuple, Optional, Union

from . import _dlpack

# safetensors' name of a dtype: the manifest's.
DTYPES = {"F16": "f16", "BF16": "bf16", "F32": "f32", "F64": "f64", "BOOL": "i1", "I8": "i8",
          "I16": "i16", "I32": "i32", "I64": "i64"}


class Weight(NamedTuple):
    """One tensor in the host's memory or on a GPU."""
    view: _dlpack.View
    nbytes: int


def of_library(path: str, manifest: dict) -> Optional[str]:
    """The file of weights that was written with the library, if it is there."""
    file = os.path.splitext(path)[0] + ".safetensors"
    if "weights" not in manifest or not os.path.exists(file):
        return None
    _, index, _ = _index(file)
    if index.get("__metadata__", {}).get("mixattn") != manifest["weights"]:
        raise ValueError(f"{file}: expected the weights that '{path}' was compiled with, but got others, "
                         "which have to be given as 'weights'")
    return file


def _index(path: str) -> tuple:
    """The bytes of the file, what it holds by name, and where elements begin."""
    with open(path, "rb") as file:
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    if len(pages) < 8:
        raise ValueError(f"{path}: expected a safetensors file, but got {len(pages)} bytes")
    (length,) = struct.unpack_from("<Q", pages)
    if length > len(pages) - 8:
        raise ValueError(f"{path}: expected a safetensors file, but its header ends after the file")
    try:
        return pages, json.loads(pages[8:8 + length]), 8 + length
    except ValueError:
        raise ValueError(f"{path}: expected a safetensors file, but its header is no JSON") from None


def _of_file(path: str) -> dict:
    """All tensors of the file, by name; the file stays where it is."""
    pages, index, offset = _index(path)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages)) + offset
    weights = {}
    for name, each in index.items():
        if name == "__metadata__":
            continue
        begin, end = each["data_offsets"]
        if each["dtype"] not in DTYPES:
            raise ValueError(f"{path}: '{name}': expected a dtype of "
                             f"{', '.join(DTYPES)}, but got '{each['dtype']}'")
        code, bits = _dlpack.DTYPES[DTYPES[each["dtype"]]]
        size = bits // 8
        for dim in each["shape"]:
            size *= dim
        if not 0 <= begin <= end <= len(pages) - offset or end - begin != size:
            raise ValueError(f"{path}: '{name}': expected {size} bytes within the file, "
                             f"but got those from {begin} to {end}")
        address = start + begin
        owner: Any = pages
        if address % (bits // 8):
            owner = (ctypes.c_uint64 * (size // 8 + 1))()
            ctypes.memmove(owner, address, size)
            address = ctypes.addressof(owner)
        weights[name] = Weight(_dlpack.make(address, each["shape"], (code, bits), owner=owner), size)
    return weights


def _of_tensor(name: str, value: Any) -> Weight:
    if _dlpack.is_torch(value):
        value = value.detach()
        # Of a parameter that lies column by column, the rows: entries want them contiguous.
        value = value.contiguous()
    try:
        view = _dlpack.view(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"weight '{name}': {error}") from None
    size = view.tensor.dtype.bits // 8
    for dim in view.shape:
        size *= dim
    return Weight(view, size)


def find(entry: dict, source: Union[str, Mapping[str, Any], None]) -> dict:
    """The weights in `source`, a path or tensors by name, that are arguments of the entry. A name is
    the argument's or a state dict's, whose characters that no identifier has are `_`."""
    if source is None:
        return {}
    if isinstance(source, str):
        found = _of_file(source)
    else:
        found = {name: _of_tensor(name, value) for name, value in source.items()}
    found = {re.sub(r"\W", "_", name, flags=re.ASCII): weight for name, weight in found.items()}
    return {each["name"]: found[each["name"]] for each in entry["arguments"] if each["name"] in found}
