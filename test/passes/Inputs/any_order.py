# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs passes where no pipeline would: each alone on every input, and some in
random orders. The result is IR that verifies or an error with its place,
never the end of the process.

All inputs are one file, in parts that mixattn-opt takes one after the other.
Only when the process ends early are they run one by one, to name the input.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

# Upstream passes that pipelines put between our own.
OTHERS = ("canonicalize", "cse", "inline", "symbol-dce",
          "convert-elementwise-to-linalg", "convert-linalg-to-loops",
          "expand-strided-metadata", "lower-affine", "convert-scf-to-cf",
          "buffer-deallocation-pipeline")
# Options without which a pass does nothing.
OPTIONS = {"attn-verify-level": "=level=normal",
           "attn-set-target": "=chip=znver4 features=avx2,avx512f,fma threads=2"}
SECONDS = 120


def passes(source):
    """The passes of this project, as they are called."""
    return [name for file in sorted(source.glob("passes/**/Passes.td"))
            for name in re.findall(r'^def \w+\s*:\s*Pass<\s*"([\w-]+)"',
                                   file.read_text(), re.MULTILINE)]


def pipelines(source):
    text = (source / "passes/Pipelines/Register.cpp").read_text()
    return sorted(set(re.findall(r'"(attn-to-\w+)"', text)))


def inputs(source):
    """Each part of each file that is one, with its name."""
    files = sorted(source.glob("examples/variants/*.mlir"))
    files += sorted(source.glob("test/dialect/ops-*.mlir"))
    files += sorted(source.glob("test/numeric/Inputs/*.mlir"))
    for file in files:
        for number, part in enumerate(file.read_text().split("// -----\n")):
            yield f"{file.relative_to(source)} part {number}", part


def flags(order):
    return ["--" + name + OPTIONS.get(name, "")
            for name in ["attn-set-target", *order]]


def what_is_wrong(order, parts, path):
    """Why the end of mixattn-opt is none, or nothing."""
    path.write_text("// -----\n".join(text for _, text in parts))
    try:
        run = subprocess.run(
            ["mixattn-opt", "--split-input-file", *flags(order), str(path),
             "-o", "/dev/null"], stderr=subprocess.PIPE, timeout=SECONDS,
            encoding="utf-8", errors="replace", check=False)
    except subprocess.TimeoutExpired:
        return f"does not end within {SECONDS} s"
    if run.returncode not in (0, 1):
        return f"ends with {run.returncode}"
    if run.returncode == 1 and "error:" not in run.stderr:
        return "fails without a reason"
    return None


def check(order, parts, path):
    """Prints what goes wrong; whether anything does."""
    if not what_is_wrong(order, parts, path):
        return False
    for part in parts:
        if wrong := what_is_wrong(order, [part], path):
            print(f"{part[0]}: {' '.join(flags(order))}: {wrong}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--seed", type=int,
                        default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--orders", type=int, default=12)
    parser.add_argument("--parts", type=int, default=25,
                        help="inputs that each order takes")
    options = parser.parse_args()
    print(f"--seed={options.seed}")
    rng = random.Random(options.seed)
    own, levels = passes(options.source), pipelines(options.source)
    parts = list(inputs(options.source))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "parts.mlir")
        for name in own:
            wrong += check([name], parts, path)
        for _ in range(options.orders):
            # Half of them begin where a pipeline ends.
            order = [rng.choice(levels)] if rng.random() < 0.5 else []
            order += rng.choices(own + list(OTHERS), k=rng.randrange(2, 9))
            wrong += check(order, rng.sample(parts, options.parts), path)
    print(f"{len(own)} passes alone, {options.orders} orders: {wrong} wrong")
    sys.exit(1 if wrong or not own or not levels else 0)


main()
