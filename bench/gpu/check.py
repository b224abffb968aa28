# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a GPU against NumPy's oracle of test/numeric, memory under
compute-sanitizer. Each call is a process: a kernel that faults ends no other."""

import pathlib
import shutil
import tempfile

import numpy as np

import run_variant
import signatures
from bench.gpu import Failure, artifacts

# BxNxSxSCALE: tiles that are not full, one more and one less than a tile, one query.
CASES = ("2x150x150x1", "1x1x257x1", "2x63x65x8", "1x64x64x1", "1x257x130x1",
         "3x65x64x1", "1x1x1x1")
SANITIZED = "2x150x150x1"


class OnGpu(run_variant.Variant):
    """A variant whose artifact was made before."""

    def __init__(self, artifact, folder):
        row = artifact.row
        self.name, self.dtype, self.folder = row.variant, artifact.dtype, folder
        self.artifact, self.runner = artifact.library, artifact.runner
        self.sizes, self.has_reference = row.static, False
        self.dtypes = {result["name"]: result["dtype"]
                       for result in artifact.entry()["results"]}

    def command(self, file):
        return [self.runner, self.artifact, "--device=cuda:0", f"--inputs={file}"]

    def actual(self, file, threads=None):
        artifacts.run(*self.command(file), "--guard",
                      *(f"--output={name}={self.output(name)}" for name in self.dtypes))
        return self.load()


def cases_of(variant, chosen):
    """Each of `chosen` once where sizes are static."""
    used, cases = signatures.dynamic_dims(variant), {}
    for case in chosen:
        sizes = dict(zip("BNS", case.split("x")))
        cases.setdefault((case[-1:], *(size for letter, size in sizes.items()
                                       if letter in used)), case)
    return list(cases.values())


def check(artifact, chosen=CASES, seed=1):
    """The worst error as a share of the limit, and complaints, by case."""
    worst, bad = 0.0, {}
    cases = cases_of(artifact.row.variant, chosen)
    with tempfile.TemporaryDirectory() as folder:
        variant = OnGpu(artifact, pathlib.Path(folder))
        for case in cases:
            try:
                complaints, share = variant.check(case, seed)
            except Failure as failure:
                complaints, share = [str(failure)], 0.0
            worst = max(worst, share)
            if complaints:
                bad[case] = complaints
    return {"cases": len(cases), "worst": worst, "bad": bad}


def sanitize(artifact, seed=1):
    tool = shutil.which("compute-sanitizer")
    if not tool:
        return {"skipped": "there is no compute-sanitizer on PATH"}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        variant = OnGpu(artifact, pathlib.Path(folder))
        file = pathlib.Path(folder) / "inputs.npz"
        np.savez(file, **variant.draw(SANITIZED, seed))
        for kind in ("memcheck", "racecheck", "initcheck", "synccheck"):
            try:
                artifacts.run(tool, f"--tool={kind}", "--error-exitcode=1",
                              *variant.command(file))
            except Failure as failure:
                found[kind] = str(failure)
    return {"bad": found}
