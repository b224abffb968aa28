# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the three character models, measures them, and lets one write.

Each edition's graph is compiled and run with the committed weights. On the
held-out text its bits per character and logits must be what PyTorch recorded,
and the text that one writes, each character the likeliest after the last 128,
must be PyTorch's to the letter.
"""

import argparse
import io
import json
import os
import subprocess
import sys

import numpy as np

from characters import (CONTEXT, EDITIONS, bits_per_window, decode, encode, held_out, path,
                        windows)

TOLERANCE = 1e-4
BATCH = 32


class Model:
    """A compiled edition, run by mixattn-run with its weights."""

    def __init__(self, edition, folder, out):
        self.edition = edition
        self.runner = os.path.join(folder, "mixattn-run")
        self.library = os.path.join(out, edition + ".so")
        call([os.path.join(folder, "mixattn-compile"), path(edition + ".mlir"),
              "-o", self.library])
        with open(path("recorded", edition + ".json"), encoding="ascii") as file:
            self.recorded = json.load(file)
        self.recorded_logits = np.load(path("recorded", edition + ".npy"))

    def logits(self, tokens):
        """Tokens [B,N] to logits [B,N,V]."""
        file = io.BytesIO()
        np.save(file, tokens)
        weights = path("weights", self.edition + ".safetensors")
        output = call([self.runner, self.library, "--weights=" + weights,
                       "--input=tokens=-", "--output=logits=-"], file.getvalue())
        return np.load(io.BytesIO(output))

    def measure(self, count):
        """Bits per character of the first `count` windows of the held-out text,
        ours and PyTorch's, and the largest error of the logits of the first."""
        inputs, targets = (part[:count] for part in windows(encode(held_out())))
        logits = np.concatenate([self.logits(inputs[i : i + BATCH])
                                 for i in range(0, len(inputs), BATCH)])
        error = np.abs(logits[0] - self.recorded_logits).max()
        bits = bits_per_window(logits, targets)
        return bits.mean(), np.mean(self.recorded["bits_of_windows"][: len(bits)]), error

    def write(self, count):
        """The `count` likeliest characters after the recorded prompt."""
        tokens = list(encode(self.recorded["prompt"]))
        for _ in range(count):
            tokens.append(int(self.logits(np.array([tokens[-CONTEXT:]]))[0, -1].argmax()))
        return decode(tokens[-count:])


def call(command, data=None):
    """The output of a command; ends the program where it fails."""
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(f"run.py: error: '{os.path.basename(command[0])}' failed")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", default="build/bin", metavar="DIR",
                        help="where mixattn-compile and mixattn-run lie (%(default)s)")
    parser.add_argument("--out", default="build/charlm", metavar="DIR",
                        help="where the libraries go (%(default)s)")
    parser.add_argument("editions", nargs="*", metavar="EDITION",
                        help=", ".join(EDITIONS) + "; default all; the first one writes")
    parser.add_argument("--windows", type=int, metavar="N",
                        help="windows of the held-out text to measure on; default all")
    parser.add_argument("--characters", type=int, default=200, metavar="N",
                        help="characters to write (%(default)s)")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)

    editions = arguments.editions or EDITIONS
    for edition in editions:
        if edition not in EDITIONS:
            parser.error(f"expected an edition, but got '{edition}'")
    models = [Model(edition, arguments.bin, arguments.out) for edition in editions]
    right = True
    print("bits per character  compiled  PyTorch  order 2  logits within")
    for model in models:
        bits, expected, error = model.measure(arguments.windows)
        print(f"  {model.edition:16}  {bits:8.4f}  {expected:7.4f}  "
              f"{model.recorded['order2_bits']:7.4f}  {error:13.1e}")
        right &= abs(bits - expected) <= TOLERANCE and error <= TOLERANCE

    model = models[0]
    text = model.write(arguments.characters)
    same = text == model.recorded["text"][: arguments.characters]
    print(f"\n{model.edition} writes:\n\n{model.recorded['prompt']}{text}\n")
    print(f"{len(text)} characters, {'as' if same else 'not as'} PyTorch wrote them")
    sys.exit(0 if right and same else 1)


main()
