# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pointwise changes of scores: as text, and as arithmetic."""

import numpy as np

# Those that read an operand `table`, and its shape.
TABLES = {"slopes": ("heads",), "of_key": ("keys",),
          "of_head_and_key": ("heads", "keys"),
          "of_pair": ("batch", "heads", "queries", "keys")}
KINDS = ["cap", "line", "parity", "far", *TABLES]

BODIES = {
    "cap": """%c = arith.constant 3.0e+01 : f32
    %x = arith.divf %s, %c : f32
    %y = math.tanh %x : f32
    %z = arith.mulf %y, %c : f32""",
    "line": """%c = arith.constant 5.0e-01 : f32
    %z = math.fma %s, %c, %c : f32""",
    "parity": """%three = arith.constant 3 : index
    %zero = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %x = arith.addi %i, %j : index
    %y = arith.remui %x, %three : index
    %hides = arith.cmpi eq, %y, %zero : index
    %z = arith.select %hides, %low, %s : f32""",
    "far": """%low = arith.constant 0xFF800000 : f32
    %five = arith.constant 5 : index
    %x = arith.addi %i, %five : index
    %hides = arith.cmpi ugt, %j, %x : index
    %z = arith.select %hides, %low, %s : f32""",
    "slopes": """%slope = tensor.extract {table}[%h] : {type}{extend}
    %x = arith.index_cast %i : index to i64
    %y = arith.index_cast %j : index to i64
    %difference = arith.subi %y, %x : i64
    %distance = math.absi %difference : i64
    %far = arith.sitofp %distance : i64 to f32
    %bent = arith.mulf {value}, %far : f32
    %z = arith.subf %s, %bent : f32""",
    "of_key": """%slope = tensor.extract {table}[%j] : {type}{extend}
    %z = arith.addf %s, {value} : f32""",
    "of_head_and_key": """
    %slope = tensor.extract {table}[%h, %j] : {type}{extend}
    %z = arith.addf %s, {value} : f32""",
    "of_pair": """
    %slope = tensor.extract {table}[%b, %h, %i, %j] : {type}{extend}
    %z = arith.addf %s, {value} : f32""",
}


def text(program, op):
    from compositions.text import type_of
    body = BODIES[op.attrs["score_mod"]]
    if "table" in op.operands:
        name = op.operands["table"]
        dtype = program.tensors[name].dtype
        wide = dtype == "f32"
        body = body.format(
            table=f"%{name}", type=type_of(program, name),
            extend="" if wide else
            f"\n    %wide = arith.extf %slope : {dtype} to f32",
            value="%slope" if wide else "%wide")
    return ("score_mod {\n  ^bb0(%s: f32, %b: index, %h: index, %i: index, "
            f"%j: index):\n    {body}\n    attn.yield %z : f32\n  }}")


def change(kind, scores, sizes, table=None):
    """The scores changed, and the sizes of what made them."""
    queries, keys = scores.shape[-2:]
    row, column = np.arange(queries)[:, None], np.arange(keys)
    if kind == "cap":
        return 30 * np.tanh(scores / 30), sizes
    if kind == "line":
        return scores / 2 + 0.5, sizes / 2 + 0.5
    if kind == "parity":
        return np.where((row + column) % 3 == 0, -np.inf, scores), sizes
    if kind == "far":
        return np.where(column > row + 5, -np.inf, scores), sizes
    if kind == "slopes":
        bent = table[:, None, None] * np.abs(column - row)
        return scores - bent, sizes + np.abs(bent)
    if kind == "of_head_and_key":
        table = table[:, None, :]
    return scores + table, sizes + np.abs(np.where(np.isinf(table), 0, table))
