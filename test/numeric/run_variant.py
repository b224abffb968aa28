# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a variant once per element type and checks what it computes.

For each size the artifact runs under --guard and --check, and three times the
results meet: the artifact's, NumPy's (oracle/) and those of lib/Reference. A
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
from typing import NamedTuple

import numpy as np

import accuracy
import inputs
import oracle
import signatures

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Where NAME.mlir lies.
FOLDERS = [ROOT / "examples" / "variants", HERE / "Inputs"]

CASES = ["1x1x1x1", "2x33x17x8", "1x5x130x1", "3x19x7x8", "1x97x101x1",
         "2x64x64x8", "3x4x0x1", "0x3x5x1", "2x0x5x1"]
# Those that need an argument of that name, or a variant of that name.
SPECIAL_CASES = [("lengths", "3x9x40x1-nan"), ("mask", "2x9x40x1-nan"),
                 ("neighbours", "2x9x40x1-nan"),
                 ("softmax_band", "2x9x40x1-nan"),
                 ("band_softmax", "2x9x40x1-nan"), ("bias", "2x7x11x1-ninf"),
                 ("softmax_bias", "2x7x11x1-low"),
                 ("mixhead_relative_bias", "2x7x11x1-low"),
                 ("synthesizer_mixed", "2x7x11x1-low"),
                 ("mixhead_synthesizer", "2x7x11x1-ninf"),
                 ("band", "2x33x17x1-zero"), ("structured_wide", "1x1100x1x1"),
                 ("log_prior", "2x7x11x1-off"), ("shifts", "2x7x11x1-far")]


def tool(name, bin_dir):
    return str(pathlib.Path(bin_dir) / name) if bin_dir else name


def run(*command, threads=None):
    """Standard output, or an exception that shows what went wrong. OpenMP runs
    `threads` threads, or what it is told from outside."""
    environment = os.environ | (
        {"OMP_NUM_THREADS": str(threads)} if threads else {})
    try:
        process = subprocess.run([str(part) for part in command],
                                 stdout=subprocess.PIPE, env=environment,
                                 stderr=subprocess.STDOUT, text=True)
    except OSError as failure:
        raise RuntimeError(str(failure)) from failure
    if process.returncode:
        raise RuntimeError(f"{shlex.join(map(str, command))}\n"
                           f"exit {process.returncode}\n{process.stdout}")
    return process.stdout


class Measured(NamedTuple):
    """The results of one case."""
    # The arguments, rounded to their types.
    x: dict
    actual: dict
    reference: dict
    # The report of lib/Reference on scores, quotients and rows left out.
    report: dict


def reported_otherwise(expected, report):
    """Complaints about what lib/Reference reports."""
    theirs = {"largest score": report["largest_score"]}
    ours = {"largest score": expected.score}
    if expected.kappas is not None:
        of_result = report["results"]["o"]
        # JSON has no infinity.
        kappa = of_result["kappa"]
        theirs |= {"kappa": np.inf if kappa is None else kappa,
                   "count of rows left out": len(of_result["left_out"])}
        rows = accuracy.compared(expected)
        ours |= {"kappa": accuracy.size_of(expected),
                 "count of rows left out": (~rows).sum()}
    return [f"reference against NumPy: {what} {theirs[what]:.17g}, "
            f"{ours[what]:.17g}" for what in ours
            if theirs[what] != ours[what]
            and not abs(theirs[what] - ours[what]) <= 1e-9 * ours[what]]


class Variant:
    """One variant in one element type, compiled with `options`; `sizes` are
    those of static dims that are not as in the file."""

    def __init__(self, name, dtype, folder, bin_dir, sizes=None, options=()):
        self.name, self.dtype, self.bin_dir = name, dtype, bin_dir
        self.folder, self.sizes = folder, sizes or {}
        # Index loops take long where there is much to do.
        self.has_reference = True
        self.artifact = folder / f"{name}_{dtype}.so"
        source = next(source for source in (
            at / f"{name}.mlir" for at in FOLDERS) if source.exists())
        text = source.read_text()
        if sizes:
            text = signatures.resize(name, text, sizes)
        # F32 in Inputs: arguments that stay f32 when the others are 16-bit.
        text = text.replace("f32", dtype).replace("F32", "f32")
        copy = folder / f"{name}_{dtype}.mlir"
        copy.write_text(text)
        run(tool("mixattn-compile", bin_dir), copy, "-o", self.artifact, *options)
        manifest = json.loads(self.artifact.with_suffix(".json").read_text())
        self.dtypes = {result["name"]: result["dtype"]
                       for result in manifest["entries"][0]["results"]}

    def output(self, name):
        return self.folder / f"{name}.npy"

    def load(self):
        """The results in the files of output()."""
        return {name: inputs.decode(np.load(self.output(name)))
                for name in self.dtypes}

    def actual(self, file, threads=None):
        """The artifact's results for the arguments in `file`."""
        run(tool("mixattn-run", self.bin_dir), self.artifact,
            f"--entry={self.name}", f"--inputs={file}", "--guard",
            *(["--check"] if self.has_reference else []),
            *(f"--output={name}={self.output(name)}" for name in self.dtypes),
            threads=threads)
        return self.load()

    def reference(self, file):
        """The results of lib/Reference, and its report."""
        report = self.folder / "report.json"
        run(tool("mixattn-reference", self.bin_dir),
            self.artifact.with_suffix(".json"), file, f"--report={report}",
            *(f"{name}={self.output(name)}" for name in self.dtypes))
        return self.load(), json.loads(report.read_text())

    def draw(self, case, seed):
        """Random arguments of one case, in their types."""
        sizes, _, special = case.partition("-")
        batches, queries, keys, scale = map(int, sizes.split("x"))
        rng = np.random.default_rng([seed, zlib.crc32(case.encode())])
        x, dtypes = inputs.draw_all(
            self.name, self.sizes | {"B": batches, "N": queries, "S": keys},
            scale, self.dtype, rng)
        if special == "nan":
            inputs.hide_keys(x)
        if special == "zero":
            inputs.drop_values(x)
        elif special:
            inputs.poison(x, special, oracle.allowed(self.name, x))
        return {name: inputs.encode(array, dtypes[name])
                if name in dtypes else array for name, array in x.items()}

    def measure(self, case, seed):
        stored = self.draw(case, seed)
        file = self.folder / "inputs.npz"
        np.savez(file, **stored)
        # Inputs count as rounded to their type.
        rounded = {name: inputs.decode(array) for name, array in stored.items()}
        return Measured(rounded, self.actual(file), *(
            self.reference(file) if self.has_reference else (None, None)))

    def judge(self, measured):
        """Complaints about one case, and its error as a share of the limit."""
        with np.errstate(all="ignore"):
            expected = oracle.expected(self.name, measured.x)
        complaints, share = [], 0.0
        if measured.report:
            complaints = reported_otherwise(expected, measured.report)
        # Double precision meets what cancels, too.
        exact = 1e-12 * (1 if expected.kappas is None
                         else max(1, accuracy.size_of(expected)))
        for name, dtype in self.dtypes.items():
            for who, results in (("reference", measured.reference),
                                 ("artifact", measured.actual)):
                if results is None:
                    continue
                distance, limit = accuracy.compare(name, results[name],
                                                   expected, dtype)
                most = exact if who == "reference" else limit
                if not distance <= most:
                    complaints.append(f"{who} against NumPy: error of {name} "
                                      f"{distance:.1e} > {most:.1e}")
            if not limit < 1:
                complaints.append(f"the limit of {name} is {limit:.1e}, which "
                                  "proves nothing")
            share = max(share, distance / limit)
        return complaints, share

    def check(self, case, seed):
        """Complaints about one case, and its error as a share of the limit."""
        measured = self.measure(case, seed)
        complaints, share = self.judge(measured)
        if case.endswith("nan") and any(
                np.isnan(result).any() for result in measured.actual.values()):
            complaints.append("hidden NaN values reach the result")
        return complaints, share


def cases_of(name):
    """The cases of a variant; one of each size where its sizes are static."""
    names = {argument for argument, _, _ in signatures.arguments(name)}
    used = signatures.dynamic_dims(name)
    cases = {}
    for case in CASES:
        sizes = dict(zip("BNS", case.split("x")))
        # There is no mean of nothing.
        if "gamma" in names and "0" in sizes.values():
            continue
        cases.setdefault((case[-1:], *(
            size for letter, size in sizes.items() if letter in used)), case)
    special = [case for word, case in SPECIAL_CASES
               if word in names or word == name]
    if name not in oracle.FINITE:
        special.append("1x6x5x1-inf")
    return [*cases.values(), *dict.fromkeys(special)]


def repeat(options, dtype, case):
    """The command that runs one failed case again."""
    words = [sys.executable, os.path.relpath(__file__), options.variant,
             f"--dtypes={dtype}", f"--case={case}", f"--seed={options.seed}"]
    for option in ("also", "plan", "bin"):
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
    """Takes SIGNATURES, VARIANTS and FINITE of a Python file; their .mlir files lie
    next to it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    signatures.SIGNATURES.update(module.SIGNATURES)
    oracle.VARIANTS.update(module.VARIANTS)
    oracle.FINITE.update(module.FINITE)
    FOLDERS.append(path.parent)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("variant", help="its name")
    parser.add_argument("--also", type=pathlib.Path, metavar="FILE.py",
                        help="formulas and signatures of further variants")
    parser.add_argument("--dtypes", default="f32,f16,bf16")
    parser.add_argument("--plan", help="the plan to force, such as unfused")
    parser.add_argument("--case", help="one case, such as 2x33x17x8")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    if options.also:
        add_formulas(options.also)
    if options.variant not in oracle.VARIANTS:
        parser.error(f"there is no variant {options.variant}")
    bad = 0
    for dtype in options.dtypes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            forced = [f"--plan={options.plan}"] if options.plan else []
            variant = Variant(options.variant, dtype, pathlib.Path(folder),
                              options.bin, options=forced)
            bad += check_all(variant, options)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
