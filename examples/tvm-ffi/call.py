# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls a compiled layer from Python by TVM FFI: nothing is bound, built or copied.

    mixattn-compile examples/variants/mixhead_a.mlir -o layer.so
    python examples/tvm-ffi/call.py layer.so mixhead_a

`pip install apache-tvm-ffi numpy` is all that it takes; PyTorch's and JAX's
tensors go in as NumPy's do. The result is an argument, too: the last one.
"""

import sys

import numpy as np
import tvm_ffi


def main():
    path, name = sys.argv[1:]
    layer = tvm_ffi.load_module(path)
    draw = np.random.default_rng(1)
    q, k, v = (draw.standard_normal((2, 8, 100, 64)).astype(np.float32)
               for _ in range(3))
    mixer = draw.standard_normal((8, 8)).astype(np.float32)
    o = np.empty_like(q)
    layer[name](q, k, v, mixer, o)

    scores = np.einsum("bhnd,bhsd->bhns", q, k, dtype=float) / 8
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    expected = np.einsum("bcns,ca,basd->band", weights, mixer, v)
    print(f"largest error {np.abs(o - expected).max():.1e}")

    # An error is Python's, and says which argument is wrong.
    try:
        layer[name](q, k[:, :4], v, mixer, o)
    except ValueError as error:
        print("ValueError:", str(error).splitlines()[0])


if __name__ == "__main__":
    main()
