# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other people's models, exported, compiled and compared with PyTorch in double
precision: real_models.py [--full] [--families] [--onnx] [--only=NAME]... Run by scripts/models.sh.

Weights are random. Every result is within 1e-4 of its largest number, raised
and plain. Small ones have two layers or four, --full has all of them.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import families
import models
import numpy as np
import torch

LIMIT = 1e-4
LENGTH = 28
OPSETS = (18, 20, 23)


def write(model, x, path, opset):
    """The model's file, in ONNX's format where there is an opset."""
    if not opset:
        return models.export(model, path)
    torch.onnx.export(model, (x,), dynamo=True, verbose=False, opset_version=opset,
                      dynamic_shapes=(models.open_dims(model)["x"],)).save(path)


def exported(model, path, opset):
    """The input as a file next to the model's, and the result in double precision."""
    x = models.example(model, 2, LENGTH)
    write(model, x, path, opset)
    np.savez(path.parent / "inputs.npz", x=x.numpy())
    with torch.no_grad():
        return model.double()(x.double() if x.is_floating_point() else x).numpy()


def compiled(model, options):
    """The result, how many attentions were raised of how many, and seconds."""
    folder, began = model.parent, time.monotonic()
    said = subprocess.run(["mixattn-compile", model, "--remarks", "-o",
                           folder / "model.so", *options], check=True, text=True,
                          stderr=subprocess.PIPE).stderr
    seconds = time.monotonic() - began
    raised = re.search(r"raised (\d+ of \d+) attentions", said)
    subprocess.run(["mixattn-run", folder / "model.so",
                    f"--weights={folder / 'model.safetensors'}",
                    f"--inputs={folder / 'inputs.npz'}", f"--outputs={folder / 'out.npz'}"],
                   check=True)
    with np.load(folder / "out.npz") as results:
        return results[results.files[0]], raised[1] if raised else "–", seconds


def check(name, make, full, opset):
    """Prints a row, and gives whether all is right."""
    torch.manual_seed(0)
    row = f"{name} {opset or ''}"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ("model.onnx" if opset else "model.pt2")
        right = exported(make(full).eval(), path, opset)
        errors = []
        for flags in ([], ["--no-raise"]):
            try:
                result, raised, seconds = compiled(path, flags)
            except subprocess.CalledProcessError as error:
                print(f"{row:34}{(error.stderr or str(error)).strip()}", flush=True)
                return False
            errors.append(np.abs(result - right).max() / np.abs(right).max())
            if not flags:
                shown, first = raised, seconds
    print(f"{row:34}{shown:>10}{errors[0]:10.1e}{errors[1]:10.1e}{first:8.1f} s", flush=True)
    # NaN is no number that is small enough.
    return bool(max(errors) <= LIMIT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="all layers, as published")
    parser.add_argument("--families", action="store_true", help="small ones of many families instead")
    parser.add_argument("--onnx", action="store_true", help="in ONNX's format, at each opset")
    parser.add_argument("--only", action="append", metavar="NAME",
                        help=", ".join([*models.MODELS, *families.FAMILIES]))
    options = parser.parse_args()
    made = families.FAMILIES if options.families else models.MODELS
    bad = 0
    print(f"{'model':34}{'raised':>10}{'error':>10}{'plain':>10}{'compiled':>10}")
    for name, make in made.items():
        if not options.only or name in options.only:
            for opset in OPSETS if options.onnx else (None,):
                bad += not check(name, make, options.full, opset)
    print(f"{bad} models wrong")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
