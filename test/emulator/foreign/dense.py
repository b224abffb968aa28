# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions that Triton takes for each product of tensor cores of
a matrix product of 2048 x 768 x 3072, block by block: dense.py [--chip=80]; for 90
with copies by TMA. Runs where Triton and NVIDIA's tools are (make.py's
environment), without a GPU. The tables in passes/plan/plan.md are what it prints,
the best of its lines a block.
"""

import argparse
import itertools
import pathlib
import sys
import tempfile

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import census  # noqa: E402
import sass  # noqa: E402

TERMS, COLUMNS = 768, 3072
BLOCKS = [(128, 256, 64), (256, 128, 64), (128, 128, 64), (128, 256, 32),
          (256, 128, 32), (128, 128, 32), (128, 64, 32), (64, 128, 32),
          (64, 256, 32), (256, 64, 32)]
BLOCKS_BY_TMA = [(128, 256, 64), (256, 128, 64), (128, 128, 64), (128, 128, 128),
                 (64, 256, 64)]


@triton.jit
def product(x, w, y, n, K: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr,
            COLUMNS: tl.constexpr, TERMS: tl.constexpr):
    """y [n,C] = x [n,K] w [K,C], sums in f32."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    term = tl.arange(0, TERMS)
    left = x + (row % n)[:, None] * K + term[None, :]
    right = w + term[:, None] * C + column[None, :]
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for _ in range(0, K, TERMS):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += TERMS
        right += TERMS * C
    tl.store(y + row[:, None] * C + column[None, :], total.to(tl.float16),
             mask=row[:, None] < n)


@triton.jit
def product_by_tma(x, w, y, steps, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
                   TERMS: tl.constexpr):
    """The same, of tensor maps. The steps are given: of a number that it knows Triton
    writes out every one."""
    row = tl.program_id(0) * ROWS
    column = tl.program_id(1) * COLUMNS
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for step in range(steps):
        total = tl.dot(x.load([row, step * TERMS]), w.load([step * TERMS, column]),
                       total)
    y.store([row, column], total.to(tl.float16))


def source_by_tma(rows, columns, terms):
    maps = {"x": (rows, terms), "w": (terms, columns), "y": (rows, columns)}
    return ASTSource(
        product_by_tma,
        {name: f"tensordesc<fp16[{height}, {width}]>"
         for name, (height, width) in maps.items()} | {"steps": "i32"},
        constexprs={"ROWS": rows, "COLUMNS": columns, "TERMS": terms})


def source(rows, columns, terms):
    return ASTSource(
        product, {"x": "*fp16", "w": "*fp16", "y": "*fp16", "n": "i32"},
        constexprs={"K": TERMS, "C": COLUMNS, "ROWS": rows, "COLUMNS": columns,
                    "TERMS": terms},
        attrs={(i,): [["tt.divisibility", 16]] for i in range(3)})


def compile_block(chip, block, stages, warps):
    """The cubin of a block of rows, columns and terms."""
    make = source_by_tma if chip == 90 else source
    return triton.compile(make(*block), target=GPUTarget("cuda", chip, 32),
                          options={"num_warps": warps, "num_stages": stages})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--chip", type=int, default=80)
    chip = parser.parse_args().chip
    print("block          stages  warps  instructions  HMMA  for each")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "product.cubin"
        blocks = BLOCKS_BY_TMA if chip == 90 else BLOCKS
        for block, stages, warps in itertools.product(blocks, (3, 4), (4, 8)):
            path.write_bytes(
                compile_block(chip, block, stages, warps).asm["cubin"])
            (_, code), = sass.functions(path)
            loop = census.Census(code)
            every, products = (count * loop.blocks for count in
                               (loop.every(), loop.products()))
            if products:
                print(f"{' x '.join(map(str, block)):13}  {stages:6}  {warps:5}  "
                      f"{every:12.0f}  {products:4.0f}  {every / products:8.2f}",
                      flush=True)


main()
