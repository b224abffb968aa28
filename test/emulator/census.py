# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of a cubin's loop over key blocks, by cuobjdump.

The loop is the longest stretch with products that a branch goes back over. What a branch inside
it jumps over, such as the masks of blocks that are not seen whole, is counted
apart: a block that every query sees whole takes the rest.
"""

import argparse
import collections
import re
import subprocess
import sys

# A line of cuobjdump -sass: address, guard, opcode, operands.
LINE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P[0-9T]+ )?([A-Z0-9_.]+)"
                  r"([^;]*);", re.M)
# Bytes of an instruction.
WIDTH = 16
PRODUCTS = ("HMMA", "HGMMA")


def instructions(cubin):
    """Of each function: addresses, opcodes and operands."""
    text = subprocess.run(["cuobjdump", "-sass", cubin], check=True,
                          capture_output=True, text=True).stdout
    for part in text.split("Function : ")[1:]:
        name = part.split("\n", 1)[0].strip()
        yield name, [(int(address, 16), opcode, operands)
                     for address, opcode, operands in LINE.findall(part)]


def target_of(operands):
    found = re.findall(r"0x([0-9a-f]+)", operands)
    return int(found[-1], 16) if found else None


def loop_of(code):
    """First and last address of the longest loop with products, or none."""
    products = [address for address, opcode, _ in code
                if opcode.startswith(PRODUCTS)]
    loops = [(address - target_of(operands), target_of(operands), address)
             for address, opcode, operands in code
             if opcode.startswith("BRA") and target_of(operands) is not None
             and any(target_of(operands) <= place < address
                     for place in products)]
    return max(loops)[1:] if loops else None


def census(code):
    """Opcodes of a block that is seen whole, and how many more others take."""
    first, last = loop_of(code)
    skipped = set()
    for address, opcode, operands in code:
        inside = first <= address < last and opcode.startswith("BRA")
        if inside and address < (target_of(operands) or 0) <= last:
            skipped.update(range(address + WIDTH, target_of(operands), WIDTH))
    counts = collections.Counter(
        opcode for address, opcode, _ in code
        if first <= address <= last and address not in skipped)
    return counts, len(skipped)


def total(counts, *prefixes):
    return sum(count for opcode, count in counts.items()
               if opcode.startswith(prefixes))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("cubin")
    parser.add_argument("--all", action="store_true", help="every opcode")
    options = parser.parse_args()
    bad = 0
    for name, code in instructions(options.cubin):
        counts, more = census(code) if loop_of(code) else ({}, 0)
        every, products = sum(counts.values()), total(counts, *PRODUCTS)
        if not products:
            # What the branches of sm_90a jump over holds the products.
            print(f"{name}: no loop whose blocks of keys can be counted")
            bad += 1
            continue
        print(f"{name}: a block of keys takes {every} instructions, and {more} "
              f"more where keys are hidden; {products} HMMA, "
              f"{total(counts, 'LDSM')} LDSM, {total(counts, 'MUFU')} MUFU, "
              f"{total(counts, 'FMUL', 'FADD', 'FFMA')} of f32; "
              f"{every / products:.2f} per HMMA")
        if options.all:
            for opcode, count in counts.most_common():
                print(f"  {count:5} {opcode}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
