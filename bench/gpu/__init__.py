# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on a GPU: made where the compiler is, checked and timed where the GPU is.

`make` leaves a folder of artifacts with mixattn-run, which needs no LLVM: carry the
folder and this repository to the machine with the GPU, and do the other steps there.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "numeric")]


class Failure(Exception):
    """Something that the caller can change."""
