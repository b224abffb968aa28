# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""crash.py EXAMPLE.mlir: crashes mixattn-compile while its passes run, on many
copies of the example, and prints what it said and its exit code. Leaves
short.reproducer.mlir, the reproducer with one copy."""

import pathlib
import re
import signal
import subprocess
import sys
import time

source = pathlib.Path(sys.argv[1]).read_text()
source = source[source.index("func.func"):]
name = re.search(r"@(\w+)", source).group(1)
pathlib.Path("many.mlir").write_text(
    "\n".join(source.replace("@" + name, f"@{name}_{i}") for i in range(200)))

for delay in (0.5, 1, 2, 4):  # a loaded machine may still be starting it
    compiler = subprocess.Popen(
        ["mixattn-compile", "many.mlir", "--target=x86-64-v3", "-o", "many.so"],
        stderr=subprocess.PIPE, text=True)
    time.sleep(delay)
    compiler.send_signal(signal.SIGSEGV)
    said = compiler.communicate()[1]
    reproducer = pathlib.Path("many.reproducer.mlir")
    if reproducer.exists() and "{-#" in reproducer.read_text():
        break
print(said + f"exit {compiler.returncode}")
text = reproducer.read_text()
pathlib.Path("short.reproducer.mlir").write_text(source + text[text.index("{-#"):])
