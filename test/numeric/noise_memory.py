# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that noise from Philox never lies in memory as a tensor.

At N = 8192 the scores of one head, and noise for them, are 256 MiB each. The
peak memory of an attention with noise from Philox is that of one without
noise; noise that is an operand adds its 256 MiB, which shows that the measure
sees a tensor.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).parent / "Inputs" / "noise_memory.mlir"
LENGTH = 8192
MEBIBYTE = 2**20
TENSOR = LENGTH * LENGTH * 4 // MEBIBYTE


def peak(artifact, entry, folder):
    """The peak memory of one run in MiB."""
    report = folder / f"{entry}.json"
    subprocess.run(["mixattn-run", artifact, f"--entry={entry}", "--random=1",
                    f"--dim=N={LENGTH}", f"--json={report}"],
                   check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())["peak_memory_bytes"] / MEBIBYTE


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        artifact = folder / "noise_memory.so"
        subprocess.run(["mixattn-compile", SOURCE, "-o", artifact], check=True)
        without, philox, drawn = (peak(artifact, entry, folder)
                                  for entry in ("without", "philox", "drawn"))
    print(f"peak memory at N = {LENGTH}, MiB: {without:.0f} without noise, "
          f"{philox:.0f} with noise from Philox, {drawn:.0f} with a tensor")
    if philox - without > TENSOR / 8:
        sys.exit("expected noise from Philox to take no memory")
    if drawn - without < TENSOR * 7 / 8:
        sys.exit("expected the measure to see a tensor of noise")


if __name__ == "__main__":
    main()
