# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles an exported model, runs it and compares with PyTorch's results in
double precision: run.py NAME OUT [--onnx] [COMPILER OPTION]...

Every result is within 1e-4 of its largest number; integers are the same.
"""

import os
import subprocess
import sys

import numpy as np

from compare import compare, run

HERE = os.path.dirname(os.path.abspath(__file__))


def expected_of(name, out):
    """The inputs as an .npz file, and the results."""
    charlm = os.path.join(HERE, "..", "..", "examples", "charlm")
    recorded = os.path.join(charlm, "recorded", name + ".npy")
    inputs = os.path.join(out, name + "-inputs.npz")
    if os.path.exists(recorded):
        sys.path.insert(0, charlm)
        from characters import encode, held_out, windows
        np.savez(inputs, tokens=windows(encode(held_out()))[0][:1])
        weights = os.path.join(charlm, "weights", name + ".safetensors")
        return inputs, {"output": np.load(recorded)}, [weights]
    with np.load(os.path.join(HERE, "Inputs", name + ".npz")) as arrays:
        np.savez(inputs, **{key[6:]: arrays[key] for key in arrays if key.startswith("input.")})
        return inputs, {key: arrays[key] for key in arrays if not key.startswith("input.")}, []


def main():
    name, out, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, name)
    inputs, expected, weights = expected_of(name, out)
    is_onnx = "--onnx" in options
    script, graph, model = ("onnx_archive.py", ".onnx.json", path + ".onnx") if is_onnx else \
        ("archive.py", ".json", path + ".pt2")
    subprocess.run([sys.executable, os.path.join(HERE, script),
                    os.path.join(HERE, "Inputs", name + graph), model, *weights], check=True)
    subprocess.run(["mixattn-compile", model, "-o", path + ".so",
                    *(each for each in options if each != "--onnx")], check=True)
    sys.exit(not compare(name, run(path, inputs), expected))


main()
