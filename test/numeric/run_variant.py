# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a variant once per element type and checks what it computes.

For each size the artifact runs under --guard and --check, and three results
meet: the artifact's, NumPy's (oracle.py) and that of lib/Reference. A case is
BxNxSxSCALE, perhaps with what poison() of inputs.py puts in: 2x9x40x1-nan.
"""

import argparse
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

CASES = ["1x1x1x1", "2x33x17x8", "1x5x130x1", "3x19x7x8", "1x97x101x1",
         "2x64x64x8", "3x4x0x1", "0x3x5x1", "2x0x5x1", "1x6x5x1-inf"]
# Those that need an argument of that name, or a variant of that name.
SPECIAL_CASES = [("lengths", "3x9x40x1-nan"), ("mask", "2x9x40x1-nan"),
                 ("softmax_band", "2x9x40x1-nan"), ("bias", "2x7x11x1-ninf")]
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
    difference = np.nanmax(np.abs(actual - expected), initial=0)
    largest = np.nanmax(np.abs(expected), initial=0)
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
        source = ROOT / "examples" / "variants" / f"{name}.mlir"
        if not source.exists():
            source = HERE / "Inputs" / f"{name}.mlir"
        # F32 in Inputs: arguments that stay f32 beside 16-bit ones.
        text = source.read_text().replace("f32", dtype).replace("F32", "f32")
        copy = folder / f"{name}_{dtype}.mlir"
        copy.write_text(text)
        run(tool("mixattn-compile", bin_dir), copy, "-o", self.artifact)

    def actual(self, file):
        """What the artifact gives for the arguments in `file`."""
        output = self.folder / "o.npy"
        run(tool("mixattn-run", self.bin_dir), self.artifact,
            f"--entry={self.name}", f"--inputs={file}", f"--output=o={output}",
            "--guard", "--check")
        return inputs.decode(np.load(output))

    def reference(self, file):
        """What lib/Reference gives, and its largest score."""
        output = self.folder / "reference.npy"
        text = run(tool("mixattn-reference", self.bin_dir),
                   self.artifact.with_suffix(".json"), file, output)
        return np.load(output), float(text)

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
        actual, bound = self.actual(file), limit(self.dtype, largest)

        complaints = []
        if case.endswith("nan") and not np.isfinite(expected).all():
            complaints.append("hidden NaN values reach the expected result")
        for who, result, most in (("reference", reference, 1e-12),
                                  ("artifact", actual, bound)):
            if not error(result, expected) <= most:
                complaints.append(f"{who} against NumPy: error "
                                  f"{error(result, expected):.1e} > {most:.1e}")
        if not abs(reference_largest - largest) <= 1e-12 * largest:
            complaints.append("reference against NumPy: largest score "
                              f"{reference_largest:.17g}, {largest:.17g}")
        return complaints, error(actual, expected) / bound


def cases_of(name):
    arguments = inputs.SIGNATURES[name]
    return CASES + list(dict.fromkeys(
        case for word, case in SPECIAL_CASES
        if f" {word}[" in arguments or word == name))


def repeat(options, dtype, case):
    """The command that runs one failed case again."""
    words = [sys.executable, os.path.relpath(__file__), options.variant,
             f"--dtypes={dtype}", f"--case={case}", f"--seed={options.seed}"]
    for option in ("bin", "mutate"):
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("variant", choices=sorted(oracle.VARIANTS))
    parser.add_argument("--dtypes", default="f32,f16,bf16")
    parser.add_argument("--case", help="one case, such as 2x33x17x8")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    parser.add_argument("--mutate", choices=sorted(mutations.MUTATIONS),
                        help="make the oracle wrong")
    options = parser.parse_args()
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
