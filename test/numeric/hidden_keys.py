# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hides keys by a score_mod or a prior, or by a bias of -inf, or of the lowest
number of f32, as some frontends write masks, and compares what no limit of error
sees: where a row has nothing else, it grows with that number.

With -inf, NaN in values of keys that no query sees reaches no result. With the
lowest number, a row that has nothing else weighs all keys alike, and other rows
are as with -inf.
"""

import pathlib
import sys
import tempfile

import numpy as np

import inputs
import run_variant

LOWEST = np.finfo(np.float32).min
TOLERANCE = {"f32": 1e-5, "bf16": 2e-2, "f16": 2e-3}


def results(variant, x, dtypes=None):
    """The results by name for the arguments `x`, of the variant's type but for
    those in `dtypes`."""
    file = variant.folder / "inputs.npz"
    np.savez(file, **{name: inputs.encode(array, (dtypes or {}).get(name, variant.dtype))
                      for name, array in x.items()})
    return variant.actual(file)


def check_bias(variant, are_same):
    """Complaints about `softmax_bias`; `are_same` compares two arrays."""
    x = {name: inputs.decode(array) for name, array in variant.draw("2x37x70x1", 1).items()}
    x["bias"][..., 3::5] = -np.inf
    hidden = results(variant, x)["o"]
    values = x["v"].copy()
    x["v"][..., 3::5, :] = np.nan
    if not are_same(results(variant, x)["o"], hidden):
        yield "values of hidden keys reach the results"
    x["v"] = values
    if variant.dtype == "f16":
        return  # its lowest number is no mask
    x["bias"][..., 3::5] = LOWEST if variant.dtype == "f32" else -3.3e38
    x["bias"][..., 2, :] = x["bias"].min()
    low = results(variant, x)["o"]
    mean = values.mean(axis=-2)
    if not np.allclose(low[..., 2, :], mean, atol=TOLERANCE[variant.dtype]):
        yield "a row of lowest numbers does not weigh all keys alike"
    rest = np.arange(low.shape[-2]) != 2
    if not np.allclose(low[..., rest, :], hidden[..., rest, :], atol=TOLERANCE[variant.dtype]):
        yield "keys of the lowest bias count"


def check_scores(variant, are_same):
    """The same of `hidden_by_scores`: which values hidden keys have is all one."""
    rng, (queries, keys) = np.random.default_rng(2), (37, 70)
    x = {"q": rng.standard_normal((2, 2, queries, 24)), "of_key": np.zeros(keys),
         "keys": rng.standard_normal((2, 2, 2, keys, 24)), "prior": np.zeros((2, 2, keys)),
         **{name: rng.standard_normal((2, 2, keys, 24)) for name in "kv"}}
    x["of_key"][3::5] = x["prior"][..., 3::5] = -np.inf
    found = []
    for hidden in (1, np.nan):
        x["v"][..., 3::5, :] = hidden
        found.append(results(variant, x, {"of_key": "f32"}))
    for name, with_numbers in found[0].items():
        if not are_same(found[1][name], with_numbers):
            yield f"values of keys hidden {name} reach the results".replace("_", " ")


CHECKS = {"softmax_bias": check_bias, "hidden_by_scores": check_scores}


def main():
    bad = 0
    decode = "--plan=decode,block=16,split=32"
    for dtype, target, *plan in (
            ("f32", "native"), ("f32", "x86-64"), ("bf16", "native"),
            ("bf16", "x86-64-v3"), ("f16", "x86-64-v3"), ("f32", "native", decode),
            ("bf16", "x86-64-v3", decode)):
        for name, check in CHECKS.items():
            with tempfile.TemporaryDirectory() as folder:
                variant = run_variant.Variant(name, dtype, pathlib.Path(folder), None, (),
                                              [f"--target={target}", *plan])
                variant.has_reference = False
                for complaint in check(variant, np.array_equal):
                    bad += 1
                    print(f"FAIL {dtype} {target} {' '.join(plan)}: {complaint}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
