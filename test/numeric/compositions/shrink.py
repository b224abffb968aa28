# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing trial as small as it can be, failing in the same way."""

import time
from dataclasses import replace

from compositions import text

SMALL = (0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65,
         80, 96, 100, 128, 129, 192, 256, 257, 400, 512, 513, 1000, 1024, 2048)
SEVERAL = ({"w1", "b1", "w2", "b2", "normaliser"},
           {"mix_source", "mix_weight", "mix_bias"},
           {"key_projection", "value_projection"}, {"sigma", "noise"},
           {"sigma", "seed", "offset"}, {"error_index", "error_value"},
           {"projection"})
NEEDED = {"query", "key", "value", "given", "responsibilities"}


def smaller(trial):
    """Trials one step smaller, those that save most first."""
    yield from fewer_outputs(trial)
    yield from fewer_ops(trial)
    yield from plainer_calls(trial)
    yield from fewer_clauses(trial)
    yield from fewer_sizes(trial)
    yield from plainer_types(trial)
    if trial.plan:
        yield replace(trial, plan="")
    if trial.level:
        yield replace(trial, level="")
    if trial.target != "native":
        yield replace(trial, target="native")


def changed(trial, change):
    """The trial with a copy of its program changed."""
    program = trial.program.copy()
    change(program)
    program.prune()
    made = replace(trial, program=program)
    made.calls = [fitting(program, call) for call in trial.calls]
    return made


def fitting(program, call):
    """The call without the sizes of dims that the program lost."""
    known = set(program.used_dims())
    return replace(call, sizes=tuple((dim, size) for dim, size in call.sizes
                                     if dim in known))


def fewer_outputs(trial):
    for name in trial.program.outputs:
        if len(trial.program.outputs) > 1:
            yield changed(trial, lambda p: p.outputs.remove(name))
    for number, op in enumerate(trial.program.ops):
        for role, name in op.results.items():
            if role != "result" and name not in trial.program.outputs:
                yield changed(trial,
                              lambda p: p.ops[number].results.pop(role))


def fewer_ops(trial):
    """An op whose result becomes an argument, or that stands inline."""
    for number, op in enumerate(trial.program.ops):
        name = op.results["result"]
        if op.place != "inline":
            def inline(program):
                program.ops[number].place = "inline"
            yield changed(trial, inline)
        if len(trial.program.ops) > 1 and not (
                set(op.results.values()) & set(trial.program.outputs)):
            role = trial.program.users(name)[0][1]

            def cut(program):
                program.ops.pop(number)
                program.tensors[name].role = role
            yield changed(trial, cut)


def plainer_calls(trial):
    call = trial.calls[0]
    if call.style != "plain":
        yield replace(trial, calls=[replace(call, style="plain")])
    for place, (dim, size) in enumerate(call.sizes):
        for less in SMALL:
            if less >= size:
                break
            sizes = list(call.sizes)
            sizes[place] = (dim, less)
            yield replace(trial, calls=[replace(call, sizes=tuple(sizes))])


def fewer_clauses(trial):
    for name in trial.program.constants():
        def give(program):
            program.tensors[name].constant = ""
        yield changed(trial, give)
    for number, op in enumerate(trial.program.ops):
        for attr in op.attrs:
            if attr in ("noise", "rolls", "feature_map"):
                continue

            def drop(program):
                program.ops[number].attrs.pop(attr)
                program.ops[number].operands.pop(
                    "table" if attr == "score_mod" else "", None)
            yield changed(trial, drop)
        roles = set(op.operands)
        groups = [group for group in SEVERAL if group <= roles]
        groups += [{role} for role in sorted(roles - NEEDED)
                   if not any(role in group for group in SEVERAL)
                   and op.kind != "add"]
        for group in groups:
            def without(program):
                for role in group:
                    program.ops[number].operands.pop(role)
                if "sigma" in group:
                    program.ops[number].attrs.pop("noise")
                if "projection" in group:
                    program.ops[number].attrs["feature_map"] = "elu"
            yield changed(trial, without)


def static_sizes(program):
    """Sizes that stand in shapes themselves."""
    return sorted({size for name in program.tensors for size in
                   program.tensors[name].shape if isinstance(size, int)},
                  reverse=True)


def fewer_sizes(trial):
    program = trial.program
    for dim, size in program.dims.items():
        if size is None:
            continue
        for less in SMALL:
            if less >= size:
                break

            def shorten(p):
                p.dims[dim] = less
            yield changed(trial, shorten)
    for size in static_sizes(program):
        for less in SMALL[1:]:
            if less >= size:
                break

            def resize(p):
                for tensor in p.tensors.values():
                    tensor.shape = tuple(less if each == size else each
                                         for each in tensor.shape)
                for op in p.ops:
                    if len(op.attrs.get("variances", ())) == size:
                        op.attrs["variances"] = op.attrs["variances"][:less]
            yield changed(trial, resize)


def plainer_types(trial):
    for dtype in ("f16", "bf16"):
        if any(tensor.dtype == dtype
               for tensor in trial.program.tensors.values()):
            def widen(program):
                for tensor in program.tensors.values():
                    if tensor.dtype == dtype:
                        tensor.dtype = "f32"
            yield changed(trial, widen)
    for name, tensor in trial.program.tensors.items():
        if tensor.dtype in ("f16", "bf16"):
            def widen_one(program):
                program.tensors[name].dtype = "f32"
            yield changed(trial, widen_one)


def key_of(trial):
    return text.to_text(trial.program), tuple(trial.calls), trial.target, \
        trial.plan


def shrink(finding, attempt, seconds, say=lambda text: None):
    """The smallest failing trial that steps lead to. `attempt` gives a trial's
    finding or nothing."""
    end, best, seen = time.monotonic() + seconds, finding, set()
    tried = 0
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for trial in smaller(best.trial):
            if time.monotonic() > end:
                break
            try:
                key = key_of(trial)
            except (KeyError, IndexError, ValueError):
                continue
            if key in seen:
                continue
            seen.add(key)
            tried += 1
            made = attempt(trial)
            if made and made.kind == finding.kind:
                best, progress = made, True
                say(f"shrunk after {tried} trials")
                break
    return best
