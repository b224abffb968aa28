# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files that hold nothing but the fingerprints of the plots:
fingerprints.py RESULTS.json FOLDER."""

import pathlib
import sys

from bench import plots, results

RUN, FOLDER = results.read(pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2])
for name, make in plots.PLOTS.items():
    for suffix in plots.SUFFIXES:
        (FOLDER / f"{name}.{suffix}").write_text(plots.fingerprint(make(RUN)))
