# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One program compiled, called and compared."""

import os
import subprocess
from dataclasses import dataclass, field, replace

import numpy as np

import accuracy
from compositions import arguments, calls, expect, hide, sizes, text
from compositions.program import TURNS

LARGEST = {"f32": 3.4e38, "bf16": 3.38e38, "f16": 65504.0}
SECONDS = 120
# A sanitizer's runtime is for the kernels alone.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name != "LD_PRELOAD"}
# Why a plan that is forced may be refused.
REFUSALS = ("cannot be computed as planned by",)


@dataclass(frozen=True)
class Call:
    """The sizes, the style of values and the seed that a call is made with."""
    sizes: tuple
    style: str
    seed: int

    def __str__(self):
        return (",".join(f"{dim}={size}" for dim, size in self.sizes)
                + f"/{self.style}/{self.seed}")


@dataclass
class Trial:
    """A program, the machine and plan it is compiled for, and its calls."""
    program: object
    target: str = "native"
    plan: str = ""
    calls: list = field(default_factory=list)
    # Of the oracle: functions that are wrong on purpose.
    fault: str = ""
    level: str = ""
    sanitizer: str = ""

    def options(self):
        return [f"--target={self.target}",
                *([f"--plan={self.plan}"] if self.plan else []),
                *([self.level] if self.level else []),
                *([f"--sanitize={self.sanitizer}"] if self.sanitizer else [])]


@dataclass
class Finding:
    """A failure: its kind, one sentence, and how to see it."""
    kind: str
    what: str
    trial: object
    share: float = 0.0


def compile_program(trial, folder, tool):
    """Nothing where it compiles; else the kind of failure and its text.
    `refused` where the program cannot have the plan."""
    source, library = folder / "program.mlir", folder / "program.so"
    library.unlink(missing_ok=True)
    source.write_text(text.to_text(trial.program))
    try:
        process = subprocess.run(
            [tool, source, "-o", library, *trial.options()],
            capture_output=True, text=True, timeout=SECONDS,
            env=ENVIRONMENT)
    except subprocess.TimeoutExpired:
        return "compiler hangs", f"{SECONDS} s"
    if not process.returncode:
        return None
    message = process.stderr.replace(f"{folder}/", "")
    if "internal failure" in message or process.returncode < 0 \
            or process.returncode > 2:
        return "compiler crash", (f"exit {process.returncode}: "
                                  + message[-700:]).strip()
    if trial.plan and any(reason in message for reason in REFUSALS):
        return "refused", message
    errors = [line for line in message.splitlines() if "error:" in line]
    return "compiler error", (errors or [message])[0][-500:]


def evaluate(program, x, noise=None):
    """Each result by name, and how attentions came by theirs; with `noise`, a
    generator, what an op reads of another is off by as much as it may be."""
    values, results, attended = dict(x), {}, {}
    # A result that reads rows which do not count does not count.
    loose = set()
    for count, op in enumerate(program.ops):
        operands = {role: values[name] for role, name in op.operands.items()}
        result = program.tensors[op.results["result"]]
        heads = result.shape[1] if len(result.shape) > 1 else 0
        reads_loose = bool(loose & set(op.operands.values()))
        for _ in range(TURNS - 1 if op.place == "loop" else 0):
            turn, _ = expect.expect(op, operands, heads)
            reads_loose |= turn["result"].rows is not ...
            operands["query"] = as_read(turn["result"], result, noise)
        made, attended[count] = expect.expect(op, operands, heads)
        for role, name in op.results.items():
            if made[role].rows is not ...:
                loose.add(name)
            if reads_loose:
                loose.add(name)
                made[role] = made[role]._replace(rows=np.zeros(
                    made[role].values.shape, bool))
            results[name] = made[role]
            values[name] = as_read(made[role], program.tensors[name], noise)
    return results, attended


def as_read(result, tensor, noise):
    """The values of a result as the next op reads them."""
    array = result.values
    if noise is not None:
        array = array + tolerance(result, tensor.dtype) * (
            noise.uniform(-1, 1, array.shape))
    return arguments.rounded(np.asarray(array, float), tensor.dtype)


def tolerance(result, dtype):
    """The largest difference that rounding may cause."""
    finite = np.abs(result.values[np.isfinite(result.values)])
    scale = max(finite.max(initial=0), result.magnitude / 4)
    if scale == 0:
        return accuracy.UNDERFLOW[dtype] + result.underflow
    return (accuracy.limit(dtype, result.growth, scale) * scale
            + result.underflow)


def tolerances(program, x, results):
    """Of each output; in a graph, what ops make of each other's errors
    counts."""
    dtypes = {name: program.tensors[name].dtype for name in program.outputs}
    made = {name: tolerance(results[name], dtypes[name])
            for name in program.outputs}
    if len(program.ops) == 1 and program.ops[0].place != "loop":
        return made
    for seed in range(2):
        others, _ = evaluate(program, x, np.random.default_rng(seed))
        for name in made:
            with np.errstate(invalid="ignore"):
                moved = np.abs(others[name].values - results[name].values)
            moved = moved[results[name].rows]
            made[name] = max(made[name], tolerance(
                results[name], dtypes[name]) + 4 * np.nanmax(
                    np.where(np.isfinite(moved), moved, 0), initial=0))
    return made


def compare(actual, result, dtype, most):
    """The fault of a result, or nothing; and its share of the limit."""
    expected = result.values
    if actual.shape != expected.shape:
        return f"shape {actual.shape}, expected {expected.shape}", np.inf
    actual, expected = actual[result.rows], expected[result.rows]
    counts = ~(np.abs(expected) > 0.99 * LARGEST[dtype]) | np.isinf(expected)
    actual, expected = actual[counts], expected[counts]
    if not actual.size:
        return None, 0.0
    with np.errstate(invalid="ignore"):
        difference = np.where(
            (actual == expected) | (np.isnan(actual) & np.isnan(expected)), 0,
            np.abs(actual - expected))
    difference[np.isnan(difference)] = np.inf
    far = difference.max(initial=0)
    if far <= most:
        return None, far / most
    at = int(np.argmax(difference))
    return (f"got {actual.reshape(-1)[at]:.9g}, expected "
            f"{expected.reshape(-1)[at]:.9g}, may be off by {most:.3g}; "
            f"{(difference > most).sum()} of {difference.size} are wrong",
            far / most)


class Expected:
    """The expected results of a call, whichever artifact it calls."""

    def __init__(self, program, call):
        sizes = dict(call.sizes)
        x = arguments.draw_arguments(program, sizes, call.style, call.seed)
        self.results, attended = evaluate(program, x)
        self.most = tolerances(program, x, self.results)
        self.x = x
        if call.style == "hidden":
            self.x = hide.poison(program, x, attended, call.seed)

    def tensors(self, program, sizes, seed):
        rng = np.random.default_rng(seed)
        arguments_of = set(program.arguments())
        return calls.Tensors(
            [(name, array, program.tensors[name].dtype)
             for name, array in self.x.items()
             if name in arguments_of],
            [(name, self.results[name].values.shape,
              program.tensors[name].dtype) for name in program.outputs], rng)


def check_call(artifact, trial, call, expected, step):
    """The fault of one call, on one thread or two, or nothing; its share of
    the limit."""
    program, worst, first = trial.program, 0.0, None
    tensors = expected.tensors(program, dict(call.sizes), call.seed)
    try:
        for threads in (1, 2):
            step(f"{call}, {threads} threads")
            tensors.clear()
            refusal = artifact.call(tensors, threads)
            if refusal:
                return ("call refused", refusal), worst
            for name in tensors.gaps_written():
                return ("writes outside", name), worst
            results = tensors.results()
            if first is not None:
                for name, array in results.items():
                    if array.tobytes() != first[name].tobytes():
                        return ("threads differ", name), worst
                continue
            first = results
            for name, array in results.items():
                dtype = program.tensors[name].dtype
                wrong, share = compare(
                    calls.decoded(array, dtype), expected.results[name], dtype,
                    expected.most[name])
                worst = max(worst, share)
                if wrong:
                    kind = "shows NaN" if wrong.startswith("got nan") \
                        else "wrong"
                    return (kind, f"{name}: {wrong}"), worst
    finally:
        tensors.free()
    return None, worst


def run(trial, folder, tool, step=lambda text: None, known=None):
    """A finding or nothing, the worst share, and the count of calls. `known`
    keeps what calls should give."""
    step("compiling")
    failure = compile_program(trial, folder, tool)
    if failure:
        return Finding(*failure, trial), 0.0, 0
    known, worst, count = {} if known is None else known, 0.0, 0
    artifact = calls.Artifact(folder / "program.so")
    try:
        for call in trial.calls:
            step(f"oracle of {call}")
            if call not in known:
                known[call] = Expected(trial.program, call)
            wrong, share = check_call(artifact, trial, call, known[call], step)
            worst, count = max(worst, share), count + 2
            if wrong:
                return Finding(*wrong, replace(trial, calls=[call]),
                               share), worst, count
    finally:
        artifact.close()
    return None, worst, count


def draw_calls(program, rng, count, most):
    styles = arguments.STYLES
    if any("finite" in op.attrs for op in program.ops):
        styles = [style for style in styles
                  if style not in ("hidden", "inf", "off")]
    made = []
    for _ in range(count):
        # A few are large.
        drawn = arguments.draw_sizes(
            program, rng, most * (10 if rng.random() < 0.1 else 1))
        made.append(Call(tuple(drawn.items()),
                         styles[int(rng.integers(len(styles)))],
                         int(rng.integers(2**31))))
    return made


def draw_trials(program, rng, options):
    """Trials of one program with the same calls: as the planner has it, and
    forced."""
    arguments.lighten(program, options.work)
    drawn = draw_calls(program, rng, options.calls, options.work)
    made = []
    for number in range(options.artifacts):
        target = sizes.draw_target(rng)
        plan = sizes.draw_plan(rng, program.ops, target)
        level = "-O0" if rng.random() < options.plain else ""
        made.append(Trial(program, target, plan, drawn, options.fault, level,
                          options.sanitize))
    return made
