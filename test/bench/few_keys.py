# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how large the expected results are of the queries that an attention is
checked at. Under a causal mask with fewer keys than queries the first of these
see none."""

import numpy as np

from bench.arguments import Arguments
from bench.check import Oracle
from bench.kinds.attention import Attention

row = Attention("few", "softmax", 254, S=115, sizes={"H": 1, "D": 16}, causal=True)
for (_, start, stop), expected in Oracle(Arguments(row)).expected.items():
    print(f"queries {start} to {stop - 1}: {'some' if np.any(expected) else 'zeros'}")
