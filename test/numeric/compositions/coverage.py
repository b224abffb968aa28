# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often programs have each op, clause, operand, type and kind of size."""

import collections

from compositions import draw


def marks(program):
    """The features of a program, each with its kind."""
    for op in program.ops:
        yield "ops", op.kind
        yield "places", op.place
        for name, value in op.attrs.items():
            word = f"{name} {value}" if isinstance(value, str) else name
            yield "clauses", word
        for role in op.operands:
            yield "operands", role
        for role in op.results:
            yield "results", role
    yield "ops of a program", str(len(program.ops))
    open_dims = [size is None for size in program.dims.values()]
    yield "sizes", ("open" if all(open_dims) else
                    "some static" if any(open_dims) else "static")
    for tensor in program.tensors.values():
        yield "types", tensor.dtype
        if tensor.constant:
            yield "constants", tensor.constant


def lines(seed, count):
    counts = collections.defaultdict(collections.Counter)
    for number in range(count):
        program = draw.draw_program(draw.rng_of(seed, number))
        for kind, mark in set(marks(program)):
            counts[kind][mark] += 1
    yield "covered:"
    for kind, counter in sorted(counts.items()):
        yield f"  {kind}: " + ", ".join(
            f"{mark} ({times}x)" for mark, times in sorted(counter.items()))
