# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m mixattn` is mixattn-compile."""

from . import _programs

_programs.compile()
