# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random ops of 16-bit operands for GPUs, and checks what they compute.

Programs, inputs, oracle and limits are those of test/numeric/compositions.py;
each program is one op. A third of the attentions decode, a third have plans of
two passes where weights mix. Each runs twice without the errors of approximate
instructions, its copies landing early and late, on one multiprocessor and on
many, and must give the same bits; a third run, with these errors, is checked.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "numeric")]

import driver  # noqa: E402
import run  # noqa: E402
from compositions import (arguments, calls, clauses, draw, others,  # noqa: E402
                          sizes, text, trial)

EXAMPLES = """examples:
  random_ops.py --seed=7 --programs=200    on both families, by turns
  random_ops.py --seed=7 --program=12      one of them again
"""
TARGETS = ("sm_80", "sm_90a")
DRAW = {"softmax": clauses.draw_attention, "linear": others.draw_linear,
        "pool": others.draw_pool, "training": others.draw_training}
KINDS = ("generic", "generic", "generic", *draw.SOFTMAX, "linear_generic",
         *draw.LINEAR, "structured_pool", *draw.TRAINING)
HEADS = (1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16)
# Early and late copies, few and many blocks at a time; then errors.
SETTINGS = ({"landing": "issue", "approximate": 0, "sms": 1},
            {"landing": "wait", "approximate": 0, "sms": 1000},
            {"landing": "wait", "approximate": 1, "sms": 3})
# Of a call; a program has four times as many at most.
MULTIPLICATIONS = 2e5
# Why a program may be refused whatever its plan: all of its tensors are empty.
EMPTY = "the module holds no kernels"


class Wrong(Exception):
    """What is wrong with a program."""


def draw_program(rng):
    drawer = draw.Drawer(rng, graph=False)
    drawer.dtype, drawer.mixes_types = drawer.pick(("bf16", "f16")), False
    kind = drawer.pick(KINDS)
    DRAW[sizes.family_of(kind)](drawer, kind)
    drawer.choose_outputs()
    for op in drawer.program.ops:
        op.place = "inline"
    arguments.lighten(drawer.program, MULTIPLICATIONS)
    return drawer.program


def draw_plan(rng, op):
    """A plan to ask for, or nothing."""
    if sizes.family_of(op.kind) != "softmax" or rng.random() < 0.4:
        return ""
    plans = ["decode", "decode,split=64"]
    if {"mixer", "mix_source"} & set(op.operands):
        plans.append("two_pass")
    return str(rng.choice(plans))


def compile_program(program, target, plan, folder, tool):
    """The text and the entry, or nothing where the program has no such plan."""
    source, artifact = folder / "program.mlir", folder / "program.ptx"
    source.write_text(text.to_text(program))
    process = subprocess.run(
        [tool, source, "-o", artifact, f"--target={target}",
         *([f"--plan={plan}"] if plan else [])],
        capture_output=True, text=True, timeout=trial.SECONDS)
    if not process.returncode:
        manifest = json.loads(artifact.with_suffix(".json").read_text())
        return artifact.read_text(), manifest["entries"][0]
    if EMPTY in process.stderr or (plan and any(
            why in process.stderr for why in trial.REFUSALS)):
        return None
    raise Wrong(f"exit {process.returncode}: {process.stderr.strip()[:900]}")


def run_program(code, target, seed, arrays):
    """The results of each setting."""
    made = []
    for setting in SETTINGS:
        cuda = driver.Driver(run.find_library(), chip=target, seed=seed,
                             **setting)
        results, status = run.Run(cuda, *code, arrays).run()
        if status:
            raise Wrong(f"the status word is {status}")
        made.append(results)
    return made


def check(program, target, plan, call, options, folder):
    """The error as a part of the limit, or nothing where it was refused."""
    code = compile_program(program, target, plan, folder, options.tool)
    if code is None:
        return None
    with np.errstate(all="ignore"):
        expected = trial.Expected(program, call)
    arrays = {name: calls.stored(expected.x[name], program.tensors[name].dtype)
              for name in program.arguments()}
    early, late, rough = run_program(code, target, options.seed, arrays)
    for name, result in early.items():
        if result.tobytes() != late[name].tobytes():
            raise Wrong(f"{name}: other bits when copies land late")
    worst = 0.0
    for name, result in rough.items():
        own = name.removesuffix("_out")
        dtype = program.tensors[own].dtype
        result = result.view(np.float16) if dtype == "f16" else result
        wrong, share = trial.compare(calls.decoded(result, dtype),
                                     expected.results[own], dtype,
                                     expected.most[own])
        if wrong:
            raise Wrong(f"{own}: {wrong}")
        worst = max(worst, share)
    return worst


def try_program(number, options, folder):
    rng = np.random.default_rng([options.seed, number])
    target = TARGETS[number % 2]
    program = draw_program(rng)
    plan = draw_plan(rng, program.ops[0])
    call = trial.draw_calls(program, rng, 1, MULTIPLICATIONS)[0]
    try:
        return check(program, target, plan, call, options, folder)
    except (Wrong, driver.DriverError) as error:
        print(f"FAIL program {number}: {target}, plan '{plan}', {call}: "
              f"{error}\nrepeat: random_ops.py --seed={options.seed} "
              f"--program={number}\n{text.to_text(program)}", flush=True)
        raise


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=40, metavar="COUNT")
    parser.add_argument("--program", type=int, metavar="NUMBER",
                        help="this one only")
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    name = str(pathlib.Path(options.bin) / "mixattn-compile") \
        if options.bin else "mixattn-compile"
    options.tool = shutil.which(name)
    if options.tool is None:
        parser.error(f"there is no {name}")
    return options


def main():
    options = parse()
    sizes.HEADS = HEADS
    counts, worst = collections.Counter(), 0.0
    numbers = range(options.programs) if options.program is None \
        else [options.program]
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            try:
                share = try_program(number, options, pathlib.Path(folder))
            except (Wrong, driver.DriverError):
                counts["bad"] += 1
                continue
            counts["refused" if share is None else "right"] += 1
            worst = max(worst, share or 0.0)
    print(f"seed {options.seed}: {len(numbers)} programs, "
          f"{counts['refused']} refused, {counts['bad']} bad, worst error "
          f"{worst:.3f} of the limit")
    return 1 if counts["bad"] else 0


if __name__ == "__main__":
    sys.exit(main())
