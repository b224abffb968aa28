# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The speed of a product of 1024 x 1024 matrices in a peer's library, as a share
of peak: a library on the wrong kernel shows. python -m bench.product THREADS
prints JSON, by library and type."""

import json
import pathlib
import sys

from bench import child, timing
from bench.peak import Peak

SIZE, ROUNDS = 1024, 7


def torch_products():
    import torch
    torch.inference_mode().__enter__()
    for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
        a, b = (torch.randn(SIZE, SIZE, dtype=dtype) for _ in range(2))
        yield name, lambda a=a, b=b: a @ b


def onnxruntime_products(threads):
    import numpy as np
    import onnxruntime as ort
    from onnx import TensorProto, helper
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [SIZE, SIZE])
              for name in "abc"]
    graph = helper.make_graph([helper.make_node("MatMul", ["a", "b"], ["c"])],
                              "product", values[:2], values[2:])
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    session = ort.InferenceSession(helper.make_model(
        graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20)]
    ).SerializeToString(), options)
    matrices = {name: np.random.default_rng(1).standard_normal(
        (SIZE, SIZE), np.float32) for name in "ab"}
    yield "f32", lambda: session.run(None, matrices)


def share(call, kind, threads, peak):
    timing.warm(call)
    times, peaks = timing.rounds({"product": call}, ROUNDS,
                                 lambda: peak.flops(kind, threads).rate)
    return timing.share(times["product"], peaks["product"], 2 * SIZE**3)


def main():
    threads = int(sys.argv[1])
    child.restrict(threads)
    peak, found = Peak(), {}
    for library, products in (("torch", torch_products()),
                              ("onnxruntime", onnxruntime_products(threads))):
        try:
            for dtype, call in products:
                kind = peak.kind_of_type(dtype)
                if dtype == "f32" or kind.startswith("bf16"):
                    found.setdefault(library, {})[dtype] = share(
                        call, kind, threads, peak)
        except ImportError:
            found.pop(library, None)
    pathlib.Path(sys.argv[2]).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
