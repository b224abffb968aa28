# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the CPU of this machine has."""

import functools
import pathlib


@functools.cache
def flags():
    """The names that the kernel has for its features; none elsewhere."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    return frozenset(next((line.split(":")[1].split() for line in lines
                           if line.startswith("flags")), ()))


def emulates_amx():
    """Whether code for '+emulated-amx' runs here."""
    return "avx512dq" in flags()


def has_scaling():
    """Whether code for Intel's first CPU with AVX-512 runs here."""
    return {"avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags()


def has_amx():
    return "amx_bf16" in flags()
