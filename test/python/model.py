# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles an exported model and calls it: model.py MODEL.pt2 RECORDED.npz FOLDER."""

import json
import os
import struct
import sys
import threading

import mixattn
import numpy as np
from mixattn import _manifest
from refused import refused


def read(path):
    """The tensors of a safetensors file of f32, as copies."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    index = json.loads(data[8:8 + length])
    return {name: np.frombuffer(data, np.float32, (each["data_offsets"][1] - each["data_offsets"][0]) // 4,
                                8 + length + each["data_offsets"][0]).reshape(each["shape"]).copy()
            for name, each in index.items() if name != "__metadata__"}


def change(path, out, old, new):
    """A copy of a file in which each of some bytes are others, as many."""
    with open(path, "rb") as file:
        data = file.read()
    if old not in data or len(old) != len(new):
        sys.exit(f"expected {old} in {path}, and {new} to be as long")
    with open(out, "wb") as file:
        file.write(data.replace(old, new))


def main():
    source, recorded, folder = sys.argv[1:]
    arrays = np.load(recorded)
    x, right = arrays["input.x"], arrays["output"]

    def error(o):
        return f"{np.abs(o - right).max() / np.abs(right).max():.1e}"

    path = os.path.join(folder, "model.so")
    model = mixattn.compile(source, dims={"x": {0: "B", 1: "N"}}, out=path)
    print(model)
    entry = model["model"]
    # Weights are packed by the first call, whoever makes it; others wait.
    print("packed at first:", entry._packed._is_done)
    made = [None] * 4

    def call(place):
        made[place] = model(x)

    threads = [threading.Thread(target=call, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("packed then:", entry._packed._is_done)
    print("error", *(error(o) for o in made), error(model(x=x)))
    refused(model, x[:, :, :31])

    # A library that was compiled before, with weights next to it, of another file, of the caller's.
    print("loaded: error", error(mixattn.load(path)(x)))
    weights = read(os.path.join(folder, "model.safetensors"))
    os.rename(os.path.join(folder, "model.safetensors"), os.path.join(folder, "other.safetensors"))
    print("without:", mixattn.load(path)["model"].arguments == [*weights, "x"])
    print("of a file: error", error(mixattn.load(path, os.path.join(folder, "other.safetensors"))(x)))
    dotted = {name.replace("_", "."): each for name, each in weights.items()}
    print("of a state dict: error", error(mixattn.load(path, dotted)(x)))
    del dotted["norm1.weight"]
    rest = mixattn.load(path, dotted)["model"]
    print("but one:", rest.arguments, error(rest(weights["norm1_weight"], x)), rest._packed)

    # Files that are not what they should be.
    refused(mixattn.compile, source, out="model.o")
    refused(mixattn.compile, source, args=x)
    refused(mixattn.compile, x)
    refused(mixattn.compile, source, plan="quick")
    refused(mixattn.compile, os.path.join(folder, "none.mlir"))
    refused(mixattn.load, sys.argv[0])
    refused(mixattn.load, path, sys.argv[0])
    changed = os.path.join(folder, "changed")
    change(path, changed, b'{"abi":2,', b'{"abi":9,')
    refused(mixattn.load, changed)
    change(path, changed, b".mixattn.manifest", b".mixattn.manyfold")
    refused(mixattn.load, changed)
    weights_path = os.path.join(folder, "other.safetensors")
    change(weights_path, changed, b'"data_offsets":[0,', b'"data_offsets":[4,')
    refused(mixattn.load, path, changed)
    change(weights_path, changed, b'"F32"', b'"F9"' + b" ")
    refused(mixattn.load, path, changed)
    change(weights_path, changed, b'"F32"', b'"F32 ')
    refused(mixattn.load, path, changed)

    # A CPU that lacks what the code was made for.
    cpuinfo = os.path.join(folder, "cpuinfo")
    with open(cpuinfo, "w", encoding="ascii") as file:
        file.write("processor\t: 0\nflags\t\t: fpu avx avx2 fma avx512_bf16\n")
    target = {"arch": "x86_64", "cpu": "znver4",
              "features": ["64bit", "amx-tile", "avx", "avx2", "avx512bf16", "avx512f", "fma", "sse4.1"]}
    print("lacks", sorted(_manifest.lacking({"target": target}, cpuinfo), reverse=True))
    _manifest.lacking = lambda manifest: ["avx512f"]
    refused(mixattn.load, path)


main()
