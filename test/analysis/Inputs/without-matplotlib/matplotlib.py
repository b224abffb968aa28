# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands before the real one on PYTHONPATH, as if there were none."""

raise ImportError("no matplotlib here")
