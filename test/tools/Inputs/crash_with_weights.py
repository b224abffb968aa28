# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Crashes mixattn-compile once a temporary file with a model's weights is there, and prints what it
said and the files that it left."""

import glob
import os
import signal
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "import"))
import onnx_files as onnx

NUMBER = 200
NODES = [onnx.node("MatMul", [f"x{i}", "w"], [f"x{i + 1}"]) for i in range(NUMBER)]
with open("m.onnx", "wb") as model:
    model.write(onnx.model(NODES, [onnx.value("x0", "float32", ["B", 16])],
                           [onnx.value(f"x{NUMBER}", "float32", [])],
                           [onnx.tensor(np.ones((16, 16), np.float32), "w")]))
for delay in (0.05, 0.2, 0.8):  # it may not be ready for a crash yet, or done on a fast machine
    compiler = subprocess.Popen(["mixattn-compile", "m.onnx", "-o", "m.so"], stderr=subprocess.PIPE,
                                text=True)
    while compiler.poll() is None and not glob.glob("*.tmp"):
        pass
    time.sleep(delay)
    compiler.send_signal(signal.SIGSEGV)
    said = compiler.communicate()[1]
    if os.path.exists("m.reproducer.mlir"):
        break
    for left in set(os.listdir()) - {"m.onnx"}:
        os.remove(left)
print(said + " ".join(sorted(os.listdir())))
