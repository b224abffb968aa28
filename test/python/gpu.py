# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls a GPU's library with tensors of a stand-in for PyTorch: gpu.py LIBRARY.so FOLDER. Its mixer is
a kept weight, which comes from a file."""

import json
import os
import struct
import sys

import mixattn
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin"))
import torch  # noqa: E402


def bits(numbers):
    """bf16's of f32's, cut."""
    return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def numbers(held):
    return (held.astype(np.uint32) << 16).view(np.float32)


class Other:
    """A tensor of another library on a GPU."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self):
        return torch.to_dlpack(self.tensor)


def main():
    path, folder = sys.argv[1:]
    random = np.random.default_rng(1)
    held = [bits(random.standard_normal(shape)) for shape in ((2, 8, 40, 64), (2, 8, 70, 64), (2, 8, 70, 64), (8, 8))]
    header = json.dumps({"mixer": {"dtype": "BF16", "shape": [8, 8], "data_offsets": [0, 128]}}).encode()
    weights = os.path.join(folder, "mixer.safetensors")
    with open(weights, "wb") as file:
        # An odd place: what lies there is moved.
        header += b" " * (len(header) % 2 == 0)
        file.write(struct.pack("<Q", len(header)) + header + held[3].tobytes())

    layer = mixattn.load(path, weights)
    q, k, v = (torch.Tensor(each, torch.bfloat16) for each in held[:3])
    wide = [numbers(each).astype(float) for each in held]
    scores = np.einsum("bhnd,bhsd->bhns", wide[0], wide[1]) / 8
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    right = np.einsum("bcns,ca,basd->band", scores / scores.sum(-1, keepdims=True), wide[3], wide[2])
    for _ in range(2):
        o = layer(q, k, v)
        error = np.abs(numbers(o.numbers()) - right).max() / np.abs(right).max()
        print(type(o).__name__, o.shape, "right" if error < 2**-6 else error)
    print("weights on GPUs:", len(layer["mixhead_a"]._on_gpus))
    for given in ((q, k, torch.Tensor(held[2][:, :4], torch.bfloat16)), (Other(q), Other(k), Other(v))):
        try:
            layer(*given)
        except (TypeError, ValueError) as what:
            print(f"{type(what).__name__}: {what}")


main()
