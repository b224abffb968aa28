# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hides keys by a score_mod or a prior, or by a bias of -inf, or of the lowest
number of f32, as some frontends write masks, and compares what no limit of error
sees: where a row has nothing else, it grows with that number.

With -inf, NaN in values of keys that no query sees reaches no result. With the
lowest number, a row that has nothing else weighs all keys alike, and other rows
are as with -inf.
"""

import itertools
import pathlib
import sys
import tempfile

import numpy as np

import inputs
import run_variant

LOWEST = np.finfo(np.float32).min
TOLERANCE = {"f32": 1e-5, "bf16": 2e-2, "f16": 2e-3}


def results(variant, x):
    """The result for the arguments `x`."""
    file = variant.folder / "inputs.npz"
    np.savez(file, **{name: inputs.encode(array, variant.dtype) for name, array in x.items()})
    return variant.actual(file)["o"]


def check(dtype, target, folder, *plan):
    """Complaints about one type, machine and plan."""
    variant = run_variant.Variant("softmax_bias", dtype, folder, None, (),
                                  [f"--target={target}", *plan])
    variant.has_reference = False
    x = {name: inputs.decode(array) for name, array in variant.draw("2x37x70x1", 1).items()}
    x["bias"][..., 3::5] = -np.inf
    hidden = results(variant, x)
    values = x["v"].copy()
    x["v"][..., 3::5, :] = np.nan
    if not np.array_equal(results(variant, x), hidden):
        yield "values of hidden keys reach the results"
    x["v"] = values
    if dtype == "f16":
        return  # its lowest number is no mask
    x["bias"][..., 3::5] = LOWEST if dtype == "f32" else -3.3e38
    x["bias"][..., 2, :] = x["bias"].min()
    low = results(variant, x)
    mean = values.mean(axis=-2)
    if not np.allclose(low[..., 2, :], mean, atol=TOLERANCE[dtype]):
        yield "a row of lowest numbers does not weigh all keys alike"
    rest = np.arange(low.shape[-2]) != 2
    if not np.allclose(low[..., rest, :], hidden[..., rest, :], atol=TOLERANCE[dtype]):
        yield "keys of the lowest bias count"


def check_scores(dtype, target, folder, *plan):
    """The same of keys that scores hide: which values they have is all one."""
    variant = run_variant.Variant("hidden_by_scores", dtype, folder, None, (),
                                  [f"--target={target}", *plan])
    variant.has_reference = False
    rng, (queries, keys) = np.random.default_rng(2), (37, 70)
    x = {"q": rng.standard_normal((2, 2, queries, 24)), "of_key": np.zeros(keys),
         "keys": rng.standard_normal((2, 2, 2, keys, 24)), "prior": np.zeros((2, 2, keys)),
         **{name: rng.standard_normal((2, 2, keys, 24)) for name in "kv"}}
    x["of_key"][3::5] = x["prior"][..., 3::5] = -np.inf
    found = []
    for hidden in (1, np.nan):
        x["v"][..., 3::5, :] = hidden
        file = folder / "inputs.npz"
        np.savez(file, **{name: inputs.encode(array, "f32" if name == "of_key" else dtype)
                          for name, array in x.items()})
        found.append(variant.actual(file))
    for name, with_numbers in found[0].items():
        if not np.array_equal(with_numbers, found[1][name]):
            yield f"values of keys hidden {name} reach the results".replace("_", " ")


def main():
    bad = 0
    decode = "--plan=decode,block=16,split=32"
    for dtype, target, *plan in (
            ("f32", "native"), ("f32", "x86-64"), ("bf16", "native"),
            ("bf16", "x86-64-v3"), ("f16", "x86-64-v3"), ("f32", "native", decode),
            ("bf16", "x86-64-v3", decode)):
        with tempfile.TemporaryDirectory() as folder:
            case = dtype, target, pathlib.Path(folder), *plan
            for complaint in itertools.chain(check(*case), check_scores(*case)):
                bad += 1
                print(f"FAIL {dtype} {target} {' '.join(plan)}: {complaint}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
