# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The effect of each instruction of PTX on a warp (PTX ISA 8.0, sm_80)."""

import numpy as np

import collectives
import ptx
from operands import HALVES, address_reader, names, reader, to_half
from ptx import DTYPES, LANES, PtxError

ARITHMETIC = {
    "add": np.add, "add.rn": np.add, "sub": np.subtract,
    "sub.rn": np.subtract, "mul.lo": np.multiply, "mul.rn": np.multiply,
    "div.rn": np.divide, "min": np.fmin, "max": np.fmax,
    "min.NaN": np.minimum, "max.NaN": np.maximum, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert,
    "neg": np.negative, "abs": np.abs, "sqrt.rn": np.sqrt,
    "rcp.rn": lambda x: np.float32(1) / x,
    "mad.lo": lambda x, y, z: x * y + z,
    "fma.rn": lambda x, y, z: fused(x, y, z),
    "ex2.approx.ftz": lambda x: flushed(np.exp2(flushed(x).astype("f8"))),
    "lg2.approx.ftz": lambda x: flushed(np.log2(flushed(x).astype("f8"))),
    "copysign": lambda sign, x: np.copysign(x, sign),
}
COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}
ROUNDINGS = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor,
             "rpi": np.ceil}


def fused(x, y, z):
    """x y + z, rounded once; in f64 the product of two f32 is exact."""
    if x.dtype != np.float32:
        return x * y + z
    return (x.astype("f8") * y + z).astype(np.float32)


def flushed(x):
    """As f32, with subnormal numbers as zero."""
    x = np.asarray(x).astype(np.float32)
    return np.where(np.abs(x) < np.finfo(np.float32).tiny,
                    np.copysign(np.float32(0), x), x)


def memory_of(space):
    """warp to the memory that a space means; without one, the device's."""
    if space == "shared":
        return lambda warp: warp.block.shared
    return lambda warp: warp.block.memory


def decode_elementwise(function, dtype, operands):
    target, *sources = operands
    readers = [reader(source) for source in sources]
    dtype = DTYPES[dtype]

    def run(warp, mask):
        result = function(*(read(warp, dtype) for read in readers))
        warp.write(target, np.asarray(result).astype(dtype), mask)
    return run


def decode_wide(name, dtype, operands):
    """Products twice as wide as their factors, or the upper half of them."""
    target, *readers = operands[0], *map(reader, operands[1:])
    narrow = DTYPES[dtype]
    wide = np.dtype(f"{narrow.kind}{2 * narrow.itemsize}")

    def run(warp, mask):
        result = (readers[0](warp, narrow).astype(wide)
                  * readers[1](warp, narrow).astype(wide))
        if name == "mad.wide":
            result = result + readers[2](warp, wide)
        if name == "mul.hi":
            result = (result >> wide.type(8 * narrow.itemsize)).astype(narrow)
        warp.write(target, result, mask)
    return run


def decode_shift(name, dtype, operands):
    target, value, by = operands[0], *map(reader, operands[1:])
    dtype = DTYPES[dtype]

    def run(warp, mask):
        width = 8 * dtype.itemsize
        amount = by(warp, np.uint32).astype(np.uint64)
        x, small = value(warp, dtype), np.minimum(amount, width - 1)
        shifted = (x << small.astype(dtype) if name == "shl"
                   else x >> small.astype(dtype))
        beyond = x >> dtype.type(width - 1) if name == "shr" and \
            dtype.kind == "i" else dtype.type(0)
        warp.write(target, np.where(amount < width, shifted, beyond), mask)
    return run


def decode_compare(words, operands):
    target, *readers = operands[0], *map(reader, operands[1:])
    comparison, dtype = words[0], DTYPES[words[-1]]
    unordered = comparison not in COMPARISONS and comparison.endswith("u")
    function = {"num": lambda x, y: ~np.isnan(x) & ~np.isnan(y),
                "nan": lambda x, y: np.isnan(x) | np.isnan(y)}.get(
        comparison) or COMPARISONS[comparison[:2]]

    def run(warp, mask):
        x, y = readers[0](warp, dtype), readers[1](warp, dtype)
        result = function(x, y)
        if unordered:
            result = result | np.isnan(x) | np.isnan(y)
        elif comparison == "ne" and words[-1] in ("f32", "f64"):
            result = result & ~np.isnan(x) & ~np.isnan(y)
        if len(words) == 3:
            other = readers[2](warp, np.bool_)
            result = result & other if words[1] == "and" else result | other
        warp.write(target, result, mask)
    return run


def decode_select(dtype, operands):
    target, x, y, choose = operands[0], *map(reader, operands[1:])
    dtype = DTYPES[dtype]

    def run(warp, mask):
        warp.write(target, np.where(choose(warp, np.bool_), x(warp, dtype),
                                    y(warp, dtype)), mask)
    return run


def decode_move(dtype, operands):
    target, source = operands
    if target[0] == "{" or source[0] == "{":
        return decode_joined(names(target), names(source), DTYPES[dtype])
    return decode_elementwise(lambda x: x, dtype, operands)


def decode_joined(targets, sources, dtype):
    """Several registers to one, or one to several."""
    readers = list(map(reader, sources))

    def run(warp, mask):
        part = np.dtype(f"u{dtype.itemsize // len(sources)}")
        parts = [np.broadcast_to(read(warp, part), LANES) for read in readers]
        whole = np.stack(parts, -1).view(f"u{dtype.itemsize // len(targets)}")
        for name, value in zip(targets, whole.T):
            if name != "_":
                warp.write(name, value, mask)
    return run


def decode_convert(words, operands):
    target, *readers = operands[0], *map(reader, operands[1:])
    *how, to, of = words
    if to in ("bf16x2", "f16x2") and how == ["rn"] and of == "f32":
        def run(warp, mask):
            high, low = (to_half(np.broadcast_to(read(warp, np.float32),
                                                 LANES), to[:-2])
                         for read in readers)
            warp.write(target, high.astype(np.uint32) << 16 | low, mask)
        return run
    if to in HALVES and how == ["rn"] and of == "f32":
        return lambda warp, mask: warp.write(
            target, to_half(readers[0](warp, np.float32), to), mask)
    if of in HALVES and to == "f32" and not how:
        return lambda warp, mask: warp.write(
            target, HALVES[of](readers[0](warp, np.uint16)), mask)
    rounding = [word for word in how if word not in ("rn", "ftz")]
    if len(rounding) > 1 or set(rounding) - set(ROUNDINGS):
        raise PtxError("an unknown conversion")

    def run(warp, mask):
        value = readers[0](warp, DTYPES[of])
        if rounding:
            value = ROUNDINGS[rounding[0]](value)
        warp.write(target, np.asarray(value).astype(DTYPES[to]), mask)
    return run


def decode_extract(dtype, operands):
    target, value, first, length = operands[0], *map(reader, operands[1:])
    dtype = DTYPES[dtype]

    def run(warp, mask):
        count = length(warp, np.uint32).astype(dtype)
        bits = value(warp, dtype) >> first(warp, np.uint32).astype(dtype)
        warp.write(target, bits & (dtype.type(1) << count) - dtype.type(1),
                   mask)
    return run


def decode_load(space, dtype, operands):
    targets, dtype = names(operands[0]), DTYPES[dtype]
    if space == "param":
        name = operands[1].strip("[]")
        # A register may be wider than what it gets.
        return lambda warp, mask: warp.write(
            targets[0], np.full(LANES, warp.block.parameters[name], dtype)
            .astype(warp.type_of(targets[0])), mask)
    addresses, memory = address_reader(operands[1]), memory_of(space)

    def run(warp, mask):
        size = dtype.itemsize * len(targets)
        found = memory(warp).load(addresses(warp), size, mask)
        for name, value in zip(targets, found.view(dtype).T):
            # A register may be wider than what it gets.
            width = warp.type_of(name).itemsize
            wide = np.dtype(f"{np.dtype(dtype).kind}{width}")
            warp.write(name, value.astype(wide), mask)
    return run


def decode_store(space, dtype, operands):
    addresses, memory = address_reader(operands[0]), memory_of(space)
    sources, dtype = names(operands[1]), DTYPES[dtype]

    def part(warp, source):
        # A register may be wider than what is taken of it.
        wide = warp.type_of(source) if source[0] == "%" else dtype
        value = np.broadcast_to(reader(source)(warp, wide), LANES)
        return value.view(f"u{value.itemsize}").astype(
            f"u{np.dtype(dtype).itemsize}")

    def run(warp, mask):
        values = np.stack([part(warp, source) for source in sources], -1)
        memory(warp).store(addresses(warp), values.view(np.uint8), mask)
    return run


def decode_branch(operands, labels):
    place = labels[operands[0]]

    def run(warp, mask):
        warp.places[mask] = place
    return run


def do_return(warp, mask):
    warp.places[mask] = ptx.END


def decode(opcode, operands, labels):
    """The function of a warp and its lanes that executes an instruction."""
    *head, dtype = opcode.split(".")
    name = ".".join(head)
    if name in ARITHMETIC:
        return decode_elementwise(ARITHMETIC[name], dtype, operands)
    if name in ("mul.wide", "mad.wide") or name == "mul.hi" and "64" not in dtype:
        return decode_wide(name, dtype, operands)
    if name in ("shl", "shr"):
        return decode_shift(name, dtype, operands)
    if head[:1] == ["setp"]:
        return decode_compare([*head[1:], dtype], operands)
    if name == "selp":
        return decode_select(dtype, operands)
    if name == "bfe":
        return decode_extract(dtype, operands)
    if head[:1] == ["cvt"]:
        return decode_convert([*head[1:], dtype], operands)
    if name in ("mov", "cvta.to.global"):
        return decode_move(dtype, operands)
    if head[:1] in (["ld"], ["st"]):
        words = [word for word in head[1:] if word not in ("nc", "v2", "v4")]
        if words not in ([], ["param"], ["global"], ["shared"]):
            raise PtxError(f"an unknown instruction '{opcode}'")
        how = decode_load if head[0] == "ld" else decode_store
        return how("".join(words), dtype, operands)
    if opcode in ("bra", "bra.uni"):
        return decode_branch(operands, labels)
    if opcode == "ret":
        return do_return
    return collectives.decode(opcode, operands)
