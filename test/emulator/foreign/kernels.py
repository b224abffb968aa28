# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that make.py compiles, and their manifests. Runs inside make.py's
environment: `kernels.py FOLDER [NAME …]`."""

import json
import math
import pathlib
import re
import sys
from typing import NamedTuple

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import attention

SHAPE = ("B", "H", "N", "D")
DTYPES = {"bf16": "bf16", "f16": "fp16"}
HEADS = ["multiply", "B", "H"]
NULL = {"scalar": 0, "type": "i64"}


class Kernel(NamedTuple):
    """One compilation of a function of attention.py, for sm_80 or sm_90a."""
    chip: int
    features: int = 64
    rows: int = 64
    # Key blocks in flight.
    stages: int = 2
    dtype: str = "bf16"
    causal: bool = False
    # Tensors that descriptors stand for; none: all are pointers.
    descriptors: str = ""
    warps: bool = False
    halves: bool = False


KERNELS = {
    # cp.async, ldmatrix, mma.sync.
    "sm80": Kernel(80, stages=3),
    "sm80_d128": Kernel(80, features=128),
    "sm80_causal": Kernel(80, causal=True, stages=3),
    # cp.async, and wgmma with its left side in shared memory and in registers.
    "sm90": Kernel(90, stages=3),
    "sm90_f16": Kernel(90, dtype="f16", stages=3),
    # Tensor maps in place of cp.async.
    "sm90_tma": Kernel(90, descriptors="qkv"),
    "sm90_tma_d128": Kernel(90, descriptors="qkv", features=128),
    # stmatrix, and a copy from shared memory that ends where the tensor does.
    "sm90_tma_store": Kernel(90, descriptors="qkvo"),
    # Warps that copy, warps that compute, setmaxnreg, and a ring of mbarriers.
    "sm90_warps": Kernel(90, descriptors="qkv", warps=True),
    # The same, and a tensor map that the kernel makes: tensormap.replace.
    "sm90_warps_halves": Kernel(90, descriptors="kv", warps=True, halves=True,
                                rows=128),
}
KEYS = 64
WARPS = 4


def constants(kernel):
    shared = {"D": kernel.features, "ROWS": kernel.rows, "KEYS": KEYS}
    if not kernel.descriptors:
        return shared | {"CAUSAL": kernel.causal}
    return shared | {"STORE": "o" in kernel.descriptors, "WARPS": kernel.warps,
                     "HALVES": kernel.halves}


def signature(kernel):
    """Triton's type of each argument."""
    dtype = DTYPES[kernel.dtype]

    def tensor(name):
        if name not in kernel.descriptors:
            return f"*{dtype}"
        rows = kernel.rows if name in "qo" else KEYS
        return f"tensordesc<{dtype}[1, 1, {rows}, {kernel.features}]>"

    types = {name: tensor(name) for name in "qkvo"}
    types |= {"heads": "i32"} if kernel.descriptors else {}
    types |= {"n": "i32", "scale": "fp32"}
    return types | dict.fromkeys(constants(kernel), "constexpr")


def compiled(kernel):
    types = signature(kernel)
    aligned = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(types)
               if types[name].startswith("*")}
    function = (attention.by_descriptors if kernel.descriptors
                else attention.by_pointers)
    return triton.compile(
        ASTSource(function, types, constants(kernel), aligned),
        target=GPUTarget("cuda", kernel.chip, 32),
        options={"num_warps": WARPS, "num_stages": kernel.stages,
                 "enable_fp_fusion": True})


def sizes(kernel):
    return [dim if dim != "D" else kernel.features for dim in SHAPE]


def descriptor(name, kernel, meta):
    """The parameters that an argument becomes; dims of a map begin with the innermost.

    Swizzle 3 is 128 bytes, CU_TENSOR_MAP_SWIZZLE_128B of the CUDA driver API."""
    b, h, n, d = sizes(kernel)
    row = 2 * d
    tensor_map = {"tensor_map": name, "type": kernel.dtype, "dims": [d, n, h, b],
                  "strides": [row, ["multiply", row, n],
                              ["multiply", ["multiply", row, n], h]],
                  "box": meta["block_size"][::-1],
                  "swizzle": {0: 0, 1: 32, 2: 64, 3: 128}[meta["swizzle"]]}
    return [tensor_map, *({"scalar": size, "type": "i32"} for size in (b, h, n, d)),
            *({"stride": name, "dim": dim, "type": "i64"} for dim in range(4))]


def parameters(kernel, metadata):
    maps, result = list(metadata.tensordesc_meta or []), []
    for name in "qkvo":
        result += (descriptor(name, kernel, maps.pop(0)) if name in kernel.descriptors
                   else [{"pointer": name}])
    result += [{"scalar": "H", "type": "i32"}] if kernel.descriptors else []
    scale = math.log2(math.e) / math.sqrt(kernel.features)
    result += [{"scalar": "N", "type": "i32"}, {"scalar": scale, "type": "f32"}]
    return result + [{"workspace": 0} if metadata.global_scratch_size else NULL, NULL]


def product(first, *others):
    """A SIZE of products of two."""
    return ["multiply", first, product(*others)] if others else first


def manifest(kernel, metadata, threads):
    tensor = {"dtype": kernel.dtype, "shape": sizes(kernel)}
    blocks = ["divide", ["add", "N", kernel.rows - 1], kernel.rows]
    target = "sm_90a" if kernel.chip == 90 else f"sm_{kernel.chip}"
    launch = {"kernel": metadata.name, "target": target, "grid": [blocks, HEADS, 1],
              "block": [threads, 1, 1], "cluster": [metadata.num_ctas, 1, 1],
              "shared": metadata.shared, "parameters": parameters(kernel, metadata)}
    scratch = metadata.global_scratch_size
    op = {"query": "q", "key": "k", "value": "v",
          "scale": 1 / math.sqrt(kernel.features), "normaliser": "softmax",
          "result": "o"}
    entry = {"name": "attention", "symbol": "mixattn_attention",
             "arguments": [{"name": name} | tensor for name in "qkv"],
             "results": [{"name": "o"} | tensor],
             "workspace": product(scratch, blocks, "B", "H") if scratch else 0,
             "launches": [launch],
             "attention": op | ({"causal": True} if kernel.causal else {})}
    return {"abi": 2, "producer": f"triton {triton.__version__}",
            "target": {"arch": "nvptx64", "cpu": target, "features": []},
            "entries": [entry]}


def check(metadata, head):
    """Threads of a block, by the head of the kernel's text. What the manifest cannot
    say must not be there."""
    threads = int(re.search(r"\.reqntid (\d+)", head)[1])
    assert threads == 32 * metadata.num_warps
    assert not metadata.launch_cooperative_grid and not metadata.launch_pdl
    assert metadata.num_ctas == 1 and metadata.profile_scratch_size == 0
    assert all(not meta["fp4_padded"] and not meta["is_im2col"]
               for meta in metadata.tensordesc_meta or [])
    return threads


def write(folder, name):
    kernel = KERNELS[name]
    done = compiled(kernel)
    text, metadata = done.asm["ptx"], done.metadata
    head = text.partition(".entry ")[2].partition("{")[0]
    told = manifest(kernel, metadata, check(metadata, head))
    launch, count = told["entries"][0]["launches"][0], head.count(".param ")
    assert count == len(launch["parameters"]), f"{name} has {count} parameters"
    (folder / f"{name}.ptx").write_text(text)
    (folder / f"{name}.json").write_text(json.dumps(told, indent=1) + "\n")
    print(f"{name}: {launch['target']}, {launch['block'][0]} threads, "
          f"{launch['shared']} bytes of shared memory, {count} parameters")


def main():
    folder, *names = sys.argv[1:]
    unknown = set(names) - set(KERNELS)
    if unknown:
        sys.exit(f"no kernel {', '.join(sorted(unknown))}")
    for name in names or KERNELS:
        write(pathlib.Path(folder), name)


if __name__ == "__main__":
    main()
