# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that the checks of this folder share: which files there are, and C++
read as tokens."""

import os
import re
import sys

ROOT = sys.argv[1]
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"\((?P<rawtext>.*?)\)")
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<char>'(?:[^'\\\n]|\\.)+')
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\d[\w.']*)
      | (?P<other>\S)""",
    re.VERBOSE | re.DOTALL,
)


TOP_LEVEL = (
    "CMakeLists.txt", "dialect", "passes", "lib", "tools", "test", "examples",
    "README.md", "bench", "cmake", "scripts", ".ci", "LICENSE", "CHANGELOG.md",
    "CMakePresets.json",
)


def files(*folders, suffixes):
    """The files below `folders`, from the root, sorted; everything below
    TOP_LEVEL without folders."""
    found = []
    for folder in folders or TOP_LEVEL:
        path = os.path.join(ROOT, folder)
        if os.path.isfile(path):
            found.append(folder)
        for base, folders_below, names in os.walk(path):
            folders_below[:] = [n for n in folders_below if n != "__pycache__"]
            found += [os.path.relpath(os.path.join(base, n), ROOT) for n in names]
    return sorted(name for name in found if name.endswith(suffixes))


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def tokens(text):
    """Yields (kind, text, line) of C++; comments are left out, strings come
    without their quotes."""
    for match in TOKEN.finditer(text):
        kind, value = match.lastgroup, match.group()
        if kind == "comment":
            continue
        line = text.count("\n", 0, match.start()) + 1
        if match.group("raw"):
            kind, value = "string", match.group("rawtext")
        elif kind == "string":
            value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
            value = value.replace("\\n", "\n")
        yield kind, value, line


def finish(faults, what):
    """Prints the faults and ends the program; `what` says what was checked."""
    for fault in faults:
        print(fault)
    print(f"{what}: {len(faults)} faults")
    sys.exit(1 if faults else 0)
