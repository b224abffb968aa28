# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of a row on a GPU, next to those of PyTorch's kernels and to the prediction
of --explain. Calls of all contestants take turns in one process, between CUDA
events; a figure is the median."""

import contextlib
import ctypes
import math
import statistics

from bench.gpu import Failure
from bench.ours import Call
from dlpack import TYPES, DLTensor

# A turn of one contestant takes about so many seconds at least.
TURN = 1e-3
FORMAT = {"bf16": "bfloat16", "f16": "float16"}


def preload():
    """Imports PyTorch, if it is there: it takes seconds, and has no part in CUDA yet."""
    with contextlib.suppress(ImportError):
        import torch  # noqa: F401 pylint: disable=unused-import


def find_torch():
    try:
        import torch
    except ImportError as missing:
        raise Failure("expected PyTorch with CUDA, but there is no torch") from missing
    if not torch.cuda.is_available():
        raise Failure("expected PyTorch with CUDA, but it finds no GPU")
    return torch


class Ours:
    """An artifact bound to tensors of PyTorch; `x` are the arguments, in order."""

    def __init__(self, torch, artifact, x, results):
        library = ctypes.CDLL(str(artifact.library))
        entry = artifact.entry()
        self.entry = getattr(library, f"mixattn_{entry['name']}")
        self.keep = [*x, *results]
        kinds = [each["dtype"] for each in entry["arguments"] + entry["results"]]
        self.tensors = [self.tensor(*pair) for pair in zip(self.keep, kinds)]
        self.pointers = (ctypes.POINTER(DLTensor) * len(self.tensors))(
            *map(ctypes.pointer, self.tensors))
        self.message = ctypes.create_string_buffer(512)
        stream = torch.cuda.current_stream().cuda_stream
        self.call = Call(size=ctypes.sizeof(Call), stream=stream,
                         message=ctypes.addressof(self.message), message_size=512)
        count = ctypes.c_uint64()
        query = getattr(library, f"mixattn_workspace_{entry['name']}")
        self.check(query(self.pointers, len(self.tensors), ctypes.byref(count),
                         ctypes.byref(self.call)))
        self.workspace = torch.empty(max(count.value, 1), dtype=torch.uint8)
        self.call.workspace = self.workspace.data_ptr()
        self.call.workspace_bytes = count.value

    @staticmethod
    def tensor(each, kind):
        code, bits = TYPES[kind]
        shape = (ctypes.c_int64 * each.ndim)(*each.shape)
        return DLTensor(each.data_ptr(), 2, 0, each.ndim, code, bits, 1, shape, None, 0)

    def check(self, code):
        if code:
            raise Failure(self.message.value.decode() or f"code {code}")

    def __call__(self):
        self.check(self.entry(self.pointers, len(self.tensors),
                              ctypes.byref(self.call)))


def arguments(torch, artifact):
    """Standard normal; priors as logarithms of what adds up to 1, or as such."""
    torch.manual_seed(1)
    x, dims = {}, artifact.row.dims
    dtype = getattr(torch, FORMAT[artifact.dtype])
    for each in artifact.entry()["arguments"]:
        name = each["name"]
        if each["dtype"] != artifact.dtype:
            raise Failure(f"expected arguments of {artifact.dtype}, but '{name}' is "
                          f"{each['dtype']}")
        value = torch.randn([dims.get(size, size) for size in each["shape"]])
        if name == "log_prior":
            value = torch.log_softmax(value, 1)
        if name == "prior":
            value = torch.softmax(value, 1)
        if name == "w":
            value /= 10
        x[name] = value.to(dtype)
    return x


def results(torch, artifact):
    dims, dtype = artifact.row.dims, getattr(torch, FORMAT[artifact.dtype])
    return [torch.empty([dims.get(size, size) for size in each["shape"]], dtype=dtype)
            for each in artifact.entry()["results"]]


def kernels(torch, row, x):
    """PyTorch's attentions by name: of the exact fold where the row is not plain."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from bench.peers import folds
    name = row.variant.replace("_causal", "")
    causal = row.variant.endswith("_causal")
    attend = torch.nn.functional.scaled_dot_product_attention
    if name == "softmax_gqa":
        wide, more = folds.Plain(x["q"], x["k"], x["v"], folds.scale_of(x)), \
            {"enable_gqa": True}
    elif name in folds.FOLDS and not causal or name == "softmax":
        plain, more = folds.FOLDS[name](x), {}
        wide = plain if name == "softmax" else folds.widened(plain)
    else:
        return {}

    def backend(kind):
        def call():
            with sdpa_kernel(kind):
                wide.finish(attend(wide.q, wide.k, wide.v, scale=wide.scale,
                                   is_causal=causal, **more))
        return call
    return {"cuDNN": backend(SDPBackend.CUDNN_ATTENTION),
            "flash": backend(SDPBackend.FLASH_ATTENTION)}


def formulas(row, x):
    """The formula op by op, by the name of its form."""
    from bench.peers import formulas as written
    from bench.peers import linear
    if row.variant == "mlk_causal":
        return {f"eager, chunks of {chunk}": lambda chunk=chunk: linear.chunked(chunk)(
            x, None) for chunk in (64, 128, 256)}
    return {f"eager {label}".strip(): lambda form=form: form(x, None)
            for label, form in written.FORMS.get(row.variant, {}).items()}


def compiled(torch, row, x):
    """What torch.compile makes: of FlexAttention on the fold, of the formulas."""
    from torch.nn.attention.flex_attention import flex_attention
    from bench.peers import folds, linear
    from bench.peers import formulas as written
    found = {}
    if row.variant in folds.FOLDS:
        flex, plain = torch.compile(flex_attention, dynamic=False), \
            folds.FOLDS[row.variant](x)
        found["flex"] = lambda: plain.finish(flex(plain.q, plain.k, plain.v,
                                                  scale=plain.scale))
    forms = {"128": linear.chunked(128)} if row.variant == "mlk_causal" \
        else written.FORMS.get(row.variant, {})
    for label, form in forms.items():
        call = torch.compile(form, dynamic=False)
        found[f"compile {label}".strip()] = lambda call=call: call(x, None)
    return found


def eager(torch, row, x):
    return kernels(torch, row, x) | formulas(row, x)


def nobody(*_):
    return {}


def seconds_of(torch, call, count):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(count):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / count


def medians(torch, calls, rounds):
    times, counts = {name: [] for name in calls}, {}
    for turn in range(rounds + 2):
        for name, call in calls.items():
            seconds = seconds_of(torch, call, counts.get(name, 1))
            # The first turns are for caches.
            if turn >= 2:
                times[name].append(seconds)
            else:
                counts[name] = max(1, math.ceil(TURN / seconds))
    return {name: statistics.median(each) for name, each in times.items()}


def ceilings(rounds=5):
    """Bytes a second of a copy, those read and those written, and operations a second
    of a product of bf16, of this GPU."""
    torch = find_torch()
    torch.set_default_device("cuda")
    a = torch.randn(8192, 8192).bfloat16()
    b, bytes_ = torch.randn(8192, 8192).bfloat16(), 1 << 32
    source = torch.empty(bytes_, dtype=torch.uint8)
    target = torch.empty_like(source)
    median = medians(torch, {"copy": lambda: target.copy_(source),
                             "product": lambda: torch.matmul(a, b)}, rounds)
    return {"device": torch.cuda.get_device_name(), "torch": torch.__version__,
            "copy": 2 * bytes_ / median["copy"],
            "product": 2 * 8192**3 / median["product"]}


def time(artifact, rounds, others):
    """Seconds of all contestants; `others(torch, row, x)` are the peers, by name."""
    torch = find_torch()
    # Peers make tensors of their own where they are told nothing else.
    torch.set_default_device("cuda")
    x = arguments(torch, artifact)
    ours = Ours(torch, artifact, list(x.values()), results(torch, artifact))
    calls, refused = {"ours": ours}, {}
    for name, call in others(torch, artifact.row, x).items():
        try:
            call()
            torch.cuda.synchronize()
            calls[name] = call
        except Exception as why:  # pylint: disable=broad-except
            # Compilers at run time raise whatever they like.
            refused[name] = (str(why).splitlines() or [type(why).__name__])[0][:200]
    predicted, plans, residuals = artifact.predicted()
    return {"seconds": medians(torch, calls, rounds), "refused": refused,
            "predicted": predicted, "plans": plans, "residuals_per_mille": residuals,
            "flops": artifact.amount("flops"), "bytes": artifact.amount("bytes"),
            "workspace": ours.call.workspace_bytes}


def sentence(record, ceiling):
    """What is told of a record of time()."""
    seconds = record["seconds"]
    ours, others = seconds["ours"], {n: s for n, s in seconds.items() if n != "ours"}
    parts = [", ".join(f"{name} {each * 1e3:.3f} ms" for name, each in seconds.items())]
    if record["flops"]:
        rate = record["flops"] / ours
        parts.append(f"{rate / 1e12:.0f} TFLOP/s, {rate / ceiling['product']:.2f} of a product's")
    if record["bytes"]:
        parts.append(f"{record['bytes'] / ours / ceiling['copy']:.2f} of a copy's bandwidth")
    if others:
        best = min(others, key=others.get)
        parts.append(f"{others[best] / ours:.2f} times the best peer ({best})")
    if record["predicted"]:
        least, most = (each / 10 for each in record["residuals_per_mille"])
        parts.append(f"{ours / record['predicted']:.2f} times what was predicted "
                     f"(speeds {least:+.1f} % to {most:+.1f} % off published ones)")
    return "; ".join(parts)
