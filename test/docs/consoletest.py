# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what a page shows: consoletest.py PAGE SOURCES BUILD FOLDER [FILE]...

In FOLDER, with `build` and `examples` as in the root of the repository, copies
of the files and the page's first ```mlir block as layer.mlir, every `$ command` of the page's
```console blocks is run, and has to print what the page says. Numbers and the
width of gaps may differ, and a line that is … stands for any lines.
scripts/*.sh are not run: they build and test, and are tested on their own.
"""

import os
import re
import shutil
import subprocess
import sys


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


def pattern(shown):
    """A regular expression for the output that the page shows."""
    lines = []
    for line in shown.strip().split("\n"):
        if line.strip() in ("…", ""):
            lines.append(r"(?:.*\n)*?")
            continue
        parts = re.split(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", re.sub(r"\s+", " ", line.strip()))
        number = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
        lines.append(number.join(re.escape(part) for part in parts) + "\n")
    return "".join(lines)


def main():
    name, sources, build, folder, *files = sys.argv[1:]
    with open(name, encoding="utf-8") as file:
        page = file.read()
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.symlink(build, os.path.join(folder, "build"))
    os.symlink(os.path.join(sources, "examples"), os.path.join(folder, "examples"))
    for each in files:
        shutil.copy(each, folder)
    with open(os.path.join(folder, "layer.mlir"), "w", encoding="utf-8") as file:
        file.write(blocks(page, "mlir")[0])

    count = 0
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            while command.endswith("\\"):
                more, _, shown = shown.partition("\n")
                command = command[:-1] + more
            if command.startswith("scripts/"):
                continue
            ran = subprocess.run(command, shell=True, cwd=folder, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
            output = "".join(re.sub(r"\s+", " ", line.strip()) + "\n"
                             for line in ran.stdout.strip().split("\n"))
            if ran.returncode or not re.fullmatch(pattern(shown), output):
                sys.exit(f"{name}: $ {command}\nexpected:\n{shown}\n"
                         f"got (exit {ran.returncode}):\n{ran.stdout}")
            count += 1
    print(f"{count} commands ran")


main()
