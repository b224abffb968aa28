# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The OpenMP library that compiled code runs on."""

from __future__ import annotations

import ctypes
import os

from . import _programs

NAME = "libomp.so.5"


def load() -> None:
    """Loads the package's, so that libraries that name it find it, unless the process holds one:
    two of them would not share their threads. Without any the system's is looked for."""
    try:
        ctypes.CDLL(NAME, os.RTLD_NOLOAD)
        return
    except OSError:
        pass
    path = os.path.join(_programs.FOLDER, NAME)
    if os.path.exists(path):
        ctypes.CDLL(path)
