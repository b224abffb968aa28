# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how large artifacts for GPUs are, and the driver that they ask for, as a table.

With --check=PAGE: whether PAGE has the table, its sizes within a tenth. Other versions of ptxas make other sizes.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = ["softmax", "mgk", "mixhead_a"]
TARGETS = ["sm_80", "sm_86", "sm_90", "sm_90a", "sm_100", "sm_120", "sm_80,sm_90a", "x86-64-v3,sm_80",
           "x86-64-v3,sm_80,sm_90a"]
# The CUDA whose driver is the first to take a version of PTX: "PTX ISA release history" in NVIDIA's manual of PTX.
DRIVERS = {"7.0": "11.0", "7.1": "11.1", "7.8": "11.8", "8.0": "12.0", "8.6": "12.7", "8.7": "12.8"}


def compile_to(folder, tool, row, target, suffix):
    source = (ROOT / "examples" / "variants" / f"{row}.mlir").read_text()
    path = pathlib.Path(folder) / f"{row}.{suffix}"
    subprocess.run([tool, "-", f"--target={target}", "-o", path], check=True, text=True,
                   input=source.replace("f32", "bf16"), stderr=subprocess.DEVNULL)
    return path


def launcher_driver():
    """The first driver that the launcher of libraries and runners takes."""
    source = (ROOT / "lib" / "Target" / "LaunchTable.cpp").read_text()
    version = int(re.search(r"leastDriver = (\d+);", source)[1])
    return f"{version // 1000}.{version % 1000 // 10}"


def ptx_of(folder, tool, chip):
    text = compile_to(folder, tool, ROWS[0], chip, "ptx").read_text()
    return re.search(r"^\.version (\S+)$", text, re.MULTILINE)[1]


def driver_of(folder, tool, target, suffix):
    """The versions of the PTX in the file, and the first driver that takes them all: a .fatbin has that of the first
    target, a library that of each target, and a launcher.
    """
    chips = [each for each in target.split(",") if each.startswith("sm_")]
    versions = [ptx_of(folder, tool, chip) for chip in (chips if suffix == "so" else chips[:1])]
    drivers = [DRIVERS[version] for version in versions]
    if suffix == "so":
        drivers.append(launcher_driver())
    return [", ".join(versions), max(drivers, key=lambda each: tuple(map(int, each.split("."))))]


def table(tool):
    rows = [["target", "file", "PTX", "CUDA of its driver"] + [f"`{row}`, KiB" for row in ROWS]]
    rows.append(["---"] * len(rows[0]))
    with tempfile.TemporaryDirectory() as folder:
        for target in TARGETS:
            suffix = "so" if "x86" in target else "fatbin"
            sizes = [compile_to(folder, tool, row, target, suffix).stat().st_size / 1024 for row in ROWS]
            rows.append([f"`{target}`", f".{suffix}", *driver_of(folder, tool, target, suffix)]
                        + [f"{size:.0f}" for size in sizes])
    return rows


def is_near(found, expected):
    """Whether two cells are the same, or sizes within a tenth."""
    if found == expected or not (found.isdigit() and expected.isdigit()):
        return found == expected
    return abs(int(found) - int(expected)) <= 0.1 * int(expected)


def has_table(page, rows):
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()]
    for first in range(len(lines) - len(rows) + 1):
        part = lines[first:first + len(rows)]
        if all(len(found) == len(row) and all(map(is_near, found, row)) for found, row in zip(part, rows)):
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", metavar="PAGE", type=pathlib.Path, action="append", default=[],
                        help="whether PAGE has the table")
    parser.add_argument("--tool", default="mixattn-compile")
    options = parser.parse_args()
    rows = table(options.tool)
    print("\n".join("| " + " | ".join(row) + " |" for row in rows))
    failing = [page for page in options.check if not has_table(page.read_text(), rows)]
    for page in failing:
        print(f"FAIL {page} has not this table")
    sys.exit(bool(failing))


if __name__ == "__main__":
    main()
