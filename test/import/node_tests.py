# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own tests of attention, as its wheel makes them, compiled and compared with what they
expect: node_tests.py [--only=OP]... Run by scripts/models.sh --nodes.

Tests of f64 are left out. Each op has its tests as they are and with the op expanded to others.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx.backend.test.case.node import collect_testcases

OPS = ("attention", "flexattention", "tensorscatter", "rotary_embedding")
# The distance of two numbers of a type, relative to them, at most. What is expected of these
# types was rounded after each step: it is that far off, relative to the largest number.
STEPS = {"bfloat16": 2.0**-7, "float16": 2.0**-10}


def cases(ops):
    """The op of each test, and the test."""
    for case in sorted(collect_testcases(), key=lambda case: case.name):
        op = next((op for op in ops if case.name.startswith("test_" + op)), None)
        values = list(case.model.graph.input) + list(case.model.graph.output)
        if op and not any(value.type.tensor_type.elem_type == onnx.TensorProto.DOUBLE
                          for value in values):
            yield op, case


def stored(array):
    """An array as `.npz` has it: bf16 as two bytes."""
    array = np.asarray(array)
    return array.view("V2") if array.dtype.name == "bfloat16" else array


def run(case, folder, unraised):
    """The outcome of a test, and its remark on raising; puts its name to the reasons for which
    attentions were not raised."""
    model, library = folder / "model.onnx", folder / "model.so"
    onnx.save(case.model, model)
    inputs, expected = case.data_sets[0]
    names = [value.name for value in case.model.graph.input]
    np.savez(folder / "in.npz", **{name: stored(array) for name, array in zip(names, inputs)})
    said = subprocess.run(["mixattn-compile", model, "--remarks", "-o", library], text=True,
                          stderr=subprocess.PIPE, check=False)
    if said.returncode:
        return "refused: " + re.sub(r".*(node '[^']*'|model.onnx): ", "", said.stderr.strip()), None
    raised = re.search(r"raised (\d+) of (\d+) attentions", said.stderr)
    for why in re.findall(r'Reason="(attention not raised: [^"]*)"', said.stderr):
        unraised[why].append(case.name)
    done = subprocess.run(["mixattn-run", library, f"--inputs={folder / 'in.npz'}",
                           f"--outputs={folder / 'out.npz'}"], text=True, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        return "not run: " + done.stderr.strip(), raised
    outputs = [value.name for value in case.model.graph.output]
    with np.load(folder / "out.npz") as found:
        for name, right in zip(outputs, expected):
            right = np.asarray(right)
            # Updated in place it has the argument's name.
            array, atol = found[name if name in found.files else names[0]], case.atol
            if right.dtype.name in STEPS:
                array = array.view(right.dtype)
                atol = STEPS[right.dtype.name] * np.abs(right).max()
            if not np.allclose(array.astype(np.float64), right.astype(np.float64),
                               rtol=case.rtol, atol=float(atol)):
                return f"wrong: {name}", raised
    return "passed", raised


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", action="append", metavar="OP", help=", ".join(OPS))
    ops = tuple(parser.parse_args().only or OPS)
    became, reasons = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    for op, case in cases(ops):
        kind = f"{op} expanded" if "_expanded" in case.name else op
        with tempfile.TemporaryDirectory() as folder:
            result, raised = run(case, pathlib.Path(folder), reasons)
        became[kind][result.partition(":")[0]] += 1
        if raised:
            became[kind]["raised"] += int(raised[1])
            became[kind]["attentions"] += int(raised[2])
        if result != "passed":
            reasons[result.split("\n")[0]].append(case.name)
    print(f"{'op':28}{'passed':>8}{'wrong':>8}{'refused':>8}{'not run':>8}{'raised':>12}")
    for kind, counts in sorted(became.items()):
        raised = f"{counts['raised']} of {counts['attentions']}"
        print(f"{kind:28}{counts['passed']:8}{counts['wrong']:8}{counts['refused']:8}"
              f"{counts['not run']:8}{raised:>12}")
    for reason, names in sorted(reasons.items(), key=lambda each: -len(each[1])):
        print(f"{len(names):4} {reason}\n     {', '.join(names[:3])}")
    wrong = sum(counts["wrong"] + counts["not run"] for counts in became.values())
    print(f"{wrong} tests wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
