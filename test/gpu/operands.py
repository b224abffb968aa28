# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of instructions of PTX, and numbers of 16 bits."""

import re

import numpy as np

from ptx import LANES, PtxError

# From bits to f32.
HALVES = {"bf16": lambda bits: (bits.astype(np.uint32) << 16).view(np.float32),
          "f16": lambda bits: bits.view(np.float16).astype(np.float32)}


def to_half(x, kind):
    """The bits of f32 rounded to 16 bits, to nearest even."""
    if kind == "f16":
        return x.astype(np.float16).view(np.uint16)
    bits = np.ascontiguousarray(x).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(x), 0x7FFF, rounded).astype(np.uint16)


def reader(operand):
    """(warp, type) to the lanes' values."""
    if re.fullmatch(r"%(tid|ctaid|ntid|nctaid)\.[xyz]|%laneid", operand):
        return lambda warp, dtype: warp.block.special(warp, operand)
    if operand[0] == "%":
        return lambda warp, dtype: warp.read(operand, dtype)
    if re.fullmatch(r"0[fd][0-9a-fA-F]+", operand):
        bits = np.dtype("u4" if operand[1] == "f" else "u8").type(
            int(operand[2:], 16))
        return lambda warp, dtype: bits.view(dtype)
    if re.fullmatch(r"-?\d+", operand):
        return lambda warp, dtype: np.array(
            int(operand) % (1 << 8 * np.dtype(dtype).itemsize),
            f"u{np.dtype(dtype).itemsize}").view(dtype)
    if re.fullmatch(r"\w+", operand):
        return lambda warp, dtype: np.dtype(dtype).type(
            warp.block.symbols[operand])
    raise PtxError(f"an operand '{operand}'")


def address_reader(operand):
    """warp to the addresses that [base+offset] gives."""
    base, offset = re.fullmatch(r"\[([^+\]]+)(?:\+(-?\d+))?\]",
                                operand).groups()
    read, offset = reader(base), np.uint64(int(offset or 0) % (1 << 64))
    return lambda warp: np.broadcast_to(read(warp, np.uint64) + offset,
                                        LANES)


def names(operand):
    """The registers of {a, b}, or of a alone."""
    return re.findall(r"[^\s{},]+", operand)
