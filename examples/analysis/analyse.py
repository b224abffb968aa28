# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the attention matrices of the three character models.

Each edition of examples/charlm is compiled so that it returns its weights, run
on windows of the held-out text, and measured as the papers do: a table, the
same as measures.json, and pictures where matplotlib is there.
"""

import argparse
import json
import os
import subprocess
import sys

import numpy as np

import graphs
import measures

CHARLM = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "charlm")
sys.path.append(CHARLM)
from characters import EDITIONS, encode, held_out, windows  # pylint: disable=C0413


def call(command):
    """The output of a command; ends the program where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, encoding="utf-8")
    if done.returncode:
        sys.exit(f"analyse.py: error: '{os.path.basename(command[0])}' failed")
    return done.stdout


def weights_of(edition, tokens, tools, out):
    """The weights of each layer of an edition on tokens [B,N]; leaves its graph,
    library, logits and weights in the folder `out`."""
    os.makedirs(out, exist_ok=True)
    graph, library, inputs = (os.path.join(out, name)
                              for name in ("graph.mlir", "graph.so", "tokens.npy"))
    source = os.path.join(CHARLM, edition + ".mlir")
    inlined = call(graphs.inlining(os.path.join(tools, "mixattn-opt"), source))
    text, layers = graphs.with_weights(graphs.only(inlined, edition))
    with open(graph, "w", encoding="utf-8") as file:
        file.write(text)
    call([os.path.join(tools, "mixattn-compile"), graph, "-o", library])
    np.save(inputs, tokens)
    results = ["logits"] + [f"weights{layer}" for layer in range(layers)]
    files = {name: os.path.join(out, name + ".npy") for name in results}
    call([os.path.join(tools, "mixattn-run"), library, "--input=tokens=" + inputs,
          "--weights=" + os.path.join(CHARLM, "weights", edition + ".safetensors")]
         + [f"--output={name}={file}" for name, file in files.items()])
    return [np.load(files[name]) for name in results[1:]]


def table(results):
    """The measures as text: a line per layer, then the mean over layers."""
    lines = ["                         rows sum to  median  values of  "
             "distance of heads  components",
             "edition          layer   from     to    rank       90 %  "
             "   mean  variance    for 95 %"]
    columns = "{:7.1f} {:10.1f} {:8.3f} {:9.3f} {:6.0f} of {:.0f}"
    for edition, layers in results.items():
        rows = [[m["median_rank"], np.searchsorted(m["cumulative"], 0.9) + 1,
                 m["distance_mean"], m["distance_variance"], m["components"],
                 m["shape"][0] * m["shape"][1]] for m in layers]
        for layer, (m, row) in enumerate(zip(layers, rows)):
            low, high = m["row_sums"]
            lines.append(f"{edition:16} {layer:5}{low:7.2f}{high:7.2f} {columns.format(*row)}")
        lines.append(f"{edition:16}  mean{'':14} {columns.format(*np.mean(rows, axis=0))}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", default="build/bin", metavar="DIR",
                        help="where mixattn-opt, -compile and -run lie (%(default)s)")
    parser.add_argument("--out", default="build/analysis", metavar="DIR",
                        help="where everything goes (%(default)s)")
    parser.add_argument("--windows", type=int, default=125, metavar="N",
                        help="windows of 128 characters (%(default)s: 1000 matrices of 8 heads)")
    arguments = parser.parse_args()
    if arguments.windows < 1:
        parser.error(f"expected at least one window, but got {arguments.windows}")

    tokens = windows(encode(held_out()))[0][: arguments.windows]
    results, examples = {}, {}
    for edition in EDITIONS:
        layers = weights_of(edition, tokens, arguments.bin,
                            os.path.join(arguments.out, edition))
        results[edition] = [measures.measure(weights) for weights in layers]
        examples[edition] = [weights[0] for weights in layers]
    print(table(results))
    with open(os.path.join(arguments.out, "measures.json"), "w", encoding="ascii") as file:
        json.dump(results, file, indent=1)

    try:
        import pictures  # pylint: disable=C0415
    except ImportError:
        print("no pictures: matplotlib is missing (Debian: python3-matplotlib)")
        return
    pictures.save_all(results, examples, arguments.out)
    print(f"pictures: {arguments.out}/*.png and *.svg")


main()
