# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every variant of the list has its file, its row in the README
next to it, its formula, its signature and its test, and no other has."""

import pathlib
import re
import sys

import oracle
import run_variant
import signatures

HERE = pathlib.Path(__file__).resolve().parent
VARIANTS = run_variant.FOLDERS[0]


def main():
    names = {file.stem for file in VARIANTS.glob("*.mlir")}
    readme = (VARIANTS / "README.md").read_text()
    inputs = {file.stem for file in (HERE / "Inputs").glob("*.mlir")}
    places = {
        "README.md": re.findall(r"^\| `(\w+)` \|", readme, re.MULTILINE),
        "signatures.py": set(signatures.SIGNATURES) - inputs,
        "oracle/": set(oracle.VARIANTS) - inputs,
        "test/numeric/": [name for name in names
                          if (HERE / f"{name}.test").exists()],
    }
    faults = [f"{place}: {name} is {'missing' if name in names else 'too much'}"
              for place, held in places.items()
              for name in sorted(names.symmetric_difference(held))]
    print(*faults, f"{len(names)} variants, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
