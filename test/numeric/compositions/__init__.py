# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of attention ops, and what they should give."""
