# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles both networks, runs them with random weights, and compares their
logits with those of forward.py."""

import argparse
import io
import json
import os
import subprocess
import sys
import time

import numpy as np

import swin
from forward import forward
from weights import draw

TOLERANCE = 1e-4


class Network:
    """A compiled network, run by mixattn-run."""

    def __init__(self, name, arguments):
        graph, self.library, manifest = (os.path.join(arguments.out, name + suffix)
                                         for suffix in (".mlir", ".so", ".json"))
        with open(graph, "w", encoding="ascii") as file:
            file.write(swin.network(name, arguments.images))
        call([os.path.join(arguments.bin, "mixattn-compile"), graph, "-o", self.library])
        with open(manifest, encoding="utf-8") as file:
            self.arguments = json.load(file)["entries"][0]["arguments"]
        self.runner = os.path.join(arguments.bin, "mixattn-run")

    def parameters(self):
        """How many numbers the weights are."""
        return sum(int(np.prod(a["shape"])) for a in self.arguments if a.get("parameter"))

    def logits(self, values):
        """Those of an entry's arguments. Files of this size are left on no disk."""
        file = io.BytesIO()
        np.savez(file, **values)
        output = call([self.runner, self.library, "--inputs=-", "--output=logits=-"],
                      file.getbuffer())
        return np.load(io.BytesIO(output))


def call(command, data=None):
    """The output of a command; ends the program where it fails."""
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(f"run.py: error: '{os.path.basename(command[0])}' failed")
    return done.stdout


def agrees(name, arguments):
    """Compiles, runs and compares a network, and prints a row of the table."""
    times = [time.monotonic()]
    network = Network(name, arguments)
    times.append(time.monotonic())
    values = draw([(a["name"], a["shape"]) for a in network.arguments],
                  np.random.default_rng(arguments.seed))
    logits = network.logits(values)
    times.append(time.monotonic())
    expected = forward(values, swin.DEPTHS)
    times.append(time.monotonic())
    largest = np.abs(expected).max()
    error = np.abs(logits - expected).max() / largest
    print(f"  {name:12}  {network.parameters():10,}", *(f"{t:6.1f}" for t in np.diff(times)),
          f"{largest:7.3f}  {error:.1e}", sep="  ", flush=True)
    return bool(error <= TOLERANCE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", default="build/bin", metavar="DIR",
                        help="where mixattn-compile and mixattn-run lie (%(default)s)")
    parser.add_argument("--out", default="build/swin", metavar="DIR",
                        help="where graphs and libraries go (%(default)s)")
    parser.add_argument("--images", type=int, default=1, metavar="N",
                        help="images of a call (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of weights and images (%(default)s)")
    parser.add_argument("networks", nargs="*", metavar="NETWORK",
                        help=", ".join(swin.GLOBAL_HEADS) + "; default both")
    arguments = parser.parse_args()
    networks = arguments.networks or list(swin.GLOBAL_HEADS)
    for name in networks:
        if name not in swin.GLOBAL_HEADS:
            parser.error(f"expected a network, but got '{name}'")
    os.makedirs(arguments.out, exist_ok=True)

    print("network         parameters  compile     run   NumPy  largest  error")
    right = [agrees(name, arguments) for name in networks]
    sys.exit(0 if all(right) else 1)


main()
