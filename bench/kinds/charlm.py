# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The character models of examples/charlm, from tokens of its held-out text to
logits, checked against what PyTorch recorded in double precision; texts longer than
what it recorded, against what it computes now."""

import functools
import json
from dataclasses import dataclass

import numpy as np

from bench import paths
from bench.check import Expected, distance
from bench.kinds import FEW, Row, graphs

FOLDER = paths.example("charlm")
EDITIONS = ("mixture_of_keys", "admixture_heads", "mix_heads")
SHAPES = ((1, 1), (1, 128), (16, 128), (1, 512))
# Characters of the recorded windows.
RECORDED = 128
# Of logits, relative to the largest, and of bits per character.
LIMIT = 1e-4


@functools.cache
def source_of(edition):
    return (FOLDER / f"{edition}.mlir").read_text()


def weights_of(edition):
    """The arrays of a file of safetensors, all of f32."""
    data = (FOLDER / "weights" / f"{edition}.safetensors").read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    found = {}
    for name, facts in json.loads(data[8:start]).items():
        if name != "__metadata__":
            first, last = (start + offset for offset in facts["data_offsets"])
            found[name] = np.frombuffer(data[first:last], "<f4").reshape(facts["shape"])
    return found


@dataclass(frozen=True)
class Model(Row):
    variant: str
    B: int
    N: int

    def dims(self):
        return {"B": self.B, "N": self.N}

    @property
    def is_read_bound(self):
        return self.B * self.N <= FEW

    def source(self):
        return source_of(self.variant)

    def windows(self):
        """Tokens and those that follow them, [windows of the text, 128]."""
        from characters import encode, held_out, windows
        return windows(encode(held_out()))

    def draw(self, generator):
        tokens = self.windows()[0]
        if self.N > RECORDED:
            # Windows follow each other.
            tokens = tokens.reshape(-1)[:self.B * self.N].reshape(self.B, self.N)
        tokens = tokens[:self.B, :self.N]
        values = {"tokens": tokens} | weights_of(self.variant)
        names = [name for name, _, _ in graphs.signature(self.source())]
        return ({name: values[name] for name in names},
                {name: "f32" for name in names if name != "tokens"})

    def result_shape(self):
        return self.B, self.N, 96

    def check(self, arguments):
        if self.N <= RECORDED:
            return Recorded(self)
        return Expected(self.computed(arguments), LIMIT)

    def computed(self, arguments):
        """The logits, in double precision."""
        import torch
        from model import forward
        tensors = {name: torch.from_numpy(array) for name, array in arguments.arrays.items()}
        tokens = tensors.pop("tokens")
        return forward(self.variant, {name: t.double() for name, t in tensors.items()},
                       tokens).numpy()


class Recorded:
    """The logits of the first window, and the bits of all whole ones."""

    limit = LIMIT

    def __init__(self, row):
        folder = FOLDER / "recorded"
        self.expected = np.load(folder / f"{row.variant}.npy")[0, :row.N]
        self.targets = row.windows()[1][:row.B]
        bits = json.loads((folder / f"{row.variant}.json").read_text())["bits_of_windows"]
        self.bits = np.array(bits[:row.B])

    def error(self, result):
        from characters import bits_per_window
        found = distance(result[0], self.expected)
        if result.shape[1] == self.targets.shape[1]:
            found = max(found, np.abs(bits_per_window(result, self.targets)
                                      - self.bits).max())
        return float(found)


def rows():
    for edition in EDITIONS:
        for batch, length in SHAPES:
            yield Model(f"charlm_{edition}_b{batch}_n{length}", edition, batch, length,
                        group="charlm", goals={"peer": 1.5 if batch == 1 else 1.3})


def compiled():
    for edition in EDITIONS:
        yield edition, Model(edition, edition, 1, 1), None


def remembered():
    return [row for row in rows() if row.B > 1]
