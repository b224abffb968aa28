# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a character model of examples/charlm in bf16 on the emulated GPU, tokens
to logits, with the weights that PyTorch recorded. Compares its logits with those
of the f32 model on the CPU, of the same rounded weights, which are within 1e-5 of
PyTorch's in double precision (examples/charlm). Prints the error of the CPU's bf16
model, too.
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
import variants  # which finds test/numeric

import inputs  # isort: skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHARLM = ROOT / "examples" / "charlm"
ALPHABET = 96
# Of the largest logit, as for bf16 in test/numeric/producers.py: norms and sums
# of several kernels are rounded in between.
LIMIT = 2.0**-5


def weights_of(name):
    """The arrays of a file of safetensors, all of f32."""
    data = (CHARLM / "weights" / f"{name}.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {key: np.frombuffer(data[8 + size:][slice(*each["data_offsets"])],
                               np.float32).reshape(each["shape"])
            for key, each in header.items()}


def compile_model(name, folder, dtype, target, suffix):
    text = (CHARLM / f"{name}.mlir").read_text().replace("f32", dtype)
    source = folder / f"{dtype}-{suffix}.mlir"
    source.write_text(text)
    artifact = source.with_suffix("." + suffix)
    subprocess.run(["mixattn-compile", source, f"--entry={name}",
                    f"--target={target}", "-o", artifact], check=True)
    return artifact


def on_cpu(artifact, arrays, folder):
    np.savez(folder / "in.npz", **arrays)
    subprocess.run(["mixattn-run", artifact, f"--inputs={folder}/in.npz",
                    f"--output=logits={folder}/logits.npy"], check=True,
                   stdout=subprocess.DEVNULL)
    return np.load(folder / "logits.npy")


def on_gpu(artifact, arrays, name, options):
    entry = next(each for each in
                 json.loads(artifact.with_suffix(".json").read_text())["entries"]
                 if each["name"] == name)
    cuda = driver.Driver(options.library or run.find_library(),
                         chip=options.target, seed=1, landing="wait", sms=4)
    results, status = run.Run(cuda, artifact.read_text(), entry, arrays).run()
    if status:
        raise driver.DriverError(f"the status word is {status}")
    return results["logits"], len(entry["launches"])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="such as mix_heads")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--length", type=int, default=70)
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    name = options.model
    tokens = np.random.default_rng(5).integers(
        0, ALPHABET, (options.batch, options.length))
    weights = {key: inputs.encode(array, "bf16")
               for key, array in weights_of(name).items()}
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        expected = on_cpu(
            compile_model(name, folder, "f32", "native", "so"),
            {key: inputs.decode(array).astype(np.float32)
             for key, array in weights.items()}
            | {"tokens": tokens}, folder)
        cpu = on_cpu(
            compile_model(name, folder, "bf16", "native", "so"),
            weights | {"tokens": tokens}, folder)
        gpu, launches = on_gpu(
            compile_model(name, folder, "bf16", options.target, "ptx"),
            {key: array.view(np.uint16) for key, array in weights.items()}
            | {"tokens": tokens}, name, options)
    largest = np.max(np.abs(expected))
    ours, others = (np.max(np.abs(inputs.decode(each.view("V2")) - expected))
                    / largest for each in (gpu, cpu))
    print(f"{name} {options.target}: {launches} kernels, error {ours:.4f} of the "
          f"largest logit; the CPU's bf16 {others:.4f}")
    return 0 if ours <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
