# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a variant to PTX, executes it, and checks what it computes.

The text that ptxas gets runs in ptx.py; what it computes meets NumPy's oracle
of test/numeric, with the same inputs and limits. A case is BxNxSxSCALE, as
there.
"""

import argparse
import json
import math
import pathlib
import re
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "numeric"))

import inputs  # noqa: E402
import instructions  # noqa: E402
import ptx  # noqa: E402
import run_variant  # noqa: E402
import signatures  # noqa: E402

def size_of(expression, dims):
    """The value of a SIZE of the manifest (lib/Runtime/manifest.md)."""
    if isinstance(expression, int):
        return expression
    if isinstance(expression, str):
        return dims[expression]
    name, *operands = expression
    values = [size_of(operand, dims) for operand in operands]
    return {"add": sum, "multiply": math.prod, "minimum": min, "maximum": max,
            "divide": lambda pair: pair[0] // pair[1],
            "subtract": lambda pair: pair[0] - pair[1]}[name](values)


class Kernel(run_variant.Variant):
    """One variant in one element type, as PTX."""

    def __init__(self, name, dtype, folder, bin_dir, sizes, replace=None):
        self.name, self.dtype, self.bin_dir = name, dtype, bin_dir
        self.folder, self.sizes = folder, sizes
        self.has_reference = False
        source = run_variant.ROOT / "examples" / "variants" / f"{name}.mlir"
        text = signatures.resize(name, source.read_text(), sizes)
        copy = folder / f"{name}.mlir"
        copy.write_text(text.replace("f32", dtype))
        compile_ = (run_variant.tool("mixattn-compile", bin_dir), copy,
                    "--target=sm_80")
        run_variant.run(*compile_, "-o", folder / f"{name}.ptx")
        self.text = (folder / f"{name}.ptx").read_text()
        manifest = json.loads((folder / f"{name}.json").read_text())
        self.entry = manifest["entries"][0]
        if replace:
            old, new = replace
            text = re.sub(old, new, self.text)
            if text == self.text:
                raise RuntimeError(f"the kernel has no '{old}'")
            self.text = text
        self.kernel = ptx.Kernel(self.text, instructions.decode)
        self.dtypes = {"o": dtype}

    def actual(self, file):
        """The kernel's results for the arguments in `file`."""
        arrays = dict(np.load(file))
        query, value = arrays["q"], arrays["v"]
        shape = (*query.shape[:3], value.shape[3])
        # Elements that are not written are NaN.
        arrays["o"] = np.full(shape, 0xFFFF, np.uint16).view(query.dtype)
        memory, held, addresses, dims = ptx.Memory(ptx.GLOBAL), {}, {}, {}
        for tensor in self.entry["arguments"] + self.entry["results"]:
            array = np.ascontiguousarray(arrays[tensor["name"]])
            arrays[tensor["name"]] = array
            held[tensor["name"]] = array.reshape(-1).view(np.uint8).copy()
            addresses[tensor["name"]] = memory.add(held[tensor["name"]])
            dims |= dict(zip(map(str, tensor["shape"]), array.shape))
        launch, = self.entry["launches"]

        def value(parameter):
            if "scalar" in parameter:
                return size_of(parameter["scalar"], dims)
            if "pointer" in parameter:
                return addresses[parameter["pointer"]]
            array = arrays[parameter["stride"]]
            return array.strides[parameter["dim"]] // array.itemsize
        self.kernel.launch([size_of(count, dims) for count in launch["grid"]],
                           memory, list(map(value, launch["parameters"])))
        result = held["o"].view(query.dtype).reshape(shape)
        return {"o": inputs.decode(result)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("variant", help="its name")
    parser.add_argument("cases", nargs="*", help="such as 1x40x40x1")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--sizes", default="H=1",
                        help="static sizes: H=1,D=64")
    parser.add_argument("--ptx", type=pathlib.Path, metavar="FILE",
                        help="where to leave the text")
    parser.add_argument("--replace", nargs=2, metavar=("OLD", "NEW"),
                        help="what to make wrong, as re.sub takes it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    sizes = {size[0]: int(size[2:]) for size in options.sizes.split(",")}
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            kernel = Kernel(options.variant, options.dtype,
                            pathlib.Path(folder), options.bin, sizes,
                            options.replace)
        except (ptx.PtxError, RuntimeError) as failure:
            print(f"FAIL {failure}")
            return 1
        if options.ptx:
            options.ptx.write_text(kernel.text)
        for case in options.cases:
            share = float("nan")
            try:
                complaints, share = kernel.check(case, options.seed)
            except ptx.PtxError as failure:
                complaints = [str(failure)]
            bad += bool(complaints)
            print(f"{options.variant} {options.dtype} {options.sizes} {case}: "
                  f"error {share:.3f} of the limit")
            for complaint in complaints:
                print(f"FAIL {complaint}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
