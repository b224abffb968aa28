# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command whose files may not grow beyond some bytes: limited.py BYTES
COMMAND. The exit code is the command's."""

import os
import resource
import signal
import sys

# Python ignores the signal, and so would the command.
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
bytes_ = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
os.execvp(sys.argv[2], sys.argv[2:])
