# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what a page shows of Python: pythontest.py PAGE FOLDER [FILE]...

In FOLDER, with copies of the files and the page's first ```mlir block as layer.mlir, the
```pycon blocks are run one after the other, and have to print what the page says; … stands
for any text.
"""

import doctest
import os
import re
import shutil
import sys


def main():
    name, folder, *files = sys.argv[1:]
    with open(name, encoding="utf-8") as file:
        page = file.read()
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for each in files:
        shutil.copy(each, folder)
    os.chdir(folder)
    with open("layer.mlir", "w", encoding="utf-8") as file:
        file.write(re.search(r"^```mlir\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[1])
    shown = "\n".join(re.findall(r"^```pycon\n(.*?)^```", page, re.DOTALL | re.MULTILINE))
    test = doctest.DocTestParser().get_doctest(shown.replace("…", "..."), {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    print(f"{runner.tries} statements ran, {runner.failures} of them wrong")
    sys.exit(runner.failures > 0 or not runner.tries)


main()
