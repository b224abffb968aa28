# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a variant once per element type and checks what it computes.

For each size the artifact runs under --guard and --check, and three times the
results meet: the artifact's, NumPy's (oracle.py) and those of lib/Reference. A
case is BxNxSxSCALE, perhaps with what poison() of inputs.py puts in:
2x9x40x1-nan.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import zlib

import numpy as np

import inputs
import mutations
import oracle

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Where NAME.mlir lies.
FOLDERS = [ROOT / "examples" / "variants", HERE / "Inputs"]

CASES = ["1x1x1x1", "2x33x17x8", "1x5x130x1", "3x19x7x8", "1x97x101x1",
         "2x64x64x8", "3x4x0x1", "0x3x5x1", "2x0x5x1"]
# Those that need an argument of that name, or a variant of that name.
SPECIAL_CASES = [("lengths", "3x9x40x1-nan"), ("mask", "2x9x40x1-nan"),
                 ("softmax_band", "2x9x40x1-nan"), ("bias", "2x7x11x1-ninf"),
                 ("log_prior", "2x7x11x1-off")]
UNIT = {"f32": 0, "f16": 2.0**-10, "bf16": 2.0**-7}


def limit(dtype, largest_score):
    """The error that rounding may cause, relative to the largest result."""
    return 2.0**-22 * (8 + largest_score) + UNIT[dtype]


def error(actual, expected):
    """The largest difference relative to the largest value expected."""
    if actual.shape != expected.shape:
        return np.inf
    if not np.array_equal(np.isnan(actual), np.isnan(expected)):
        return np.inf
    with np.errstate(invalid="ignore"):
        difference = np.where(actual == expected, 0, np.abs(actual - expected))
    difference = np.nanmax(difference, initial=0)
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
    return difference / largest if difference > 0 else 0.0


def tool(name, bin_dir):
    return str(pathlib.Path(bin_dir) / name) if bin_dir else name


def run(*command):
    """Standard output, or an exception that shows what went wrong."""
    process = subprocess.run([str(part) for part in command],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)
    if process.returncode:
        raise RuntimeError(f"{shlex.join(map(str, command))}\n"
                           f"exit {process.returncode}\n{process.stdout}")
    return process.stdout


class Variant:
    """One variant in one element type, compiled."""

    def __init__(self, name, dtype, folder, bin_dir):
        self.name, self.dtype, self.bin_dir = name, dtype, bin_dir
        self.artifact = folder / f"{name}_{dtype}.so"
        self.folder = folder
        source = next(source for source in (
            at / f"{name}.mlir" for at in FOLDERS) if source.exists())
        # F32 in Inputs: arguments that stay f32 beside 16-bit ones.
        text = source.read_text().replace("f32", dtype).replace("F32", "f32")
        copy = folder / f"{name}_{dtype}.mlir"
        copy.write_text(text)
        run(tool("mixattn-compile", bin_dir), copy, "-o", self.artifact)
        manifest = json.loads(self.artifact.with_suffix(".json").read_text())
        self.dtypes = {result["name"]: result["dtype"]
                       for result in manifest["entries"][0]["results"]}

    def output(self, name):
        return self.folder / f"{name}.npy"

    def load(self):
        """The results in the files of output()."""
        return {name: inputs.decode(np.load(self.output(name)))
                for name in self.dtypes}

    def actual(self, file):
        """What the artifact gives for the arguments in `file`."""
        run(tool("mixattn-run", self.bin_dir), self.artifact,
            f"--entry={self.name}", f"--inputs={file}", "--guard", "--check",
            *(f"--output={name}={self.output(name)}" for name in self.dtypes))
        return self.load()

    def reference(self, file):
        """What lib/Reference gives, and its largest score."""
        text = run(tool("mixattn-reference", self.bin_dir),
                   self.artifact.with_suffix(".json"), file,
                   *(f"{name}={self.output(name)}" for name in self.dtypes))
        return self.load(), float(text)

    def draw(self, case, seed):
        """Random arguments of one case, in their types."""
        sizes, _, special = case.partition("-")
        batches, queries, keys, scale = map(int, sizes.split("x"))
        rng = np.random.default_rng([seed, zlib.crc32(case.encode())])
        x, dtypes = inputs.draw_all(
            self.name, {"B": batches, "N": queries, "S": keys}, scale,
            self.dtype, rng)
        if special:
            inputs.poison(x, special, oracle.allowed(self.name, x))
        return {name: inputs.encode(array, dtypes[name])
                if name in dtypes else array for name, array in x.items()}

    def check(self, case, seed):
        """Complaints about one case, and its error as a share of the limit."""
        stored = self.draw(case, seed)
        file = self.folder / "inputs.npz"
        np.savez(file, **stored)
        # Inputs count as rounded to their type.
        rounded = {name: inputs.decode(array) for name, array in stored.items()}
        with np.errstate(all="ignore"):
            expected, largest = oracle.expected(self.name, rounded)
        reference, reference_largest = self.reference(file)
        actual = self.actual(file)

        complaints, share = [], 0.0
        if case.endswith("nan") and not np.isfinite(expected["o"]).all():
            complaints.append("hidden NaN values reach the expected result")
        for name, dtype in self.dtypes.items():
            bound = limit(dtype, largest)
            for who, results, most in (("reference", reference, 1e-12),
                                       ("artifact", actual, bound)):
                distance = error(results[name], expected[name])
                if not distance <= most:
                    complaints.append(f"{who} against NumPy: error of {name} "
                                      f"{distance:.1e} > {most:.1e}")
            share = max(share, distance / bound)
        if not abs(reference_largest - largest) <= 1e-12 * largest:
            complaints.append("reference against NumPy: largest score "
                              f"{reference_largest:.17g}, {largest:.17g}")
        return complaints, share


def cases_of(name):
    """The cases of a variant; one of each size where its sizes are static."""
    arguments = inputs.SIGNATURES[name]
    cases = {}
    for case in CASES:
        sizes = zip("BNS", case.split("x"))
        cases.setdefault((case[-1:], *(
            size for letter, size in sizes if f"{letter}," in arguments)), case)
    special = [case for word, case in SPECIAL_CASES
               if f" {word}[" in arguments or word == name]
    if name not in oracle.DISTANCES:
        special.append("1x6x5x1-inf")
    return [*cases.values(), *dict.fromkeys(special)]


def repeat(options, dtype, case):
    """The command that runs one failed case again."""
    words = [sys.executable, os.path.relpath(__file__), options.variant,
             f"--dtypes={dtype}", f"--case={case}", f"--seed={options.seed}"]
    for option in ("also", "bin", "mutate"):
        if getattr(options, option):
            words.append(f"--{option}={getattr(options, option)}")
    return shlex.join(words)


def check_all(variant, options):
    """Prints what went wrong and a summary; gives the count of bad cases."""
    cases = [options.case] if options.case else cases_of(variant.name)
    bad, worst = 0, 0.0
    for case in cases:
        try:
            complaints, share = variant.check(case, options.seed)
            worst = max(worst, share)
        except RuntimeError as failure:
            complaints = [str(failure)]
        for complaint in complaints:
            print(f"FAIL {variant.name} {variant.dtype} {case}: {complaint}")
        if complaints:
            bad += 1
            print("repeat:", repeat(options, variant.dtype, case))
    print(f"{variant.name} {variant.dtype}: {len(cases)} cases, {bad} bad, "
          f"worst error {worst:.3f} of the limit")
    return bad


def add_formulas(path):
    """Takes SIGNATURES, VARIANTS and DISTANCES of a Python file; their .mlir files lie
    beside it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    inputs.SIGNATURES.update(module.SIGNATURES)
    oracle.VARIANTS.update(module.VARIANTS)
    oracle.DISTANCES.update(module.DISTANCES)
    FOLDERS.append(path.parent)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("variant", help="its name")
    parser.add_argument("--also", type=pathlib.Path, metavar="FILE.py",
                        help="formulas and signatures of further variants")
    parser.add_argument("--dtypes", default="f32,f16,bf16")
    parser.add_argument("--case", help="one case, such as 2x33x17x8")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    parser.add_argument("--mutate", choices=sorted(mutations.MUTATIONS),
                        help="make the oracle wrong")
    options = parser.parse_args()
    if options.also:
        add_formulas(options.also)
    if options.variant not in oracle.VARIANTS:
        parser.error(f"there is no variant {options.variant}")
    if options.mutate:
        mutations.apply(options.mutate)
    bad = 0
    for dtype in options.dtypes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            variant = Variant(options.variant, dtype, pathlib.Path(folder),
                              options.bin)
            bad += check_all(variant, options)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
