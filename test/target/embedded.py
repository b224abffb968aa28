# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of the layers of embedded.test: embedded.py OUT.safetensors, f32, bf16 or i64, NAME=SHAPE[=VALUE]...
with VALUE everywhere, or small numbers, some below 0. VALUE "hole" is a last tensor of zeros, which take
no room on the disk.
"""

import json
import struct
import sys

import numpy as np


def main():
    path, dtype, *named = sys.argv[1:]
    index, data = {}, b""
    for each in named:
        name, shape, *value = each.split("=")
        shape = [int(size) for size in shape.split("x")]
        if value == ["hole"]:
            end = len(data) + 4 * int(np.prod(shape))
            index[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), end]}
            break
        values = (np.arange(np.prod(shape)) * 7 % 23 / 8 - 1).astype(np.float32)
        if value:
            values[:] = float(value[0])
        bits = (values if dtype == "f32" else values.astype(np.int64) if dtype == "i64" else
                (values.view(np.uint32) >> 16).astype(np.uint16)).tobytes()
        index[name] = {"dtype": dtype.upper(), "shape": shape, "data_offsets": [len(data), len(data) + len(bits)]}
        data += bits
        end = len(data)
    header = json.dumps(index).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + data)
        file.truncate(8 + len(header) + end)


main()
