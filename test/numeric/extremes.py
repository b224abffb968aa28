# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verdicts of mixattn-run --check where scores or results are extreme: a
right artifact passes, and one whose reference reads q as the key fails.

Keys are hidden by -1e9 and by the lowest number of f32; results lie near the
smallest numbers of their type; a logarithm is near 0. Where the limit proves
nothing, neither passes.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import inputs
import run_variant

LINE = r"\w+: max error \S+ \(limit (\S+)\): (.*)\n"
NOTHING = "FAILED: a limit of 1 or more proves nothing"


def as_drawn(x):
    pass


def one_key_hidden(x):
    x["bias"][..., 7] = -1e9


def keys_of_lowest_bias(x):
    x["bias"][..., 3::5] = np.finfo(np.float32).min


def row_of_large_scores(x):
    x["bias"][..., 5, :] = -1e9


def products_that_cancel(x):
    """Each query sees one key, and its product with that is 0."""
    x["lengths"][:] = 1
    half = x["q"].shape[-1] // 2
    x["q"][..., half:] = x["q"][..., half - 1::-1]
    x["k"][..., half:] = -x["k"][..., half - 1::-1]


def values_times(factor):
    def scale(x):
        x["v"] *= factor
    scale.__name__ = f"values_times_{factor:g}"
    return scale


# Variant, type, what changes the arguments, and below what the limit is: None
# where it proves nothing.
CASES = [("softmax_bias", "f32", as_drawn, 1e-5),
         ("softmax_bias", "f32", one_key_hidden, 1e-5),
         ("softmax_bias", "bf16", one_key_hidden, 1e-2),
         ("softmax_bias", "f32", keys_of_lowest_bias, 1e-5),
         ("softmax_bias", "f32", row_of_large_scores, None),
         ("softmax_results", "f32", products_that_cancel, 1e-5),
         ("softmax", "f16", values_times(1e-5), 1e-2),
         ("softmax", "f16", values_times(1e-7), 0.6),
         ("softmax", "f16", values_times(2e-8), None),
         ("softmax", "bf16", values_times(1e-32), 0.2),
         ("softmax", "bf16", values_times(1e-36), None),
         ("softmax", "f32", values_times(1e-39), 0.2),
         ("softmax", "f32", values_times(1e-42), None)]


def check(artifact, file):
    """The printed text, exit status, the largest limit and the verdicts."""
    process = subprocess.run(
        ["mixattn-run", artifact, f"--inputs={file}", "--check"],
        capture_output=True, text=True)
    found = re.findall(LINE, process.stdout)
    return (process.stdout + process.stderr, process.returncode,
            max((float(limit) for limit, _ in found), default=np.nan),
            {verdict for _, verdict in found})


def is_said(wanted, most, status, limit, verdicts):
    """Whether that comes of a check whose limit is below `most`."""
    if most is None:
        return status == 1 and verdicts == {NOTHING} and limit >= 1
    # Some results have nothing to do with keys.
    if wanted == "FAILED":
        verdicts = verdicts - {"ok"}
    return (status == (wanted == "FAILED") and verdicts == {wanted}
            and limit < most)


def with_wrong_reference(artifact):
    """A copy whose manifest names q where it names the key."""
    right = artifact.read_bytes()
    wrong = right.replace(b'"key":"k"', b'"key":"q"')
    if wrong == right:
        raise RuntimeError("expected a key in the manifest, but got none")
    copy = artifact.with_suffix(".wrong.so")
    copy.write_bytes(wrong)
    return copy


def complaints_about(variant, change, most):
    # As many queries as keys, so that one may stand for the other.
    stored = variant.draw("2x40x40x1", 1)
    x = {name: inputs.decode(array) for name, array in stored.items()}
    change(x)
    file = variant.folder / "inputs.npz"
    np.savez(file, **{name: inputs.encode(array, variant.dtype)
                      if array.dtype.kind == "f" else array
                      for name, array in x.items()})
    for artifact, wanted in (
            (variant.artifact, "ok"),
            (with_wrong_reference(variant.artifact), "FAILED")):
        printed, *found = check(artifact, file)
        if not is_said(wanted, most, *found):
            yield f"{artifact.name}: exit {found[0]}: {printed}"


def main():
    bad = 0
    for name, dtype, change, most in CASES:
        with tempfile.TemporaryDirectory() as folder:
            variant = run_variant.Variant(name, dtype, pathlib.Path(folder),
                                          None)
            for complaint in complaints_about(variant, change, most):
                bad += 1
                print(f"FAIL {change.__name__}: {complaint}")
    print(f"{len(CASES)} cases, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
