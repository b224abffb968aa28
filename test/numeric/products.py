# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes tile.x86.product in all combinations of its clauses and compares it
with its description. Numbers are whole, so that sums are exact in any order;
what must not be read is NaN."""

import itertools
import pathlib
import re
import sys
import tempfile
from typing import NamedTuple, Optional

import numpy as np

import inputs
import run_variant

# Rows and vectors of lanes of the target, rows on the right.
SHAPES = [(9, 5, 33), (1, 1, 1), (4, 4, 20), (13, 1, 131), (6, 2, 7),
          (5, 3, 260), (2, 7, 4)]
# LLVM's name, its features, the lanes of a vector, and what Linux calls that
# which a machine must have.
TARGETS = [("x86-64", "sse2", 4, "sse2"), ("x86-64-v3", "avx2,fma", 8, "avx2"),
           ("x86-64-v4", "avx512f,fma", 16, "avx512dq")]
# Left rows in front of the product's.
ROW = 2
# What the instruction for pairs of bf16 computes.
ADD_PAIRS = """
func.func private @add_pairs(%sum: vector<16xf32>, %x: vector<32xbf16>, %y: vector<32xbf16>)
    -> vector<16xf32> {
  %0 = arith.extf %x : vector<32xbf16> to vector<32xf32>
  %1 = arith.extf %y : vector<32xbf16> to vector<32xf32>
  %2 = arith.mulf %0, %1 : vector<32xf32>
  %3, %4 = vector.deinterleave %2 : vector<32xf32> -> vector<16xf32>
  %5 = arith.addf %sum, %3 : vector<16xf32>
  %6 = arith.addf %5, %4 : vector<16xf32>
  return %6 : vector<16xf32>
}
"""


class Case(NamedTuple):
    """One product."""
    name: str
    rows: int
    lanes: int
    steps: int
    transposed: bool
    # Rows of the left side that are not clamped.
    whole: Optional[int]
    count: Optional[int]
    units: int
    onto: bool
    lost: bool
    epilogue: bool
    # Whether the right side is in pairs, and the last column is alone.
    pairs: bool
    is_odd: bool
    factor: float

    @property
    def left_shape(self):
        """What the product reads of the left side, without the rows in front."""
        numbers = 2 if self.pairs else 1
        if self.transposed:
            return self.steps, numbers * self.rows
        return self.rows, numbers * self.steps - self.is_odd

    @property
    def right_shape(self):
        return self.steps, (2 if self.pairs else 1) * self.lanes


def cases(vector, has_pairs):
    """All combinations; shapes, counts and factors by turns."""
    kinds = itertools.product((False, True), (False, True), ("all", "count", "units"),
                              ("into", "onto", "lost"), (False, True),
                              (False, True) if has_pairs else (False,))
    for i, (transposed, clamped, end, sum_, epilogue, pairs) in enumerate(kinds):
        turn = i + i // len(SHAPES) + vector // 4
        rows, vectors, steps = SHAPES[turn % len(SHAPES)]
        yield Case(
            f"case{i}", rows, vectors * vector, steps, transposed,
            max(1, (steps if transposed else rows) - turn % 4) if clamped else None,
            max(0, steps - turn % 5) if end == "count" else None,
            (1, 5, 16, 3)[turn % 4] if end == "units" else 0,
            sum_ != "into", sum_ == "lost", epilogue, pairs,
            pairs and not transposed and end != "count" and turn % 2 == 0,
            (1, 0.5, -2)[turn % 3])


def program(case, vector):
    """An entry that computes the product of `case`."""
    element = "bf16" if case.pairs else "f32"
    matrices = {"left": (case.left_shape[0] + ROW, case.left_shape[1]),
                "right": case.right_shape, "target": (case.rows, case.lanes),
                "lost": (case.rows, case.lanes), "bias": (1, case.lanes),
                "ran": (1, case.units or 1)}
    elements = {name: element if name in ("left", "right") else "f32" for name in matrices}
    shape = {name: f"{m}x{n}x{elements[name]}" for name, (m, n) in matrices.items()}
    buffer = {name: f"memref<{text}>" for name, text in shape.items()}
    results = ("target", "lost", "ran")
    lines = [f"func.func @{case.name}("
             + ", ".join(f'%{n}_in: tensor<{t}> {{attn.name = "{n}"}}' for n, t in shape.items())
             + ") -> ("
             + ", ".join(f'tensor<{shape[n]}> {{attn.name = "new_{n}"}}' for n in results) + ") {",
             f"%row = arith.constant {ROW} : index", "%c0 = arith.constant 0 : index"]
    for name in matrices:
        held = f"%{name}_held" if name in results else f"%{name}"
        lines.append(f"{held} = bufferization.to_buffer %{name}_in"
                     f" : tensor<{shape[name]}> to {buffer[name]}")
        if name in results:
            lines += [f"%{name} = memref.alloc() : {buffer[name]}",
                      f"memref.copy {held}, %{name} : {buffer[name]} to {buffer[name]}"]
    words = ["tile.x86.product", "transposed" if case.transposed else "", "%left[%row]"]
    if case.whole is not None:
        lines.append(f"%last = arith.constant {ROW + case.whole - 1} : index")
        words.append("last %last")
    words.append(", %right")
    if case.count is not None:
        lines.append(f"%count = arith.constant {case.count} : index")
        words.append("count %count")
    if case.factor != 1:
        words.append(f"factor {float(case.factor)}")
    words.append("onto %target" if case.onto else "into %target")
    types = [buffer["left"], buffer["right"], buffer["target"]]
    if case.lost:
        words.append("lost %lost")
        types.append(buffer["lost"])
    if case.units:
        words.append(f"units {case.units}")
    words.append(": " + ", ".join(types))
    if case.units:
        words.append(f"""{{
^bb0(%unit: index):
  %before = memref.load %ran[%c0, %unit] : {buffer["ran"]}
  %one = arith.constant 1.0 : f32
  %after = arith.addf %before, %one : f32
  memref.store %after, %ran[%c0, %unit] : {buffer["ran"]}
}}""")
    if case.epilogue:
        kind = f"vector<{vector}xf32>"
        words.append(f"""epilogue {{
^bb0(%sum: {kind}, %r: index, %lane: index):
  %offset = vector.load %bias[%c0, %lane] : {buffer["bias"]}, {kind}
  %number = arith.index_cast %r : index to i32
  %float = arith.sitofp %number : i32 to f32
  %numbers = vector.broadcast %float : f32 to {kind}
  %some = arith.addf %sum, %offset : {kind}
  %all = arith.addf %some, %numbers : {kind}
  %zero = arith.constant dense<0.0> : {kind}
  %relu = arith.maximumf %all, %zero : {kind}
  tile.x86.yield %relu : {kind}
}}""")
    lines.append(" ".join(words))
    lines += [f"%{n}_out = bufferization.to_tensor %{n} restrict : {buffer[n]} to tensor<{shape[n]}>"
              for n in results]
    lines.append("return " + ", ".join(f"%{n}_out" for n in results) + " : "
                 + ", ".join(f"tensor<{shape[n]}>" for n in results))
    return "\n".join(lines) + "\n}\n"


def draw(case, rng):
    """Small whole numbers; a target that is as large as loses to rounding."""
    def whole(*shape):
        return rng.integers(-4, 5, shape).astype(np.float32)
    left = whole(case.left_shape[0] + ROW, case.left_shape[1])
    right = whole(*case.right_shape)
    left[:ROW] = np.nan
    if case.whole is not None:
        left[ROW + case.whole:] = np.nan
    if case.count is not None:
        right[case.count:] = np.nan
        if case.transposed:
            left[ROW + max(case.count, 1):] = np.nan
        else:
            left[:, case.count * (2 if case.pairs else 1):] = np.nan
    if case.is_odd:
        right[-1, 1::2] = 0
    target, lost = whole(case.rows, case.lanes), whole(case.rows, case.lanes) / 8
    if case.lost:
        target = target * np.float32(2**24) + whole(case.rows, case.lanes)
    return {"left": left, "right": right, "target": target, "lost": lost,
            "bias": whole(1, case.lanes),
            "ran": np.zeros((1, case.units or 1), np.float32)}


def expected(case, x):
    """The results by the op's description, number by number of the left side."""
    columns = case.steps if case.count is None else case.count
    last = np.inf if case.whole is None else ROW + case.whole - 1
    total = np.zeros((case.rows, case.lanes))
    for r, i in itertools.product(range(case.rows), range(columns)):
        at, j = (ROW + i, r) if case.transposed else (ROW + r, i)
        at = int(min(at, last))
        if not case.pairs:
            total[r] += float(x["left"][at, j]) * x["right"][i].astype(float)
            continue
        for half in range(2):
            if 2 * j + half < x["left"].shape[1]:
                total[r] += float(x["left"][at, 2 * j + half]) * x["right"][i, half::2].astype(float)
    total = (case.factor * total).astype(np.float32)
    lost = x["lost"]
    if case.lost:
        term = total - lost
        total = x["target"] + term
        lost = (total - x["target"]) - term
    elif case.onto:
        total = x["target"] + total
    if case.epilogue:
        total = np.maximum(total + x["bias"] + np.arange(case.rows)[:, None].astype(np.float32), 0)
    return {"new_target": total, "new_lost": lost,
            "new_ran": np.full_like(x["ran"], float(case.units > 0))}


def check(target, features, vector, folder, rng):
    """Names and results that differ, for each case that has one."""
    all_cases = list(cases(vector, "avx512f" in features))
    tiled, lowered, artifact = folder / "tiled.mlir", folder / "lowered.mlir", folder / "all.so"
    tiled.write_text(ADD_PAIRS + "".join(program(case, vector) for case in all_cases))
    run_variant.run("mixattn-opt", tiled, f"--attn-set-target=features={features}",
                    "--tile-lower-x86", "-o", lowered)
    # The intrinsic's side effects are not known to bufferization, in front of
    # which products are lowered here.
    lowered.write_text(re.sub(
        r'llvm\.call_intrinsic "llvm\.x86\.avx512bf16\.dpbf16ps\.512"(.*)',
        r"func.call @add_pairs\1", lowered.read_text()))
    run_variant.run("mixattn-compile", lowered, f"--target={target}", "-O0", "-o", artifact)
    for case in all_cases:
        x = draw(case, rng)
        names = {"left", "right"} if case.pairs else set()
        np.savez(folder / "x.npz", **{
            name: inputs.encode(value, "bf16") if name in names else value
            for name, value in x.items()})
        right = expected(case, x)
        run_variant.run("mixattn-run", artifact, f"--entry={case.name}",
                        f"--inputs={folder / 'x.npz'}",
                        *(f"--output={name}={folder / name}.npy" for name in right))
        for name, value in right.items():
            actual = np.load(folder / f"{name}.npy")
            if not np.array_equal(actual, value):
                yield f"{name} of {case}"


def main():
    rng, bad = np.random.default_rng(5), 0
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    for target, features, vector, flag in TARGETS:
        if flag not in flags:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for complaint in check(target, features, vector, pathlib.Path(folder), rng):
                bad += 1
                print(f"FAIL {target}: {complaint}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
