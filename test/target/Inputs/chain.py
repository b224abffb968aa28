# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints an entry that takes the mean of each row from it, over and over: four
loops each time."""

import sys

MATRIX, COLUMN = "tensor<?x8xf32>", "tensor<?xf32>"


def main():
    times = int(sys.argv[1])
    print(f'func.func @chain(%x0: {MATRIX} {{attn.name = "x", attn.dims = ["N"]}})')
    print(f'    -> ({MATRIX} {{attn.name = "y", attn.dims = ["N"]}}) {{')
    print("  %zero = arith.constant 0.0 : f32")
    print("  %first = arith.constant 0 : index")
    print(f"  %n = tensor.dim %x0, %first : {MATRIX}")
    for i in range(times):
        print(f"""\
  %share{i} = arith.constant {1 / (8 + i)} : f32
  %column{i} = tensor.empty(%n) : {COLUMN}
  %none{i} = linalg.fill ins(%zero : f32) outs(%column{i} : {COLUMN}) -> {COLUMN}
  %sum{i} = linalg.reduce {{arith.addf}} ins(%x{i} : {MATRIX})
      outs(%none{i} : {COLUMN}) dimensions = [1]
  %empty{i} = tensor.empty(%n) : {MATRIX}
  %wide{i} = linalg.broadcast ins(%sum{i} : {COLUMN}) outs(%empty{i} : {MATRIX})
      dimensions = [1]
  %shares{i} = linalg.fill ins(%share{i} : f32) outs(%empty{i} : {MATRIX}) -> {MATRIX}
  %mean{i} = arith.mulf %wide{i}, %shares{i} : {MATRIX}
  %x{i + 1} = arith.subf %x{i}, %mean{i} : {MATRIX}""")
    print(f"  return %x{times} : {MATRIX}\n}}")


if __name__ == "__main__":
    main()
