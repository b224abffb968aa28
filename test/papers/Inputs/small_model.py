# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints one language model, with few words, layers and features, of all the
parts that models.py has.

    small_model.py EXAMPLES
"""

import sys

sys.path.insert(0, sys.argv[1])

from models import Band, model  # noqa: E402

SMALL = {"layers": 1, "heads": 2, "head_size": 4, "length": 5, "width": 8, "hidden": 16}
BANDS = (Band(0, 6, 8), Band(6, 10, 4))
for name, mixing, bands in (("baevski-wt103", "a", BANDS), ("synthesizer-wt103", "b", BANDS),
                            ("xl-wt103", None, BANDS[:1])):
    text = model(name, mixing, bands=bands, **SMALL)
    print(text.replace("@model(", "@" + name.replace("-", "_") + "("))
