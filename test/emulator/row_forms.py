# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what rows go through on a GPU with NumPy in f64: the forms of
test/numeric/rows.py. Kernels' bits are the same where copies land early and late
and blocks run on one multiprocessor and on many.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import driver
import run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "numeric"))

import rows  # noqa: E402
from linalg_graph import Graph, numbers  # noqa: E402

# Forms whose ops are one kernel; others are an element a thread, op by op.
ONE = {"all_but_first", "gate", "masked", "mean_apart", "residual_norm",
       "softmax", "times_vector", "two_rows"}
# A view with one dim more, which a GPU's entry does not have.
REFUSED = {"window_max"}


def compute(text, options):
    """The results of the function in `text`, and its launches."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "f.mlir").write_text(text)
        made = subprocess.run(
            ["mixattn-compile", folder / "f.mlir", f"--target={options.target}",
             "-o", folder / "f.ptx"], capture_output=True, text=True)
        if made.returncode:
            raise driver.DriverError(made.stderr)
        entry = json.loads((folder / "f.json").read_text())["entries"][0]
        return (folder / "f.ptx").read_text(), entry


def check(form, sizes, dtype, is_open, options):
    """What is wrong, or nothing."""
    graph = Graph(sizes, dtype, is_open)
    made = form(graph)
    if made is None:
        return ""
    names, numpy = made
    text, entry = compute(graph.text(names), options)
    arrays = {name: held.view(np.uint16) if held.dtype.kind == "V" else held
              for name, (held, _) in graph.arrays.items()}
    runs = []
    for landing, count in (("issue", 1), ("wait", 1000)):
        cuda = driver.Driver(options.library or run.find_library(),
                             chip=options.target, seed=1, landing=landing,
                             sms=count)
        results, _ = run.Run(cuda, text, entry, arrays).run()
        runs.append([results[f"r{i}"] for i in range(len(names))])
    if form.__name__ in ONE and len(entry["launches"]) != 1:
        return f"{len(entry['launches'])} kernels, not one"
    expected = numpy(*(exact.astype(np.float64)
                       for _, exact in graph.arrays.values()))
    for i, (one, other, right) in enumerate(zip(*runs, expected)):
        if one.tobytes() != other.tobytes():
            return "many multiprocessors give other bits than one"
        kind = entry["results"][i]["dtype"]
        is_float = kind in ("bf16", "f16", "f32")
        held = one.view({"bf16": "V2", "f16": np.float16}.get(kind, one.dtype))
        scale = np.max(np.abs(right)) if is_float else 1
        limit = rows.LIMITS[kind] if is_float else 2.0**-60
        worst = np.max(np.abs(numbers(held) - right)) / scale
        if not worst <= limit:
            return f"an error of {worst:.2e} of the largest result"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("forms", nargs="*", help="names of forms; default: all")
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    forms = [form for form in rows.FORMS if form.__name__ not in REFUSED
             if not options.forms or form.__name__ in options.forms]
    bad = 0
    for form in forms:
        for dtype, is_open, size in (("bf16", True, 0), ("f32", False, 1),
                                     ("f16", True, 2), ("bf16", False, 3)):
            try:
                wrong = check(form, rows.SIZES[size], dtype, is_open, options)
            except driver.DriverError as failure:
                wrong = str(failure)
            if wrong:
                bad += 1
                print(f"{form.__name__} {dtype} {'open' if is_open else 'known'} "
                      f"{rows.SIZES[size]}: {wrong}")
    print(f"{len(forms)} forms, {bad} wrong")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
