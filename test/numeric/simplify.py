# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a pass of rewrites changes nothing but rounding.

simplify.py [simplify|fold]: the pass rewrites every entry of Inputs/NAME.mlir,
by the rule that the entry is named after, and both forms compute the same in
each element type.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import accuracy
import inputs

# Each pass alone; what is left is decomposed as it is.
PASSES = {"simplify": "--attn-simplify", "fold": "--attn-fold=keys heads values"}
SIZES = [(1, 1), (5, 7), (33, 17), (19, 40)]
# Scores of these entries stay below: |q|^2 + |k|^2 of 8 features, over 2.
LARGEST_SCORE = 64


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options)


def compile_both(text, option, folder):
    """The library with the rewrites, and the one without."""
    rewritten = run("mixattn-opt", "-", "--attn-bind-names", option, input=text).stdout
    libraries = []
    for name, form in (("rewritten", rewritten), ("written", text)):
        ir = run("mixattn-opt", "-", "--attn-to-llvm=simplify=false",
                 "--verify-each=false", input=form).stdout
        library = folder / f"{name}.so"
        run("mixattn-compile", "-", "--target=x86-64", "-O0", "-o", library, input=ir)
        libraries.append(library)
    return libraries


def is_named_after(entry, rule):
    """Whether the rule's words occur in the entry's name, in order."""
    words = iter(entry.split("_"))
    return all(word.lower() in words for word in re.findall("[A-Z][a-z0-9]*", rule))


def check_rewritten(text, name, option, entries):
    """Each entry leaves the remark of the rule that it is named after."""
    remarks = run("mixattn-opt", "-", option, "--remark-format=emitRemark",
                  f"--remarks-filter-passed=attn-{name}", input=text).stderr.decode()
    begins = [text[:text.index(f"@{entry}(".encode())].count(b"\n") for entry in entries]
    applied = {entry: set() for entry in entries}
    for line, rule in re.findall(r":(\d+):\d+: remark: \[Passed\] (\w+)", remarks):
        entry = entries[sum(begin < int(line) for begin in begins) - 1]
        applied[entry].add(rule)
    for entry, rules in applied.items():
        if not any(is_named_after(entry, rule) for rule in rules):
            sys.exit(f"expected '{entry}' to be rewritten by its rule, but got {sorted(rules)}")


def compare(libraries, entry, names, dtype, folder):
    """How often an entry of two libraries gives different results."""
    failed = 0
    for queries, keys in SIZES:
        results = []
        for library in libraries:
            run("mixattn-run", library, f"--entry={entry}", "--random=7", "--guard",
                f"--dim=N={queries}", f"--dim=S={keys}",
                *(f"--output={name}={folder / name}.npy" for name in names))
            results.append([inputs.decode(np.load(folder / f"{name}.npy")) for name in names])
        for name, rewritten, written in zip(names, *results):
            error = accuracy.error(rewritten, written)
            limit = accuracy.limit(dtype, LARGEST_SCORE)
            if not error <= limit:
                failed += 1
                print(f"{entry} {dtype} N={queries} S={keys}: error of {name} {error:.2e} "
                      f"(limit {limit:.2e})")
    return failed


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "simplify"
    option = PASSES[name]
    source = (pathlib.Path(__file__).parent / "Inputs" / f"{name}.mlir").read_text()
    entries = re.findall(r"func\.func @(\w+)", source)
    failed = 0
    for dtype in ("f32", "f16", "bf16"):
        # F32: types that stay f32 when the others are 16-bit.
        text = source.replace("f32", dtype).replace("F32", "f32").encode()
        if dtype == "f32":
            check_rewritten(text, name, option, entries)
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            libraries = compile_both(text, option, folder)
            manifest = json.loads((folder / "written.json").read_text())
            for entry in manifest["entries"]:
                names = [result["name"] for result in entry["results"]]
                failed += compare(libraries, entry["name"], names, dtype, folder)
    print(f"{len(entries)} entries at {len(SIZES)} sizes in 3 types, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
