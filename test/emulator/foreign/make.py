# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX of another compiler, Triton, for the emulator: kernels of attention.py, and a
manifest of each (lib/Runtime/manifest.md), NAME.ptx and NAME.json.

    python3 test/emulator/foreign/make.py
    python3 test/emulator/foreign/make.py --out=ptx --kernel=sm80 --kernel=sm90_tma

Needs no GPU. An environment of its own is made under build/foreign; where that fails,
for want of a network or of a wheel, one sentence says so, and the exit status is 77.

How Triton 3.9 launches a kernel (its backends/driver.py, backends/nvidia/driver.c):

- The parameters are the arguments of the Python function in their order, without
  those that are tl.constexpr. An i32 that is 1 and an argument that is a multiple of
  16 are special to triton.jit alone; here only `tt.divisibility` of pointers is said.
- Two pointers follow that no argument names: global scratch, of global_scratch_size
  bytes a block, and profile scratch. Each is null where its size is 0.
- A descriptor of rank r that is an argument becomes 1 + 2r parameters: the tensor map,
  by value, 128 bytes that 64 divides, then r sizes (i32) and r strides in elements
  (i64), the outermost first. No kernel here reads the latter. The map's box is what
  the metadata say, at most 64 bf16 in the innermost dim: a tile of 128 features is two
  copies. Its L2 promotion is 128 bytes, and zeros stand out of bounds.
- A descriptor that the kernel makes (tl.make_tensor_descriptor) is written to shared
  memory with tensormap.replace and copied to the block's global scratch: 128 bytes for
  each, and for each group of warps that makes one.
- The grid is what the caller says. A block has 32 * num_warps threads, where num_warps
  of the metadata is what .reqntid says: four warps that are specialised become twelve.
- All shared memory is dynamic; the text names it by an extern array without a size.
- No kernel here is launched in clusters, cooperatively, or with programmatic stream
  serialisation: num_ctas is 1, launch_cooperative_grid and launch_pdl are false.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[2] / "build" / "foreign"
# Its wheel needs no other one.
VERSION = "3.9.0"
SKIPPED = 77


def has_triton(python):
    """Whether this interpreter finds the version that is asked for."""
    text = f"import importlib.metadata as m; assert m.version('triton') == '{VERSION}'"
    try:
        return subprocess.run([python, "-c", text], stderr=subprocess.DEVNULL,
                              check=False).returncode == 0
    except OSError:
        return False


def make_environment(folder):
    """An interpreter that has Triton; RuntimeError where there can be none."""
    python = folder / "bin" / "python"
    if has_triton(python):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    system = pathlib.Path("/usr/bin/python3")
    base = system if system.exists() else sys.executable
    for command in ([base, "-m", "venv", folder],
                    [python, "-m", "pip", "install", "--quiet", "--no-input",
                     "--disable-pip-version-check", "--retries=1", "--timeout=20",
                     "--only-binary=:all:", f"triton=={VERSION}"]):
        try:
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
        except OSError as failure:
            raise RuntimeError(str(failure)) from failure
        if done.returncode:
            raise RuntimeError((done.stdout.strip().splitlines() or ["?"])[-1])
    return python


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=BUILD / "ptx",
                        help="the folder that is written")
    parser.add_argument("--environment", type=pathlib.Path,
                        default=BUILD / "environment",
                        help="the folder in which Triton is installed")
    parser.add_argument("--kernel", action="append", default=[],
                        help="a kernel of kernels.py; all where none is named")
    options = parser.parse_args()
    try:
        python = make_environment(options.environment.absolute())
    except RuntimeError as failure:
        print(f"Triton {VERSION} cannot be installed: {failure}")
        return SKIPPED
    options.out.mkdir(parents=True, exist_ok=True)
    # Nothing is written to the home folder, and nothing read that an earlier run left.
    environment = os.environ | {"TRITON_CACHE_DIR": str(options.environment / "cache"),
                                "TRITON_ALWAYS_COMPILE": "1",
                                "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([python, HERE / "kernels.py", options.out, *options.kernel],
                          env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
