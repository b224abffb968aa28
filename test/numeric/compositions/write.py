# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Findings as files: the program, and a test that runs it again."""

import json
from dataclasses import asdict

from compositions import text
from compositions.program import Op, Program, Tensor
from compositions.trial import Call, Trial

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"


def to_json(trial):
    """A trial with one call, as one line."""
    return json.dumps(asdict(trial), separators=(",", ":"))


def from_json(line):
    """The trial that to_json() wrote."""
    read = json.loads(line)
    program = read["program"]
    tensors = {name: Tensor(tuple(tensor["shape"]), tensor["dtype"],
                            tensor["role"], tensor["constant"])
               for name, tensor in program["tensors"].items()}
    ops = [Op(**op) for op in program["ops"]]
    calls = [Call(tuple(map(tuple, call["sizes"])), call["style"],
                  call["seed"]) for call in read["calls"]]
    return Trial(Program(program["dims"], tensors, ops, program["outputs"]),
                 read["target"], read["plan"], calls, read["fault"],
                 read["level"], read["sanitizer"])


def write_finding(finding, folder, name, repeat):
    """Writes NAME.mlir, NAME.json and NAME.test; gives the first's path."""
    folder.mkdir(parents=True, exist_ok=True)
    trial = finding.trial
    what = " ".join(finding.what.split())
    path = folder / f"{name}.mlir"
    path.write_text(
        f"// {LICENCE}\n// {finding.kind}: {what}\n"
        f"// Options: {' '.join(trial.options())}\n"
        f"// Calls: {' '.join(map(str, trial.calls))}\n// Repeat: {repeat}\n"
        + text.to_text(trial.program))
    (folder / f"{name}.json").write_text(to_json(trial) + "\n")
    (folder / f"{name}.test").write_text(
        f"# {LICENCE}\n# {finding.kind}: {what}\n"
        f"RUN: %python %mixattn_src_root/test/numeric/compositions.py "
        f"--trial=%S/{name}.json\n")
    return path
