# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts NaN and infinity where no result may show them."""

import numpy as np

BAD = (np.nan, np.inf, -np.inf)


def only_use(program, op, role):
    """The argument that only this operand is, or nothing."""
    name = op.operands.get(role)
    if name is None or name in program.made() or \
            len(program.users(name)) != 1 or program.tensors[name].constant:
        return None
    return name


def hidden_elements(shape, allow):
    """Which elements of an operand that broadcasts to the scores meet hidden
    pairs alone."""
    padded = (1,) * (allow.ndim - len(shape)) + tuple(shape)
    over = tuple(axis for axis, size in enumerate(padded) if size == 1)
    met = allow.any(over, keepdims=True) if over else allow
    return ~met.reshape(shape)


def hide_rows(array, hidden, rng):
    """`hidden` is [B, S]; rows lie along the last dim but one."""
    np.moveaxis(array, -2, 1)[hidden] = rng.choice(BAD)


def poison_attention(program, op, x, attended, rng):
    allow, seen = attended.allow, attended.seen
    if "key_projection" not in op.operands:
        for role, met in (("key", allow), ("value", seen)):
            name = only_use(program, op, role)
            if name:
                hide_rows(x[name], ~met.any((1, 2)), rng)
    for role in ("bias",):
        name = only_use(program, op, role)
        if name:
            x[name][hidden_elements(x[name].shape, allow)] = rng.choice(BAD)
    of_any = ~allow.any(1, keepdims=True)
    for role in ("given", "noise"):
        name = only_use(program, op, role)
        if name:
            x[name][np.broadcast_to(of_any, x[name].shape)] = rng.choice(BAD)
    name = only_use(program, op, "query")
    if name and rng.random() < 0.5:
        hide_rows(x[name], ~allow.any((1, 3)), rng)


def poison_linear(program, op, x, rng):
    lengths = op.operands.get("lengths")
    if lengths is None:
        return
    for role in ("key", "value"):
        name = only_use(program, op, role)
        if name:
            keys = np.arange(x[name].shape[-2])
            hide_rows(x[name], keys >= x[lengths][:, None], rng)


def poison_pool(program, op, x, rng):
    """Values whose weights arguments.drop_weights() made 0."""
    name = only_use(program, op, "value")
    if name and op.operands.get("band") in program.arguments() and (
            "error_value" not in op.operands
            or op.operands["error_value"] in program.arguments()):
        rows = np.arange(x[name].shape[-2]) % 5 == 2
        hide_rows(x[name], np.broadcast_to(rows, (len(x[name]), len(rows))),
                  rng)


def poison(program, x, attended, seed):
    """A copy of the arguments, with what is hidden made bad."""
    rng = np.random.default_rng(seed)
    x = {name: array.copy() for name, array in x.items()}
    for count, op in enumerate(program.ops):
        if attended[count] is not None:
            poison_attention(program, op, x, attended[count], rng)
        elif op.kind.startswith("linear"):
            poison_linear(program, op, x, rng)
        elif op.kind == "structured_pool":
            poison_pool(program, op, x, rng)
    return x
