# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints an entry of many equal ops: many.py softmax|tanh|add COUNT."""

import sys

QUERY = "tensor<?x2x?x8xf32>"
MATRIX = "tensor<?x8xf32>"


def softmax(i):
    return f"attn.softmax %x{i}, %w, %w : ({QUERY}, {QUERY}, {QUERY}) -> {QUERY}"


def tanh(i):
    return f"math.tanh %x{i} : {MATRIX}"


def add(i):
    return f"arith.addf %x{i}, %w : {MATRIX}"


# The types of tensors, what makes one of the one before, and their dims.
KINDS = {"softmax": (QUERY, softmax, '"B", "N"', '"B", "S"'),
         "tanh": (MATRIX, tanh, '"N"', '"S"'), "add": (MATRIX, add, '"N"', '"N"')}


def main():
    kind, count = sys.argv[1], int(sys.argv[2])
    type, make, first, second = KINDS[kind]
    print(f'func.func @many(%x0: {type} {{attn.name = "x", attn.dims = [{first}]}},')
    print(f'    %w: {type} {{attn.name = "w", attn.dims = [{second}]}})')
    print(f'    -> ({type} {{attn.name = "y", attn.dims = [{first}]}}) {{')
    for i in range(count):
        print(f"  %x{i + 1} = {make(i)}")
    print(f"  return %x{count} : {type}\n}}")


if __name__ == "__main__":
    main()
