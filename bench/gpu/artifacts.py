# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows as shared libraries in a folder, with manifests and predictions."""

import concurrent.futures
import json
import math
import os
import shutil
import subprocess

from bench.gpu import Failure

RUNNER = "mixattn-run"


def run(*command):
    process = subprocess.run([str(each) for each in command], capture_output=True,
                             text=True)
    if process.returncode:
        said = (process.stderr + process.stdout).strip().splitlines()
        raise Failure(said[-1] if said else f"{command[0]} failed with "
                                            f"{process.returncode}")
    return process.stdout


class Artifact:
    """A row for one target and type, in a folder of its own."""

    def __init__(self, row, target, dtype, options):
        self.row, self.target, self.dtype = row, target, dtype
        self.name = f"{row.text} {target} {dtype}"
        self.folder = options.artifacts / f"{row.stem()}-{target}-{dtype}"
        self.library = self.folder / "row.so"
        self.runner = options.artifacts / RUNNER
        self.compiler = options.bin / "mixattn-compile"

    def make(self, is_timed):
        """Compiles, unless that was done, and keeps what `--explain` predicts of the
        row's dims."""
        self.folder.mkdir(parents=True, exist_ok=True)
        source = self.folder / "row.mlir"
        text = self.row.source(self.dtype)
        command = [self.compiler, source, f"--target={self.target}",
                   *([f"--plan={self.row.plan}"] if self.row.plan else [])]
        if not (self.library.exists() and source.read_text() == text):
            source.write_text(text)
            run(*command, "-o", self.library)
        if is_timed:
            sizes = [f"--dim={name}={size}" for name, size in self.row.dims.items()]
            self.explanation().write_text(run(*command, "--explain=json", *sizes))

    def explanation(self):
        sizes = "".join(f"_{name}{size}" for name, size in sorted(self.row.dims.items()))
        return self.folder / f"explained{sizes}.json"

    def entry(self):
        manifest = self.library.with_suffix(".json")
        if not manifest.exists():
            raise Failure(f"there is no {self.library}; make it first: "
                          "scripts/bench-gpu.sh --only=make")
        return json.loads(manifest.read_text())["entries"][0]

    def predicted(self):
        """Seconds of a call by the model of passes/plan/plan.md, or None where a kernel
        has no model; the plans; what speeds by that model are off published ones."""
        explained = json.loads(self.explanation().read_text())
        ops = explained["entries"][0]["ops"]
        plans = [op["chosen"]["algorithm"] for op in ops if op.get("chosen")]
        seconds = [op["chosen"].get("seconds") for op in ops if op.get("chosen")]
        return ((None if None in seconds else math.fsum(seconds)), plans,
                explained["gpu"]["residuals_per_mille"])

    def amount(self, what):
        """The manifest's `flops` or `bytes` of a call; None if unknown."""
        terms = self.entry()[what]
        return terms and sum(
            term["coefficient"] * math.prod(self.row.dims[name] for name in term["dims"])
            for term in terms)


def make_all(artifacts, options):
    """Makes each (artifact, is_timed); gives what failed, by name."""
    options.artifacts.mkdir(parents=True, exist_ok=True)
    runner = options.bin / RUNNER
    if not runner.exists():
        raise Failure(f"there is no {runner}; build it first: scripts/build.sh")
    shutil.copy2(runner, options.artifacts / RUNNER)
    failed = {}

    def attempt(pair):
        artifact, is_timed = pair
        try:
            artifact.make(is_timed)
        except Failure as failure:
            failed[artifact.name] = str(failure)
        return artifact.name
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, name in enumerate(pool.map(attempt, artifacts), 1):
            print(f"[{number}/{len(artifacts)}] {name}: "
                  f"{failed.get(name, 'made')}", flush=True)
    return failed
