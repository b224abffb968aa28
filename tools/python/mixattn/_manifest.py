# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manifest of an artifact (lib/Runtime/manifest.md): found, read, told."""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
from typing import Any, Callable, Mapping, Sequence, Union

ABI_VERSION = 2
SECTION = b".mixattn.manifest"


def read(path: str) -> dict:
    """The manifest that lies in the shared library at `path`. ValueError where there is none, or one
    of another version of the ABI."""
    with open(path, "rb") as file:
        # It may hold weights: what is not looked at is not read.
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if os.fstat(file.fileno()).st_size else b""
    text = _section(data)
    if text is None:
        raise ValueError(f"{path}: expected a shared library that mixattn-compile made, "
                         f"but found no section '{SECTION.decode()}'")
    manifest = json.loads(text.rstrip(b"\0"))
    if manifest["abi"] != ABI_VERSION:
        raise ValueError(f"{path}: expected version {ABI_VERSION} of the ABI, but got {manifest['abi']}")
    return manifest


def _section(data: Union[bytes, mmap.mmap]) -> Union[bytes, None]:
    """The bytes of the ELF section SECTION."""
    if data[:6] != b"\x7fELF\x02\x01" or len(data) < 64:
        return None
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    if table + size * count > len(data) or names >= count or size < 64:
        return None

    def header(number: int) -> tuple:
        return struct.unpack_from("<IIQQQQ", data, table + size * number)

    _, _, _, _, text, length = header(names)
    for number in range(count):
        name, _, _, _, offset, length_of = header(number)
        start = text + name
        if data[start:min(start + len(SECTION) + 1, text + length)] == SECTION + b"\0":
            return data[offset:offset + length_of]
    return None


OPERATIONS: dict[str, Callable[[list], int]] = {
    "add": sum, "multiply": math.prod, "minimum": min, "maximum": max,
    "subtract": lambda two: two[0] - two[1], "divide": lambda two: two[0] // two[1],
    "remainder": lambda two: two[0] % two[1], "above": lambda two: int(two[0] > two[1]),
    "at_most": lambda two: int(two[0] <= two[1]),
}
SIGNS = {"add": " + ", "multiply": " * ", "subtract": " - ", "divide": " / ", "remainder": " % ",
         "above": " > ", "at_most": " <= "}
Size = Union[int, str, list]


def evaluate(size: Size, dims: Mapping[str, int]) -> int:
    """The number that a SIZE is, of dims that are at least 0; 0 where one of them is not known, for
    then an argument is wrong, and the entry says which."""
    if isinstance(size, int):
        return size
    if isinstance(size, str):
        return dims.get(size, 0)
    operation, *operands = size
    try:
        return OPERATIONS[operation]([evaluate(each, dims) for each in operands])
    except ZeroDivisionError:
        return 0


def tell(size: Size) -> str:
    """A SIZE as text: (B * N) + 1 without the outermost parentheses."""
    if not isinstance(size, list):
        return str(size)
    operation, *operands = size
    told = [f"({tell(each)})" if isinstance(each, list) and len(each) > 1 else tell(each)
            for each in operands]
    if operation in SIGNS:
        return SIGNS[operation].join(told)
    return f"{operation}({', '.join(told)})" if told else operation


def bind(entry: dict, shapes: Sequence[Sequence[int]]) -> dict:
    """The dims of a call by name. What does not fit is left to the entry, which says it in words."""
    dims: dict[str, int] = {}
    for argument, shape in zip(entry["arguments"], shapes):
        for dim, size in zip(argument["shape"], shape):
            if isinstance(dim, str):
                dims.setdefault(dim, size)
    rules = entry.get("sizes", {})
    for dim, rule in rules.items():
        if "told" in rule:
            told = rule["told"]
            dims.setdefault(dim, max(0, dims.get(told["by"], 0) - told["offset"]) // told["factor"])
    for dim, rule in rules.items():
        if "is" in rule:
            dims.setdefault(dim, evaluate(rule["is"], dims))
    return dims


def _row(kind: str, each: dict, widths: tuple) -> str:
    shape = "[" + ", ".join(str(dim) for dim in each["shape"]) + "]"
    notes = " to ".join(str(end) for end in each["range"]) if "range" in each else ""
    notes += "updated in place" if each.get("updates") else ""
    return f"  {kind:8}  {each['name']:{widths[0]}}  {each['dtype']:4}  {shape:{widths[1]}}  {notes}".rstrip()


def describe(entry: dict, held: Mapping[str, Any]) -> str:
    """An entry's arguments and results, a line each; arguments in `held` are counted only."""
    rows = [("argument", each) for each in entry["arguments"] if each["name"] not in held]
    rows += [("result", each) for each in entry["results"]]
    widths = (max(len(each["name"]) for _, each in rows),
              max(len(str(each["shape"]).replace("'", "")) for _, each in rows))
    lines = [_row(kind, each, widths) for kind, each in rows]
    for dim, rule in entry.get("sizes", {}).items():
        if "is" in rule:
            lines.append(f"  size      {dim} = {tell(rule['is'])}")
        else:
            least, *most = rule["range"]
            lines.append(f"  size      {dim} from {least} " + (f"to {most[0]}" if most else "on"))
    if held:
        size = sum(each.nbytes for each in held.values())
        lines.append(f"  weights   {len(held)}, {size / 1e6:.4g} MB, kept"
                     + (f" and packed in {entry['packed'] / 1e6:.4g} MB" if "packed" in entry else ""))
    return "\n".join(lines)


def lacking(manifest: dict, cpuinfo: str = "/proc/cpuinfo") -> list:
    """The features of the CPU that the code may use and the machine does not have, as far as Linux
    tells them by LLVM's names. Of code for several CPUs the machine has to run one."""
    if manifest["target"]["arch"] != "x86_64" or not os.path.exists(cpuinfo):
        return []
    with open(cpuinfo, encoding="ascii", errors="replace") as file:
        flags = next((line for line in file if line.startswith("flags")), None)
    if flags is None:
        return []
    here = {flag.replace("_", "") for flag in flags.partition(":")[2].split()}
    asked = ("avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl",
             "avx512bf16", "avx512fp16", "amx-tile", "amx-bf16")
    return min(([each for each in target["features"] if each in asked and each.replace("-", "") not in here]
                for target in [*manifest.get("versions", []), manifest["target"]]), key=len)
