# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entries of a compiled library as operators of PyTorch, on whatever devices it has code for.

`load("layer.so")` makes the entry NAME the operator torch.ops.mixattn.NAME: arguments in, results out, caches changed where
they lie. torch.compile and torch.export keep it whole. It has no gradient.
"""

import ctypes
import functools
import json
import operator
import pathlib

import torch

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
          "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64}
OPERATIONS = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.floordiv,
              "remainder": operator.mod, "minimum": torch.sym_min, "maximum": torch.sym_max}
MACHINE = -6  # MIXATTN_ERROR_MACHINE: no code for the device.
address_in = ctypes.pythonapi.PyCapsule_GetPointer
address_in.restype, address_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Call(ctypes.Structure):
    """mixattn_call of <mixattn/abi.h>; what comes after these fields is as if it were 0."""
    _fields_ = [("size", ctypes.c_uint32), ("stream", ctypes.c_void_p), ("workspace", ctypes.c_void_p),
                ("workspace_bytes", ctypes.c_uint64), ("message", ctypes.c_char_p), ("message_size", ctypes.c_size_t)]


def load(path):
    manifest = json.loads(pathlib.Path(path).with_suffix(".json").read_text())
    library = ctypes.CDLL(str(pathlib.Path(path).resolve()))
    for entry in manifest["entries"]:
        define(library, entry, on_gpus="gpu" in manifest or manifest["target"]["arch"] == "nvptx64")


def value_of(size, sizes):
    """What a SIZE of the manifest is where dims have these sizes."""
    if not isinstance(size, list):
        return sizes.get(size, size)
    return functools.reduce(OPERATIONS[size[0]], (value_of(each, sizes) for each in size[1:]))


def define(library, entry, on_gpus):
    name, arguments, results = entry["name"], entry["arguments"], entry["results"]
    rules = entry.get("sizes", {})
    updated = [each["name"] for each in arguments if each.get("updates")]

    def invoke(function, *given, allowed=0, **fields):
        message = ctypes.create_string_buffer(512)
        request = Call(ctypes.sizeof(Call), message=ctypes.addressof(message), message_size=512, **fields)
        code = getattr(library, function + name)(*given, ctypes.byref(request))
        if code not in (0, allowed):
            raise (ValueError if code > 0 else RuntimeError)(message.value.decode() or f"code {code}")

    def fake(*tensors):
        sizes = {dim: size for each, tensor in zip(arguments, tensors) for dim, size in zip(each["shape"], tensor.shape)}
        # Dims that no argument has: what the size of another tells, then what is computed.
        told = {dim: rule["told"] for dim, rule in rules.items() if "told" in rule}
        sizes |= {dim: torch.sym_max(0, (sizes[of["by"]] - of["offset"]) // of["factor"]) for dim, of in told.items()}
        sizes = {dim: value_of(rule["is"], sizes) for dim, rule in rules.items() if "is" in rule} | sizes
        made = [tensors[0].new_empty([sizes.get(dim, dim) for dim in each["shape"]], dtype=DTYPES[each["dtype"]])
                for each in results]
        return made[0] if len(made) == 1 else tuple(made) or None

    def call(*tensors):
        made = fake(*tensors)
        # DLManagedTensor begins with its DLTensor.
        capsules = [torch.utils.dlpack.to_dlpack(each.detach())
                    for each in (*tensors, *([made] if len(results) == 1 else made or ()))]
        pointers = (ctypes.c_void_p * len(capsules))(*(address_in(each, b"dltensor") for each in capsules))
        size, device = ctypes.c_uint64(), tensors[0].device
        invoke("mixattn_workspace_", pointers, len(capsules), ctypes.byref(size))
        # PyTorch gives it out again to what comes later on this stream; in a graph it is the graph's.
        workspace = torch.empty(size.value, dtype=torch.uint8, device=device)
        stream = torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else None
        invoke("mixattn_", pointers, len(capsules), stream=stream, workspace=workspace.data_ptr(),
               workspace_bytes=size.value)
        return made

    # From here on a call loads nothing, and may be captured. GPUs that there is no code for are left out.
    for device in range(torch.cuda.device_count() if on_gpus else 0):
        invoke("mixattn_prepare_", device, allowed=MACHINE)
    # torch.compile keeps a call whose results nobody reads where it says which tensors it changes.
    declared = [f"Tensor{f'(a{number}!)' if each['name'] in updated else ''} {each['name']}"
                for number, each in enumerate(arguments)]
    schema = f"({', '.join(declared)}) -> ({', '.join(['Tensor'] * len(results))})"
    torch.library.custom_op(f"mixattn::{name}", call, mutates_args=updated, schema=schema).register_fake(fake)
