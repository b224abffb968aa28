# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums whose every step rounds the same way, or of many steps, and results wider
than values, on every plan that there is: `mixattn-run --check` of Inputs/drift.mlir."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parent / "Inputs" / "drift.mlir"
KEYS = 4096
PLANS = {"equal_weights": ("panel", "decode", "unfused"),
         "large_feature": ("online", "decode", "unfused"),
         "wide_result": ("online", "decode", "unfused"),
         "many_features": ("panel", "decode", "unfused"),
         "many_linear_features": ("chunked_linear", "unfused")}


def arguments(entry):
    """Those of an entry that are not drawn by mixattn-run: numbers that are all
    equal, or a first feature that is larger by far than all others."""
    rng = np.random.default_rng(2)
    if entry == "equal_weights":
        return {"q": np.full((1, 2, 60, 8), 0.5), "k": np.full((1, 1, KEYS, 8), 0.5),
                "v": np.full((1, 2, KEYS, 16), 0.1),
                "mixer": np.eye(2) + rng.standard_normal((2, 2)) / 2}
    if entry == "large_feature":
        q = rng.standard_normal((1, 2, 512, 255))
        q[..., 0] = 32
        return {"q": q, "k": rng.standard_normal((1, 2, 2, 255)),
                "v": rng.standard_normal((1, 2, 2, 32))}
    if entry == "many_features":
        return {"q": 2 * rng.standard_normal((1, 2, 64, 4001))}
    if entry == "many_linear_features":
        return {"q": np.full((1, 2, 64, 4001), 0.7), "k": np.full((1, 2, 150, 4001), 0.3)}
    return {}


def main():
    bad = 0
    for entry, plans in PLANS.items():
        for plan in plans:
            with tempfile.TemporaryDirectory() as folder:
                artifact, file = (pathlib.Path(folder) / name for name in ("a.so", "x.npz"))
                subprocess.run(["mixattn-compile", SOURCE, f"--entry={entry}", f"--plan={plan}",
                                "-o", artifact], check=True, stderr=subprocess.DEVNULL)
                given = {name: array.astype(np.float32)
                         for name, array in arguments(entry).items()}
                np.savez(file, **given)
                inputs = [f"--inputs={file}", "--random=1"]
                checked = subprocess.run(
                    ["mixattn-run", artifact, f"--entry={entry}", *inputs, "--check"],
                    text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                bad += checked.returncode != 0
                print(f"{entry} {plan}: {checked.stdout.strip()}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
