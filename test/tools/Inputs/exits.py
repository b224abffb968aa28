# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command; succeeds if its exit code is the one that is named first."""

import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
if code != int(sys.argv[1]):
    print(f"expected exit code {sys.argv[1]}, but got {code}")
    sys.exit(1)
