# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Projects attention matrices on bands, and on bands plus sparse errors.

Prints and draws the distances, and those to the paper's families of matrices.
The matrices are those of the three character models, or of files. The models'
projections are compiled, too, and pool the models' own values.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile

import numpy as np

import distances
import matrices
import pool
from matrices import Failure

EXAMPLES = """examples:
  project.py                               the three character models
  project.py --length=16 --texts=30        at the size of the paper's sentence
  project.py --width=10 --tokens=1 --budget=512 --eps=0.05
  project.py heads.npy --out=build/heads   matrices of your own, [T,H,N,N], [H,N,N] or [N,N]
"""


def number_from(least, kind):
    """A reader of numbers of at least `least`, for argparse."""
    def read(text):
        value = kind(text)
        if not least <= value < float("inf"):
            raise argparse.ArgumentTypeError(f"expected at least {least}, but got {text}")
        return value
    read.__name__ = "number"
    return read


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0], epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    count, natural = number_from(1, int), number_from(0, int)
    for name, kind, default, metavar, text in (
            ("--width", natural, 3, "W", "half width of the band: |i - j| <= W"),
            ("--budget", natural, None, "S", "nonzeros of the sparse part; default N, one a row"),
            ("--eps", number_from(0, float), 0.1, "EPS", "the most that one of them may be"),
            ("--tokens", natural, 2, "T", "windows of Sigma3, each of at most W rows"),
            ("--samples", count, 30, "N", "members drawn of each family"),
            ("--seed", natural, 0, "N", "what they are drawn with"),
            ("--texts", count, 4, "N", "held-out texts, for the models"),
            ("--length", count, matrices.CONTEXT, "N", "characters of a text, for the models"),
            ("--bin", str, "build/bin", "DIR", "where the tools lie"),
            ("--out", str, "build/band", "DIR", "where everything goes")):
        shown = "" if default is None else " (%(default)s)"
        parser.add_argument(name, type=kind, default=default, metavar=metavar, help=text + shown)
    parser.add_argument("--signed", action="store_true",
                        help="the band of band + sparse may hold any number, not only [0,1]")
    parser.add_argument("files", nargs="*", metavar="FILE.npy",
                        help="matrices to project; default: those of the models")
    return parser.parse_args()


def largest_float_below(value):
    """The largest f32 that is no larger: what is compiled holds the cap, too."""
    below = np.float32(min(value, np.finfo(np.float32).max))
    return float(below if float(below) <= value else np.nextafter(below, np.float32(0)))


def check_width(name, size, width):
    """Refuses a band that is wider than a matrix."""
    if width >= size:
        raise Failure(f"'{name}': expected a width below {size}, the size of the matrices, "
                      f"but got {width}")


def check_request(arguments):
    """Refuses what cannot be done, before anything is."""
    if os.path.exists(arguments.out) and not os.path.isdir(arguments.out):
        raise Failure(f"'{arguments.out}': expected a folder, but got a file")
    if arguments.files:
        return
    check_width("charlm", arguments.length, arguments.width)
    for asked, most, what in ((arguments.length, matrices.CONTEXT, "characters"),
                              (arguments.texts, len(matrices.TEXTS), "texts")):
        if asked > most:
            raise Failure(f"expected at most {most} {what}, but got {asked}")


def read_files(files, width):
    """The matrices of files by name, as one layer each, without values."""
    layers = {}
    for file in files:
        name = os.path.splitext(os.path.basename(file))[0]
        if name in layers:
            raise Failure(f"expected files of different names, but got '{name}' twice")
        weights = matrices.of_file(file)
        check_width(name, weights.shape[-1], width)
        layers[name] = [(weights, None, None)]
    return layers


def read_models(arguments, scratch):
    """The layers of each edition: weights, values and pooled values."""
    return {edition: matrices.of_model(edition, arguments.texts, arguments.length,
                                       arguments.bin, os.path.join(scratch, edition))
            for edition in matrices.EDITIONS}


def pool_all(layers, setting, arguments, scratch):
    """The projections of the first text's weights at work, by edition and layer."""
    found = {}
    for name, parts in layers.items():
        out = os.path.join(scratch, name)
        heads, _, features = parts[0][1].shape[1:]
        library = pool.build(heads, features, 2 * setting.width + 1, arguments.bin, out)
        found[name] = [pool.compare([part[0] for part in layer], setting, library, arguments.bin,
                                    os.path.join(out, f"layer{i}"))
                       for i, layer in enumerate(parts)]
    return found


def draw(layers, results, setting, scratch, out):
    """The pictures, where matplotlib is there; returns what to say, when they are in
    the folder `out`."""
    try:
        import drawings  # pylint: disable=C0415
    except ImportError:
        return "no pictures: matplotlib is missing (Debian: python3-matplotlib)"
    examples = {name: [weights[0] for weights, _, _ in parts] for name, parts in layers.items()}
    drawings.save_all(results, examples, setting, scratch)
    return f"pictures: {out}/*.png and *.svg"


def project(arguments, scratch):
    """Everything, into the folder `scratch`; returns what to print."""
    setting = distances.Setting(
        arguments.width, arguments.budget, largest_float_below(arguments.eps),
        arguments.signed, arguments.tokens, arguments.samples, arguments.seed)
    layers = (read_files(arguments.files, arguments.width) if arguments.files
              else read_models(arguments, scratch))
    results = {name: [distances.measure(weights, setting) for weights, _, _ in parts]
               for name, parts in layers.items()}
    said = [distances.sets_table(results, setting), distances.width_table(results),
            distances.budget_table(results, setting)]
    record = {"setting": vars(setting), "distances": distances.plain(results)}
    if not arguments.files:
        record["pooled"] = pool_all(layers, setting, arguments, scratch)
        said.append(pool.table(record["pooled"]))
    with open(os.path.join(scratch, "distances.json"), "w", encoding="ascii") as file:
        json.dump(record, file, indent=1)
    return said + [draw(layers, results, setting, scratch, arguments.out)]


def main():
    arguments = parse()
    try:
        check_request(arguments)
        with tempfile.TemporaryDirectory() as scratch:
            said = project(arguments, scratch)
            shutil.copytree(scratch, arguments.out, dirs_exist_ok=True)
    except Failure as error:
        sys.exit(f"project.py: error: {error}")
    except OSError as error:
        sys.exit(f"project.py: error: cannot write '{arguments.out}': {error.strerror}")
    print("\n\n".join(said))


main()
