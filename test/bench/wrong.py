# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says whether rows' checks take the right result, one that is wrong by a
thousandth of its largest value, and one with a NaN."""

import numpy as np

from bench import rows
from bench.arguments import Arguments

for name in ("quick_dense", "charlm_mix_heads_b1_n128"):
    row = rows.all_rows()[name]
    check = row.check(Arguments(row))
    right = check.expected.reshape(row.result_shape())
    wrong, none = right.copy(), right.copy()
    wrong.flat[-1] += 1e-3 * np.abs(right).max()
    none.flat[-1] = np.nan
    told = [f"{what} {bool(check.error(result) <= check.limit)}" for what, result in
            (("right", right), ("wrong", wrong), ("none", none))]
    print(name, ", ".join(told))
