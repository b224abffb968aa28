# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of a cubin's loop over blocks of keys.

Counted is the way of a warp through a block that every query sees whole, and that
leaves the references of its rows as they are. A turn
of a warpgroup's loop has a block for each stage of its rings: counts are then
those of a block on average.
"""

import argparse
import collections
import re
import sys

import sass

# Instructions of FlashAttention-3 for a key, by features of a head: of a block
# that is seen whole, of 64 queries, in the wheel fa3-fwd 0.0.3 for bf16.
FLASH = {64: 630 / 192, 128: 593 / 176, 256: 457 / 80}


class Census:
    """The counts of one kernel's main loop, for a block of keys. A loop over heads
    inside of it has `turns` turns."""

    def __init__(self, code, turns=1):
        turn = sass.main_loop(code)
        turn += sass.inner_loop(code, turn) * (turns - 1)
        self.opcodes = collections.Counter(each.opcode for each in turn)
        self.is_warpgroup = self.total("HGMMA") > 0
        # Each block of a warpgroup's keys ends with a wait for all products.
        self.blocks = sum(map(sass.is_last_wait, turn)) or 1
        addresses = {each.address for each in turn}
        self.hidden = sum(min(addresses) <= each.address <= max(addresses)
                          and each.address not in addresses
                          for each in code) if turn else 0
        self.count_exps(turn)
        self.read_shapes(turn)

    def count_exps(self, turn):
        """How many exps are computed while a product is under way."""
        self.overlapped, under_way = 0, False
        for each in turn:
            under_way |= sass.is_product(each)
            under_way &= not sass.is_last_wait(each)
            self.overlapped += under_way and each.opcode == "MUFU.EX2"

    def read_shapes(self, turn):
        """Keys and features by the shapes of a warpgroup's products."""
        self.keys = self.features = 0
        for each in turn:
            shape = re.match(r"HGMMA\.64x(\d+)x16", each.opcode)
            if shape and "tnspB" in each.operands:
                self.features = int(shape[1])
            elif shape:
                self.keys = int(shape[1])

    def total(self, *prefixes):
        return sum(count for opcode, count in self.opcodes.items()
                   if opcode.startswith(prefixes))

    def of_block(self, *prefixes):
        return self.total(*prefixes) / self.blocks

    def every(self):
        return self.of_block("")

    def products(self):
        return self.of_block(*sass.PRODUCTS)

    def times_flash(self):
        """The part of FlashAttention-3's instructions that they are, or none."""
        if not self.keys or self.features not in FLASH:
            return None
        return self.every() / (self.keys * FLASH[self.features])

    def __str__(self):
        unit = "HGMMA" if self.is_warpgroup else "HMMA"
        text = (f"a block of keys takes {self.every():g} instructions, and "
                f"{self.hidden / self.blocks:g} more where keys are hidden or "
                f"sums rescaled; "
                f"{self.products():g} {unit}, "
                f"{self.of_block('LDSM'):g} LDSM, "
                f"{self.of_block('MUFU'):g} MUFU, "
                f"{self.of_block('FMUL', 'FADD', 'FFMA'):g} of f32")
        if not self.is_warpgroup or not self.of_block("MUFU"):
            return f"{text}; {self.every() / self.products():.2f} per {unit}"
        text += (f"; {self.overlapped / self.blocks:g} of "
                 f"{self.of_block('MUFU.EX2'):g} exps above the last wait")
        if self.times_flash():
            text += (f"; {self.times_flash():.2f} times the "
                     f"{self.keys * FLASH[self.features]:.0f} of "
                     f"FlashAttention-3 for {self.keys} keys")
        return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("cubin")
    parser.add_argument("--all", action="store_true", help="every opcode")
    options = parser.parse_args()
    bad = 0
    for name, code in sass.functions(options.cubin):
        census = Census(code)
        if not census.opcodes:
            print(f"{name}: no loop with products")
            bad += 1
            continue
        print(f"{name}: {census}")
        if options.all:
            for opcode, count in census.opcodes.most_common():
                print(f"  {count / census.blocks:6g} {opcode}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
