# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that have to fail."""

import sys


def refused(call, *args, **kwargs):
    """Prints the error of a call; ends the program if there is none."""
    try:
        call(*args, **kwargs)
    except Exception as what:
        print(f"{type(what).__name__}: {what}")
        return
    sys.exit(f"expected a refusal of {args} {kwargs}")
