# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls a compiled layer with arrays: call.py MIXHEAD_A.mlir ENTRIES.mlir FOLDER."""

import concurrent.futures
import os
import sys

import mixattn
import numpy as np
from refused import refused


def formula(q, k, v, mixer):
    scores = np.einsum("bhnd,bhsd->bhns", q, k, dtype=float) / 8
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("bcns,ca,basd->band", weights, mixer, v)


def error(o, *tensors):
    return f"{np.abs(o - formula(*tensors)).max():.1e}"


def draw(seed, b, n, s):
    random = np.random.default_rng(seed)
    return tuple(random.standard_normal(shape).astype(np.float32)
                 for shape in ((b, 8, n, 64), (b, 8, s, 64), (b, 8, s, 64), (8, 8)))


class Other:
    """A tensor of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **asked):
        return self.array.__dlpack__(**asked)


def numbers(layer):
    q, k, v, mixer = draw(1, 2, 30, 70)
    o = layer(q, k, v, mixer)
    print(type(o).__name__, o.dtype, o.shape, "error", error(o, q, k, v, mixer))
    print("by name: error", error(layer(q, v=v, mixer=mixer, k=k), q, k, v, mixer))

    # Rows of other places, memory that is not to be written, tensors of others.
    apart = np.ascontiguousarray(q.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)
    k.flags.writeable = False
    o = layer(apart[:, :, ::3], k, Other(v), mixer.__dlpack__())
    print("in place: error", error(o, q[:, :, ::3], k, v, mixer))
    print("no rows:", layer(q[:, :, :0], k, v, mixer).shape)

    # Calls of several sizes at the same time, each with memory of its own.
    sizes = [draw(seed, 1 + seed % 3, 1 + 7 * seed, 5 + 11 * seed) for seed in range(24)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda tensors: layer(*tensors), sizes))
    worst = max(np.abs(o - formula(*tensors)).max() for o, tensors in zip(made, sizes))
    print(f"threads: error {worst:.1e}")
    print("workspaces kept:", 1 <= len(layer["mixhead_a"]._workspaces._free) <= 4)


def refusals(layer):
    q, k, v, mixer = draw(1, 2, 3, 5)
    refused(layer, q, k[:, :4], v, mixer)
    refused(layer, q, k, v[:, :, :4], mixer)
    refused(layer, q[0], k, v, mixer)
    refused(layer, q, k, v, mixer.T)
    refused(layer, q, k, v, mixer.astype(np.float64))
    refused(layer, q, k, v)
    refused(layer, q, k, v, mixer, mixer)
    refused(layer, q, k, v, mixer, q=q)
    refused(layer, q, k, v, mix=mixer)
    refused(layer, q, k, v, [1.0])
    refused(layer, q, k, v, mixer.astype(object))
    refused(layer, q, k, v, mixer.astype(">f4"))
    refused(layer.__getitem__, "softmax")


def entries(library, folder):
    print(library)
    random = np.random.default_rng(3)
    x, bias = random.standard_normal((5, 4)).astype(np.float32), np.arange(4, dtype=np.float32)
    print("mean:", np.array_equal(library["mean"](x, bias), x + bias))
    which, chosen = np.array([True, False, True]), np.array([5, 6, 7])
    print("choose:", library["choose"](which, chosen), library["choose"](which[:0], chosen[:0]))
    refused(library, x, bias)
    refused(library["choose"], which, chosen[:2])

    # Weights that are kept, of the caller's.
    held = mixattn.load(os.path.join(folder, "entries.so"), weights={"bias": bias})
    print("kept:", np.array_equal(held["mean"](x), x + bias), held["mean"].arguments)
    refused(held["mean"], x, bias)
    refused(mixattn.load, os.path.join(folder, "entries.so"), weights={"bias": [1, 2, 3, 4]})


def main():
    mixhead, several, folder = sys.argv[1:]
    layer = mixattn.compile(mixhead)
    numbers(layer)
    refusals(layer)
    out = os.path.join(folder, "entries.so")
    entries(mixattn.compile(several, out=out, target="x86-64-v3"), folder)
    print(sorted(os.listdir(folder)))
    gone = os.path.dirname(layer.path)
    del layer
    print("folder removed:", not os.path.exists(gone))


main()
