# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the three character models, measures them, and lets one write.

Each edition's graph is compiled and run with the committed weights. On the
held-out text its bits per character and logits must be what PyTorch recorded,
and the text that one writes, each character the likeliest after all before,
must be PyTorch's to the letter. It is written in this process, a character a
call, whose keys and values go into caches.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import time

import numpy as np

from characters import EDITIONS, bits_per_window, decode, encode, held_out, path, windows

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

TOLERANCE = 1e-4
BATCH = 32


class Model:
    """A compiled edition with its weights: mixattn-run measures it, and the
    package mixattn has it write."""

    def __init__(self, edition, folder, out):
        self.edition = edition
        self.runner = os.path.join(folder, "mixattn-run")
        self.library = os.path.join(out, edition + ".so")
        self.weights = path("weights", edition + ".safetensors")
        call([os.path.join(folder, "mixattn-compile"), path(edition + ".mlir"),
              "-o", self.library])
        with open(path("recorded", edition + ".json"), encoding="ascii") as file:
            self.recorded = json.load(file)
        self.recorded_logits = np.load(path("recorded", edition + ".npy"))

    def logits(self, tokens):
        """Tokens [B,N] to logits [B,N,V]."""
        file = io.BytesIO()
        np.save(file, tokens)
        output = call([self.runner, self.library, "--entry=" + self.edition,
                       "--weights=" + self.weights, "--input=tokens=-", "--output=logits=-"],
                      file.getvalue())
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
        """The `count` likeliest characters after the recorded prompt, and the
        seconds that they took."""
        sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
        import mixattn  # Weights that do not fit have been refused by now.
        step = mixattn.load(self.library, self.weights)[self.edition + "_step"]
        tokens = list(encode(self.recorded["prompt"]))
        caches = {name: step.zeros(name, B=1, S=len(tokens) + count) for name in step.updated}
        begin, seen = time.monotonic(), 0
        for _ in range(count):
            # At first the whole prompt, then the last character.
            new = np.array([tokens[seen:]])
            logits = step(new, start=np.array([seen], np.int32), **caches)
            seen = len(tokens)
            tokens.append(int(logits[0, -1].argmax()))
        return decode(tokens[-count:]), time.monotonic() - begin


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
    text, seconds = model.write(arguments.characters)
    same = text == model.recorded["text"][: arguments.characters]
    print(f"\n{model.edition} writes:\n\n{model.recorded['prompt']}{text}\n")
    print(f"{len(text)} characters, {'as' if same else 'not as'} PyTorch wrote them, "
          f"{1e3 * seconds / max(len(text), 1):.2f} ms each")
    sys.exit(0 if right and same else 1)


main()
