# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of the package, for PATH and for mixattn.compile."""

from __future__ import annotations

import os
import shutil
import sys

#: Where the wheel has them.
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")


def find(name: str) -> str:
    """The path of a program: the package's; in a source tree, which has none, that of PATH.
    FileNotFoundError where there is neither."""
    own = os.path.join(FOLDER, name)
    path = own if os.path.exists(own) else shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"expected {name} in {FOLDER} or on PATH, but it is in neither")
    return path


def _become(name: str, holder: str) -> None:
    held = os.path.join(FOLDER, holder)
    os.execv(held if os.path.exists(held) else find(name), [name, *sys.argv[1:]])


def compile() -> None:
    """mixattn-compile, as a command."""
    _become("mixattn-compile", "mixattn-compile")


def run() -> None:
    """mixattn-run, as a command."""
    _become("mixattn-run", "mixattn-run")


def opt() -> None:
    """mixattn-opt, as a command: the wheel's mixattn-compile is both, by the name it is called as."""
    _become("mixattn-opt", "mixattn-compile")
