# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the launches of an entry of a manifest on the emulator.

    run.py FILE.ptx MANIFEST.json --entry=NAME --input=NAME=F.npy …
           --output=NAME=F.npy

A bf16 array is an .npy file of uint16 or of V2.
"""

import argparse
import ctypes
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import driver  # noqa: E402
import sizes  # noqa: E402

DTYPES = {"f16": "u2", "bf16": "u2", "f32": "f4", "f64": "f8", "i1": "u1",
          "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8"}
SCALARS = {"i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
           "i64": ctypes.c_int64, "f32": ctypes.c_float,
           "f64": ctypes.c_double}


def target_of(text):
    """The GPU that a module is for, or None."""
    found = re.search(r"^\.target\s+(\w+)", text, re.MULTILINE)
    return found and found.group(1)


class Run:
    """One call of an entry. Without a status word its address is 0."""

    def __init__(self, cuda, text, entry, arrays, has_status=True):
        self.has_status = has_status
        self.cuda, self.text, self.entry = cuda, text, entry
        self.arrays = dict(arrays)
        # The kernels that ran.
        self.launched = []
        self.dims = sizes.dims_of(entry, self.arrays)
        for result in entry["results"]:
            shape = [self.size(size) for size in result["shape"]]
            dtype = np.dtype(DTYPES[result["dtype"]])
            # Elements that are not written are NaN.
            array = np.full(np.prod(shape, dtype=int) * dtype.itemsize, 0xFF,
                            np.uint8)
            self.arrays[result["name"]] = array.view(dtype).reshape(shape)

    def size(self, size):
        return sizes.evaluate(size, self.dims, self.cuda.multiprocessors())

    def stride(self, name, dim):
        """The stride of a dim in elements; arrays are dense."""
        return int(np.prod(self.arrays[name].shape[dim + 1:], dtype=np.int64))

    def tensor_map(self, given):
        name = given["tensor_map"]
        if isinstance(name, dict):
            address = self.workspace + self.size(name["workspace"])
            width = 2
        else:
            address = self.addresses[name]
            width = self.arrays[name].itemsize

        def stride_of(stride):
            if isinstance(stride, dict):
                return width * self.stride(stride["stride"], stride["dim"])
            return self.size(stride)
        return self.cuda.tensor_map(
            given["type"], address,
            [self.size(dim) for dim in given["dims"]],
            [stride_of(stride) for stride in given["strides"]],
            given["box"], given["swizzle"])

    def parameter(self, given):
        if "tensor_map" in given:
            return self.tensor_map(given)
        if "pointer" in given:
            return ctypes.c_uint64(self.addresses[given["pointer"]])
        if "workspace" in given:
            return ctypes.c_uint64(self.workspace
                                   + self.size(given["workspace"]))
        if "status" in given:
            return ctypes.c_uint64(self.status if self.has_status else 0)
        if "stride" in given:
            return SCALARS[given["type"]](self.stride(given["stride"],
                                                      given["dim"]))
        value = given["scalar"]
        return SCALARS[given["type"]](
            value if isinstance(value, float) else self.size(value))

    def run(self):
        """The results and the updated arguments by name, and the status word."""
        cuda = self.cuda
        self.addresses = {name: cuda.upload(array)
                          for name, array in self.arrays.items()}
        self.workspace = cuda.allocate(self.size(self.entry.get("workspace")
                                                 or 0))
        self.status = cuda.upload(np.zeros(1, np.uint32))
        module = cuda.load(self.text)
        own = (None, target_of(self.text))
        for launch in sizes.launches_of(self.entry, self.dims,
                                        cuda.multiprocessors()):
            # A manifest may have the launches of several targets.
            if launch.get("target") not in own:
                continue
            if launch.get("cluster", [1, 1, 1]) != [1, 1, 1]:
                raise driver.DriverError("clusters of several blocks are not "
                                         "emulated")
            grid = [self.size(size) for size in launch["grid"]]
            self.launched.append(launch["kernel"])
            cuda.launch(cuda.function(module, launch["kernel"]), grid,
                        launch["block"], self.size(launch["shared"]),
                        [self.parameter(each)
                         for each in launch["parameters"]])
        names = [each["name"] for each in self.entry["results"]]
        names += [each["name"] for each in self.entry["arguments"]
                  if each.get("updates")]
        results = {name: cuda.download(self.addresses[name],
                                       self.arrays[name].copy())
                   for name in names}
        status = cuda.download(self.status, np.zeros(1, np.uint32))[0]
        for address in [*self.addresses.values(), self.workspace, self.status]:
            cuda.free(address)
        return results, int(status)


def compile_source(source, target):
    """The PTX of a file for a target, and its first entry."""
    subprocess.run(["mixattn-compile", source, f"--target={target}", "-o",
                    source.with_suffix(".ptx")], check=True)
    entries = json.loads(source.with_suffix(".json").read_text())["entries"]
    return source.with_suffix(".ptx").read_text(), entries[0]


def find_library():
    root = pathlib.Path(__file__).resolve().parents[2]
    found = root / "build" / "test" / "emulator" / "libmixattn-cuda.so"
    if not found.exists():
        raise SystemExit(f"there is no {found}: give --library=PATH")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ptx", type=pathlib.Path)
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("--entry", required=True)
    parser.add_argument("--input", action="append", default=[],
                        metavar="NAME=FILE")
    parser.add_argument("--output", action="append", default=[],
                        metavar="NAME=FILE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--landing", choices=("issue", "wait"), default="wait")
    parser.add_argument("--exact", action="store_true",
                        help="approximate instructions do not err")
    parser.add_argument("--equal-writes", action="store_true",
                        help="warps may write the same value to a place")
    parser.add_argument("--multiprocessors", type=int, default=4,
                        help="of the GPU")
    parser.add_argument("--counters", action="store_true",
                        help="print what was counted, as JSON")
    parser.add_argument("--chip", help="default: the target of the PTX")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda")
    options = parser.parse_args()
    manifest = json.loads(options.manifest.read_text())
    entry = next((entry for entry in manifest["entries"]
                  if entry["name"] == options.entry), None)
    if entry is None:
        raise SystemExit(f"no entry '{options.entry}'")
    arrays = {}
    for given in options.input:
        name, path = given.split("=", 1)
        array = np.load(path)
        arrays[name] = array.view(np.uint16) if array.dtype.kind == "V" \
            else array
    text = options.ptx.read_text()
    chip = options.chip or target_of(text) or manifest["target"]["cpu"]
    cuda = driver.Driver(options.library or find_library(), chip=chip,
                         seed=options.seed, landing=options.landing,
                         sms=options.multiprocessors,
                         approximate=int(not options.exact),
                         equal_writes=int(options.equal_writes))
    try:
        results, status = Run(cuda, text, entry, arrays).run()
    except driver.DriverError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for given in options.output:
        name, path = given.split("=", 1)
        np.save(path, results[name])
    if status:
        print(f"status: {status}")
    if options.counters:
        print(json.dumps(cuda.counters(), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
