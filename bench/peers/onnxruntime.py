# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime, of a row's graph."""

import numpy as np
import onnxruntime as ort

from bench.peers import Setting, eager

# Whether its idle threads spin; they fall asleep before others are timed.
SPINNING = {"sleeping": "0", "spinning": "1"}
# ONNX's number of the types that NumPy does not have.
BF16 = 16


def value_of(array, dtype):
    """On the array's own memory."""
    if dtype == "bf16" and array.dtype == np.int16:
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array, BF16)
    return ort.OrtValue.ortvalue_from_numpy(array)


def build(graph, threads, spinning, keeps_memory):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.enable_cpu_mem_arena = keeps_memory
    options.add_session_config_entry("session.intra_op.allow_spinning", spinning)
    session = ort.InferenceSession(graph.model, options,
                                   providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, array in graph.inputs.items():
        binding.bind_ortvalue_input(name, value_of(array, graph.dtype))
    result = np.zeros(graph.shape, np.float32 if graph.dtype == "f32" else np.int16)
    value = value_of(result, graph.dtype)
    binding.bind_ortvalue_output(session.get_outputs()[0].name, value)

    def call():
        session.run_with_iobinding(binding)
        return Result(value, graph.view)
    return call


class Result:
    """Looked at only when somebody asks."""

    def __init__(self, value, view):
        self.value, self.view = value, view

    def numpy(self):
        return self.view(self.value.numpy())


def settings(task):
    graph = task.graph()
    for label, spinning in SPINNING.items():
        for threads in eager.thread_counts(task):
            yield Setting(label, lambda spinning=spinning, threads=threads:
                          build(graph, threads, spinning, task.keeps_memory), threads)
