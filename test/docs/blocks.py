# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints every ```mlir block of the given pages, split by // -----."""

import re
import sys

found = []
for page in sys.argv[1:]:
    with open(page, encoding="utf-8") as file:
        for block in re.findall(r"^ *```mlir\n(.*?)^ *```", file.read(),
                                re.DOTALL | re.MULTILINE):
            found.append(f"// {page}\n{block}")
print("\n// -----\n\n".join(found))
