# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a variant to PTX, runs it on the emulator, and checks what it computes.

Results meet NumPy's oracle of test/numeric, with the same inputs and limits. A
case is BxNxSxSCALE, as there. Each runs twice without the errors of approximate
instructions, its copies landing early and late, on one multiprocessor and on
more than there are items, and must give the same bits; a third run, with these
errors and on three, is what is checked.
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "numeric")]

import driver  # noqa: E402
import inputs  # noqa: E402
import run  # noqa: E402
import run_variant  # noqa: E402
import signatures  # noqa: E402

EXAMPLES = """examples:
  variants.py softmax 1x40x40x1 2x130x17x8
  variants.py softmax_causal 1x70x130x8 --target=sm_80 --sizes=H=1,D=128
  variants.py softmax 1x40x40x1 --replace 'bar.sync.*0;' ''
"""


class Kernel(run_variant.Variant):
    """One variant in one element type, as PTX."""

    def __init__(self, name, folder, options):
        self.name, self.dtype, self.bin_dir = name, options.dtype, options.bin
        self.folder, self.sizes = folder, options.sizes
        self.has_reference = False
        self.options = options
        # The kernels that the last case ran.
        self.launched = []
        source = next(source for source in (
            at / f"{name}.mlir" for at in run_variant.FOLDERS)
            if source.exists())
        text = source.read_text()
        if options.sizes:
            text = signatures.resize(name, text, options.sizes)
        copy, artifact = folder / f"{name}.mlir", folder / f"{name}.ptx"
        # F32 in Inputs: results that stay f32 when the others are 16-bit.
        copy.write_text(text.replace("f32", options.dtype).replace("F32", "f32"))
        run_variant.run(run_variant.tool("mixattn-compile", options.bin), copy,
                        f"--target={options.target}", *options.plan, "-o",
                        artifact)
        self.text = artifact.read_text()
        manifest = json.loads(artifact.with_suffix(".json").read_text())
        self.entry = manifest["entries"][0]
        self.dtypes = {result["name"]: result["dtype"]
                       for result in self.entry["results"]}

    def run(self, arrays, **settings):
        cuda = driver.Driver(self.options.library, chip=self.options.target,
                             seed=self.options.seed, **settings)
        call = run.Run(cuda, self.text, self.entry, arrays)
        results, status = call.run()
        self.launched = call.launched
        if status:
            raise driver.DriverError(f"the status word is {status}")
        return results

    def actual(self, file):
        """The kernel's results for the arguments in `file`."""
        arrays = {name: array.view(np.uint16) if array.dtype.kind == "V"
                  else array for name, array in dict(np.load(file)).items()}
        early, late = [self.run(arrays, landing=landing, approximate=0,
                                sms=count)
                       for landing, count in (("issue", 1), ("wait", 1000))]
        for name, array in early.items():
            if array.tobytes() != late[name].tobytes():
                raise driver.DriverError(
                    f"'{name}' has other bits where copies land late, on other "
                    "multiprocessors")
        results = self.run(arrays, landing="wait", approximate=1, sms=3)
        stored = {"bf16": "V2", "f16": np.float16, "f32": np.float32}
        return {name: inputs.decode(array.view(stored[self.dtypes[name]]))
                for name, array in results.items()}


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0], epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variant", help="its name")
    parser.add_argument("cases", nargs="*", help="such as 1x40x40x1")
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--plan", action="append", default=[],
                        type=lambda plan: f"--plan={plan}",
                        help="a plan in place of the one that is chosen")
    parser.add_argument("--sizes", default="H=1",
                        help="static sizes: H=1,D=64; nothing: as they are")
    parser.add_argument("--kernels", action="store_true",
                        help="say which ones a case runs")
    parser.add_argument("--ptx", type=pathlib.Path, metavar="FILE",
                        help="where to leave the text")
    parser.add_argument("--replace", nargs=2, metavar=("OLD", "NEW"),
                        help="what to make wrong, as re.sub takes it, once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    options.sizes = {size[0]: int(size[2:])
                     for size in options.sizes.split(",") if size}
    options.library = options.library or run.find_library()
    return options


def main():
    options = parse()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        kernel = Kernel(options.variant, pathlib.Path(folder), options)
        if options.replace:
            old, new = options.replace
            text = re.sub(old, new, kernel.text, count=1)
            if text == kernel.text:
                print(f"FAIL the kernel has no '{old}'")
                return 1
            kernel.text = text
        if options.ptx:
            options.ptx.write_text(kernel.text)
        for case in options.cases:
            share = float("nan")
            try:
                complaints, share = kernel.check(case, options.seed)
            except driver.DriverError as failure:
                complaints = [str(failure)]
            bad += bool(complaints)
            print(f"{options.variant} {options.target} {options.dtype} {case}: "
                  f"error {share:.3f} of the limit" +
                  (f", {' '.join(kernel.launched)}" if options.kernels else ""))
            for complaint in complaints:
                print(f"FAIL {complaint}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
