# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX instructions that lanes of a warp, or warps of a block, do together."""

import re

import numpy as np

from operands import HALVES, address_reader, names, reader
from ptx import LANES, PtxError

LANE = np.arange(LANES)
ROW, COLUMN = LANE // 4, LANE % 4 * 2


def decode_copy(operands):
    target, source = map(address_reader, operands[:2])
    size, given = int(operands[2]), reader(operands[3])

    def run(warp, mask):
        bytes_given = np.broadcast_to(given(warp, np.uint32), LANES)
        reads = mask & (bytes_given > 0)
        if not np.isin(bytes_given[mask], (0, size)).all():
            raise PtxError("part of a copy")
        values = warp.block.memory.load(source(warp), size, reads)
        to = target(warp)
        warp.block.shared.store(to, np.full((LANES, size), 0xFF, np.uint8),
                                mask)
        warp.begun.append((to, values, mask.copy()))
    return run


def commit(warp, mask):
    warp.groups.append(warp.begun)
    warp.begun = []


def all_lanes(mask):
    if not mask.all():
        raise PtxError("not all lanes take part")


def wait_at_barrier(warp, mask):
    all_lanes(mask)
    warp.waits = True


def decode_shuffle(operands):
    target, value, distance = operands[0], *map(reader, operands[1:3])
    if operands[3:] != ["31", "-1"]:
        raise PtxError("an unknown shuffle")

    def run(warp, mask):
        all_lanes(mask)
        by = np.broadcast_to(distance(warp, np.uint32), LANES)
        warp.write(target, value(warp, np.uint32)[LANE ^ by], mask)
    return run


def decode_ldmatrix(operands, transposed):
    """Four squares of 8 by 8 of 16 bits; lane 8 m + r gives the address of row
    r of square m."""
    targets, addresses = names(operands[0]), address_reader(operands[1])

    def run(warp, mask):
        all_lanes(mask)
        found = warp.block.shared.load(addresses(warp), 16, mask)
        squares = found.view(np.uint16).reshape(4, 8, 8)
        if transposed:
            squares = squares.transpose(0, 2, 1)
        for name, square in zip(targets, squares):
            pair = np.stack([square[ROW, COLUMN], square[ROW, COLUMN + 1]], -1)
            warp.write(name, pair.view(np.uint32)[:, 0], mask)
    return run


def decode_mma(operands, kind):
    """D[16,8] = A[16,16] B[16,8] + C[16,8]; the sums are rounded once."""
    targets, *sources = map(names, operands)
    a, b, c = (list(map(reader, source)) for source in sources)

    def halves(warp, read):
        bits = np.broadcast_to(read(warp, np.uint32), LANES)
        return HALVES[kind](np.ascontiguousarray(bits).view(np.uint16)
                            .reshape(LANES, 2)).T.astype("f8")

    def run(warp, mask):
        all_lanes(mask)
        left, right = np.zeros((16, 16)), np.zeros((16, 8))
        for r, read in enumerate(a):
            for e, part in enumerate(halves(warp, read)):
                left[ROW + 8 * (r % 2), COLUMN + 8 * (r // 2) + e] = part
        for r, read in enumerate(b):
            for e, part in enumerate(halves(warp, read)):
                right[COLUMN + 8 * r + e, ROW] = part
        product = left @ right
        for r, (name, read) in enumerate(zip(targets, c)):
            own = product[ROW + 8 * (r // 2), COLUMN + r % 2]
            warp.write(name, (own + read(warp, np.float32)).astype("f4"), mask)
    return run


def decode(opcode, operands):
    """The function of a warp and its lanes that executes an instruction."""
    mma = re.fullmatch(r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32"
                       r"\.(b?f16)\.\1\.f32", opcode)
    if mma:
        return decode_mma(operands, mma[1])
    ldmatrix = re.fullmatch(r"ldmatrix\.sync\.aligned\.m8n8\.x4"
                            r"(\.trans)?\.shared\.b16", opcode)
    if ldmatrix:
        return decode_ldmatrix(operands, bool(ldmatrix[1]))
    if opcode == "shfl.sync.bfly.b32":
        return decode_shuffle(operands)
    if opcode == "cp.async.cg.shared.global":
        return decode_copy(operands)
    if opcode == "cp.async.commit_group":
        return commit
    if opcode == "cp.async.wait_group":
        pending = int(operands[0])
        return lambda warp, mask: warp.land(pending)
    if opcode == "bar.sync" and operands == ["0"]:
        return wait_at_barrier
    raise PtxError(f"an unknown instruction '{opcode}'")
