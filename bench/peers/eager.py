# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch, op by op."""

from bench.peers import Setting


def thread_counts(task):
    """All, and one where the work is so small that it may win."""
    return sorted({task.threads, 1} if task.flops < 1e8 else {task.threads})


def settings(task):
    for label, way in task.ways().items():
        for threads in thread_counts(task):
            yield Setting(label, lambda way=way: way, threads)
