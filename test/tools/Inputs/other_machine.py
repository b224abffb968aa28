# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies an ELF file and says that it is for another processor:
other_machine.py FILE NUMBER COPY, with the number that ELF gives it."""

import sys

# Where an ELF header has it, in two bytes.
MACHINE = 18

with open(sys.argv[1], "rb") as file:
    content = bytearray(file.read())
content[MACHINE:MACHINE + 2] = int(sys.argv[2]).to_bytes(2, "little")
with open(sys.argv[3], "wb") as file:
    file.write(content)
