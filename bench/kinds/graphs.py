# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kinds share whose rows are whole graphs."""

import re

ARGUMENT = re.compile(r"%(\w+): tensor<((?:[\d?]+x)+)(\w+)>\s*\{attn\.name = ")


def signature(source):
    """The arguments of the public function: names, sizes, -1 where open, and types."""
    head = source[:source.index("-> (")]
    return [(name, tuple(-1 if size == "?" else int(size) for size in sizes[:-1].split("x")),
             dtype) for name, sizes, dtype in ARGUMENT.findall(head)]
