# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of manifests: integers, names of dims, and operations on them."""

import functools

OPERATIONS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "minimum": min,
    "maximum": max,
    "above": lambda a, b: int(a > b),
    "at_most": lambda a, b: int(a <= b),
}


def evaluate(size, dims, multiprocessors=0):
    """The value of a SIZE where dims have these sizes, on a GPU of so many
    multiprocessors."""
    if isinstance(size, int):
        return size
    if isinstance(size, str):
        return dims[size]
    operation, *operands = size
    if operation == "multiprocessors":
        return multiprocessors
    values = [evaluate(operand, dims, multiprocessors) for operand in operands]
    value = functools.reduce(OPERATIONS[operation], values)
    if value < 0:
        raise ValueError(f"a size below 0: {size}")
    return value


def launches_of(entry, dims, multiprocessors=1):
    """The launches that a call of these sizes makes: hosts pass over the others,
    whose grids have no blocks."""
    return [launch for launch in entry["launches"]
            if all(evaluate(size, dims, multiprocessors)
                   for size in launch["grid"])]


def dims_of(entry, arrays):
    """The sizes of named dims: from the shapes of arrays by name, then by the
    rules of the entry's manifest."""
    dims = {}
    for argument in entry["arguments"]:
        array = arrays[argument["name"]]
        shape = argument["shape"]
        if len(shape) != array.ndim:
            raise ValueError(f"'{argument['name']}' has {array.ndim} dims, "
                             f"but {len(shape)} are expected")
        for size, actual in zip(shape, array.shape):
            expected = (dims.setdefault(size, actual)
                        if isinstance(size, str) else size)
            if expected != actual:
                raise ValueError(f"a dim of '{argument['name']}' is {actual}, "
                                 f"but {expected} is expected")
    add_computed(entry.get("sizes", {}), dims)
    return dims


def add_computed(rules, dims):
    """Adds the dims that no array has, and compares those that one has."""
    for dim, rule in rules.items():
        if "told" in rule:
            told = rule["told"]
            dims[dim], rest = divmod(dims[told["by"]] - told["offset"],
                                     told["factor"])
            if rest:
                raise ValueError(f"'{told['by']}' leaves a rest of {rest}")
    for dim, rule in rules.items():
        if "is" in rule:
            expected = evaluate(rule["is"], dims)
            if dims.setdefault(dim, expected) != expected:
                raise ValueError(f"'{dim}' is {dims[dim]}, but {expected} is "
                                 "expected")
