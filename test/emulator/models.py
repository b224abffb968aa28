# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles an exported model for a GPU, runs it on the emulator and compares with
PyTorch's results in double precision, of test/import/Inputs/NAME.json and .npz.

    models.py packed_block --target=sm_90a
"""

import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np

import driver
import run

IMPORT = pathlib.Path(__file__).resolve().parents[1] / "import"
sys.path.insert(0, str(IMPORT))

import archive  # noqa: E402
import draw  # noqa: E402

# Of the largest number of a result: tensors between layers are rounded to bf16.
LIMIT = 2.0**-7


def upper_halves(array):
    return np.ascontiguousarray(array, np.float32).view(np.uint16)[..., 1::2]


def held(array, dtype):
    """`array` as kernels take elements of `dtype`."""
    if dtype != "bf16":
        return np.array(array, run.DTYPES[dtype])
    array = np.asarray(array)
    return upper_halves(array.reshape(-1)).reshape(array.shape).copy()


def weights_of(program):
    """The weights, as archive.py writes them, by the names that entries have."""
    for name, is_constant, meta in archive.weights_of(program):
        shape = [size["as_int"] for size in meta["sizes"]]
        yield (name.replace(".", "_"), np.array(program["constants"][name])
               if is_constant else draw.small(name, shape))


def compile_model(program, folder, target):
    """The PTX and the entry."""
    model = folder / "model.pt2"
    archive.archive(program, model, None)
    return run.compile_source(model, target)


def error_of(result, dtype, expected):
    """The largest, of the largest number."""
    if dtype == "bf16":
        result = (result.astype(np.uint32) << 16).view(np.float32)
    return np.max(np.abs(result - expected)) / np.max(np.abs(expected))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of a model of test/import/gpu_models.py")
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    program = json.loads((IMPORT / "Inputs" / f"{options.name}.json").read_text())
    with np.load(IMPORT / "Inputs" / f"{options.name}.npz") as arrays:
        given = {key[6:]: arrays[key] for key in arrays if key.startswith("input.")}
        expected = {key: arrays[key] for key in arrays if not key.startswith("input.")}
    given |= dict(weights_of(program))
    with tempfile.TemporaryDirectory() as folder:
        text, entry = compile_model(program, pathlib.Path(folder), options.target)
    dtypes = {each["name"]: each["dtype"] for each in entry["arguments"] + entry["results"]}
    cuda = driver.Driver(options.library or run.find_library(), chip=options.target, seed=1)
    results, status = run.Run(cuda, text, entry, {
        each["name"]: held(given[each["name"]], each["dtype"])
        for each in entry["arguments"]}).run()
    worst = np.max([error_of(results[name], dtypes[name], exact)
                    for name, exact in expected.items()])
    print(f"{options.name} {options.target}: {len(expected)} results, error "
          f"{worst / LIMIT:.3f} of the limit")
    return 0 if status == 0 and worst < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
