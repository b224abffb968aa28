# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints an entry that adds shares of each row's first number to its second,
over and over: one loop each time."""

import sys

MATRIX = "tensor<?x8xf32>"


def main():
    times = int(sys.argv[1])
    print(f'func.func @chain(%x0: {MATRIX} {{attn.name = "x", attn.dims = ["N"]}})')
    print(f'    -> ({MATRIX} {{attn.name = "y", attn.dims = ["N"]}}) {{')
    print("  %zero = arith.constant 0 : index")
    print("  %one = arith.constant 1 : index")
    print(f"  %n = tensor.dim %x0, %zero : {MATRIX}")
    for i in range(times):
        print(f"""\
  %share{i} = arith.constant {1 / (8 + i)} : f32
  %x{i + 1} = scf.for %row = %zero to %n step %one iter_args(%t = %x{i}) -> ({MATRIX}) {{
    %first = tensor.extract %t[%row, %zero] : {MATRIX}
    %second = tensor.extract %t[%row, %one] : {MATRIX}
    %part = arith.mulf %first, %share{i} : f32
    %sum = arith.addf %second, %part : f32
    %next = tensor.insert %sum into %t[%row, %one] : {MATRIX}
    scf.yield %next : {MATRIX}
  }}""")
    print(f"  return %x{times} : {MATRIX}\n}}")


if __name__ == "__main__":
    main()
