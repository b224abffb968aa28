# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on a GPU: results against the oracle, memory under compute-sanitizer,
times next to those of PyTorch's kernels and to the prediction of --explain.

Times need PyTorch with CUDA. Calls of all contestants take turns in one process,
between CUDA events; a figure is the median.
"""

import argparse
import ctypes
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "test" / "numeric")]

import signatures  # noqa: E402
from bench.ours import Call  # noqa: E402
from dlpack import TYPES, DLTensor  # noqa: E402

EXAMPLES = """examples:
  scripts/bench-gpu.sh
  scripts/bench-gpu.sh --target=sm_90a --only=time --rows=softmax:H=16,D=128
  scripts/bench-gpu.sh --only=check,sanitize --out=build/bench/gpu.json
"""

VARIANTS = HERE.parent / "examples" / "variants"
STEPS = ("check", "sanitize", "time")
# Rows that are checked and timed: what goals are about comes first.
ROWS = ("softmax:H=16,D=128", "softmax:H=16,D=64", "softmax_causal:H=16,D=128",
        "mgk:H=16,D=128", "mgk:H=16,D=64", "smgk:H=16,D=64", "fish_hard:M=4,H=16,D=64",
        "gfish_hard:H=16,D=64", "gaussian:H=16,D=64")


class Failure(Exception):
    """Something that the caller can change."""


class Row(NamedTuple):
    variant: str
    sizes: dict

    @classmethod
    def of(cls, text):
        """`softmax:H=16,D=128`"""
        variant, _, sizes = text.partition(":")
        if not (VARIANTS / f"{variant}.mlir").exists():
            raise Failure(f"expected a row of examples/variants, but got '{text}'")
        pairs = [each.partition("=") for each in sizes.split(",") if each]
        if not all(value.isdecimal() and int(value) for _, _, value in pairs):
            raise Failure(f"expected sizes such as H=16,D=128, but got '{text}'")
        return cls(variant, {name: int(value) for name, _, value in pairs})

    def source(self):
        text = (VARIANTS / f"{self.variant}.mlir").read_text()
        return signatures.resize(self.variant, text, self.sizes).replace("f32", "bf16")


def run(*command):
    process = subprocess.run([str(each) for each in command], capture_output=True,
                             text=True)
    if process.returncode:
        said = (process.stderr + process.stdout).strip().splitlines()
        raise Failure(said[-1] if said else f"{command[0]} failed")
    return process.stdout


class Artifact:
    """A row as a shared library, with its manifest and its prediction."""

    def __init__(self, row, options, folder):
        self.row = row
        source = folder / "row.mlir"
        source.write_text(row.source())
        self.library = folder / "row.so"
        self.compiler = [options.bin / "mixattn-compile", source,
                         f"--target={options.target}"]
        run(*self.compiler, "-o", self.library)
        manifest = json.loads(self.library.with_suffix(".json").read_text())
        self.entry = manifest["entries"][0]

    def predicted(self, dims):
        """Seconds of a call by the model of passes/plan/plan.md."""
        sizes = [f"--dim={name}={size}" for name, size in dims.items()]
        explained = json.loads(run(*self.compiler, "--explain=json", *sizes))
        return sum(op["chosen"]["seconds"] for op in explained["entries"][0]["ops"])

    def flops(self, dims):
        return sum(term["coefficient"] * math.prod(dims[name] for name in term["dims"])
                   for term in self.entry["flops"])


def dims_of(options, size=None):
    size = size or options.length
    return {"B": options.batch if size == options.length else 1, "N": size, "S": size}


def dim_flags(artifact, dims):
    names = {name for each in artifact.entry["arguments"] for name in each["shape"]
             if isinstance(name, str)}
    return [f"--dim={name}={dims[name]}" for name in sorted(names)]


def check(artifact, options, _):
    """Sizes that divide nothing, against the reference of mixattn-run."""
    flags = dim_flags(artifact, dims_of(options, options.small))
    text = run(options.bin / "mixattn-run", artifact.library, "--random=1", "--check",
               *flags)
    return text.strip().splitlines()[-1]


def sanitize(artifact, options, _):
    tool = shutil.which("compute-sanitizer")
    if not tool:
        return "skipped: there is no compute-sanitizer on PATH"
    flags = dim_flags(artifact, dims_of(options, options.small))
    for kind in ("memcheck", "racecheck", "initcheck"):
        run(tool, f"--tool={kind}", "--error-exitcode=1", options.bin / "mixattn-run",
            artifact.library, "--random=1", *flags)
    return "memcheck, racecheck and initcheck found nothing"


def find_torch():
    try:
        import torch
    except ImportError as missing:
        raise Failure("expected PyTorch with CUDA, but there is no torch") from missing
    if not torch.cuda.is_available():
        raise Failure("expected PyTorch with CUDA, but it finds no GPU")
    return torch


class Ours:
    """An artifact bound to tensors of PyTorch."""

    def __init__(self, torch, artifact, x, result):
        library = ctypes.CDLL(str(artifact.library))
        name = artifact.entry["name"]
        self.entry = getattr(library, f"mixattn_{name}")
        self.keep = [*x.values(), result]
        self.tensors = [self.tensor(each) for each in self.keep]
        self.pointers = (ctypes.POINTER(DLTensor) * len(self.tensors))(
            *map(ctypes.pointer, self.tensors))
        self.message = ctypes.create_string_buffer(512)
        stream = torch.cuda.current_stream().cuda_stream
        self.call = Call(size=ctypes.sizeof(Call), stream=stream,
                         message=ctypes.addressof(self.message), message_size=512)
        count = ctypes.c_uint64()
        query = getattr(library, f"mixattn_workspace_{name}")
        self.check(query(self.pointers, len(self.tensors), ctypes.byref(count),
                         ctypes.byref(self.call)))
        self.workspace = torch.empty(max(count.value, 1), dtype=torch.uint8)
        self.call.workspace = self.workspace.data_ptr()
        self.call.workspace_bytes = count.value

    @staticmethod
    def tensor(each):
        code, bits = TYPES["bf16"]
        shape = (ctypes.c_int64 * each.ndim)(*each.shape)
        return DLTensor(each.data_ptr(), 2, 0, each.ndim, code, bits, 1, shape, None, 0)

    def check(self, code):
        if code:
            raise Failure(self.message.value.decode() or f"code {code}")

    def __call__(self):
        self.check(self.entry(self.pointers, len(self.tensors),
                              ctypes.byref(self.call)))


def arguments(torch, entry, dims):
    """Standard normal; priors as logarithms of what adds up to 1."""
    torch.manual_seed(1)
    x = {}
    for each in entry["arguments"]:
        if each["dtype"] != "bf16":
            raise Failure(f"expected arguments of bf16, but '{each['name']}' is "
                          f"{each['dtype']}")
        shape = [dims.get(size, size) for size in each["shape"]]
        value = torch.randn(shape)
        if each["name"] == "log_prior":
            value = torch.log_softmax(value, 1)
        x[each["name"]] = value.bfloat16()
    return x


def peers(torch, row, x):
    """What PyTorch has for the row, by name: of the exact fold where it is not plain
    attention."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.attention.flex_attention import flex_attention
    from bench.peers import folds
    name = row.variant.replace("_causal", "")
    if name not in folds.FOLDS:
        return {}
    causal, plain = row.variant.endswith("_causal"), folds.FOLDS[name](x)
    attend = torch.nn.functional.scaled_dot_product_attention

    def backend(kind, made):
        def call():
            with sdpa_kernel(kind):
                attend(made.q, made.k, made.v, scale=made.scale, is_causal=causal)
        return call
    wide = plain if name == "softmax" else folds.widened(plain)
    found = {"cuDNN": backend(SDPBackend.CUDNN_ATTENTION, wide),
             "flash": backend(SDPBackend.FLASH_ATTENTION, wide)}
    if not causal:
        flex = torch.compile(flex_attention, dynamic=False)
        found["flex"] = lambda: flex(plain.q, plain.k, plain.v, scale=plain.scale)
    return found


def seconds_of(torch, call):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3


def time(artifact, options, record):
    torch = find_torch()
    # Peers make tensors of their own where they are told nothing else.
    torch.set_default_device("cuda")
    dims = dims_of(options)
    x = arguments(torch, artifact.entry, dims)
    shape = [dims.get(size, size) for size in artifact.entry["results"][0]["shape"]]
    result = torch.empty(shape, dtype=torch.bfloat16)
    calls = {"ours": Ours(torch, artifact, x, result)}
    for name, call in peers(torch, artifact.row, x).items():
        try:
            call()
            calls[name] = call
        except RuntimeError as refused:
            record.setdefault("refused", {})[name] = str(refused).splitlines()[0]
    times = {name: [] for name in calls}
    for turn in range(options.rounds + 2):
        for name, call in calls.items():
            seconds = seconds_of(torch, call)
            # The first turns are for caches, and for compilers at run time.
            if turn >= 2:
                times[name].append(seconds)
    median = {name: statistics.median(each) for name, each in times.items()}
    flops, predicted = artifact.flops(dims), artifact.predicted(dims)
    record.update(seconds=median, predicted=predicted, flops=flops)
    parts = [f"{name} {seconds * 1e3:.3f} ms" for name, seconds in median.items()]
    best = min((each for name, each in median.items() if name != "ours"),
               default=math.nan)
    return (f"{', '.join(parts)}; {flops / median['ours'] / 1e12:.0f} TFLOP/s, "
            f"{best / median['ours']:.2f} times the best peer, "
            f"{median['ours'] / predicted:.2f} times what was predicted")


def parse():
    parser = argparse.ArgumentParser(
        prog="scripts/bench-gpu.sh", description=__doc__, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="sm_90a", help="the GPU; default: sm_90a")
    parser.add_argument("--rows", nargs="+", default=ROWS, metavar="ROW",
                        help="a variant and its sizes; default: those that goals are about")
    parser.add_argument("--only", default=",".join(STEPS), metavar="STEPS",
                        help="of check, sanitize and time; default: all")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--length", type=int, default=8192,
                        help="queries and keys where times are measured")
    parser.add_argument("--small", type=int, default=197,
                        help="queries and keys where results are checked")
    parser.add_argument("--rounds", type=int, default=20, help="calls of each contestant")
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parent / "build" / "bin",
                        help="the folder of the tools; default: build/bin")
    parser.add_argument("--out", type=pathlib.Path, help="a JSON file for all figures")
    options = parser.parse_args()
    options.steps = options.only.split(",")
    for step in options.steps:
        if step not in STEPS:
            parser.error(f"expected steps of {', '.join(STEPS)}, but got '{step}'")
    return options


def main():
    options = parse()
    records, failed = [], 0
    steps = {"check": check, "sanitize": sanitize, "time": time}
    for number, text in enumerate(options.rows, 1):
        record = {"row": text, "target": options.target}
        records.append(record)
        try:
            with tempfile.TemporaryDirectory() as folder:
                artifact = Artifact(Row.of(text), options, pathlib.Path(folder))
                for step in options.steps:
                    record[step] = steps[step](artifact, options, record)
                    print(f"[{number}/{len(options.rows)}] {text} {step}: "
                          f"{record[step]}", flush=True)
        except Failure as failure:
            failed += 1
            record["error"] = str(failure)
            print(f"[{number}/{len(options.rows)}] {text}: FAIL {failure}", flush=True)
    if options.out:
        options.out.write_text(json.dumps(records, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
