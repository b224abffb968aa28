# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions that Triton takes for each product of tensor cores of
a matrix product of 2048 x 768 x 3072, block by block: dense.py [--chip=80]. Runs
where Triton and NVIDIA's tools are (make.py's environment), without a GPU. The
table in passes/plan/plan.md is what it prints, the best of its lines a block.
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


def compile_block(chip, block, stages, warps):
    """The cubin of a block of rows, columns and terms."""
    rows, columns, terms = block
    source = ASTSource(
        product, {"x": "*fp16", "w": "*fp16", "y": "*fp16", "n": "i32"},
        constexprs={"K": TERMS, "C": COLUMNS, "ROWS": rows, "COLUMNS": columns,
                    "TERMS": terms},
        attrs={(i,): [["tt.divisibility", 16]] for i in range(3)})
    return triton.compile(source, target=GPUTarget("cuda", chip, 32),
                          options={"num_warps": warps, "num_stages": stages})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--chip", type=int, default=80)
    chip = parser.parse_args().chip
    print("block          stages  warps  instructions  HMMA  for each")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "product.cubin"
        for block, stages, warps in itertools.product(BLOCKS, (3, 4), (4, 8)):
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
