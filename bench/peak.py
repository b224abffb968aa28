# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine's peak, measured between the calls that are compared with it."""

import ctypes
from typing import NamedTuple

from bench import paths

KINDS = {"f32 zmm": 0, "f32 ymm": 1, "bf16 zmm": 2, "bf16 amx": 3, "f32 zmm fed": 4}
# Seconds of one measurement.
SHORT, LONG = 0.02, 0.25


class Flops(NamedTuple):
    """Operations a second on all threads, the share of clock x lanes x two ports
    that this is, and the clock in Hz."""
    rate: float
    share: float
    hertz: float


class Peak:
    def __init__(self, work=paths.WORK):
        self.rates = {}
        self.library = ctypes.CDLL(str(paths.build_c("peak", work)))
        self.library.peakFlops.argtypes = (
            [ctypes.c_int, ctypes.c_int, ctypes.c_double]
            + [ctypes.POINTER(ctypes.c_double)] * 3)
        self.library.peakRead.argtypes = [
            ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int, ctypes.c_double,
            ctypes.POINTER(ctypes.c_double)]

    def has(self, kind):
        return bool(self.library.peakHas(KINDS[kind]))

    def kind_of(self, row):
        """The fastest instructions that code for this row may use."""
        return self.kind_of_type(row.dtype, row.target == "x86-64-v3")

    def kind_of_type(self, dtype, is_narrow=False):
        """The same for a type, without AVX-512 where it `is_narrow`."""
        if is_narrow or not self.has("f32 zmm"):
            return "f32 ymm"
        # Intel's CPUs multiply pairs of bf16 at half the rate of f32.
        kinds = ("bf16 amx", "bf16 zmm", "f32 zmm") if dtype == "bf16" else ("f32 zmm",)
        return max(filter(self.has, kinds), key=self._rate_of_one)

    def _rate_of_one(self, kind):
        if kind not in self.rates:
            self.rates[kind] = self.flops(kind, 1, SHORT).rate
        return self.rates[kind]

    def flops(self, kind, threads, seconds=SHORT):
        numbers = [ctypes.c_double() for _ in range(3)]
        if self.library.peakFlops(KINDS[kind], threads, seconds, *numbers):
            raise RuntimeError(f"this machine cannot run {kind} on {threads} CPUs")
        return Flops(*(number.value for number in numbers))

    def read(self, data, threads, seconds=SHORT):
        """Bytes a second, read from the NumPy array `data` again and again."""
        rate = ctypes.c_double()
        if self.library.peakRead(data.ctypes.data, data.nbytes, threads, seconds,
                                 rate):
            raise RuntimeError(f"this machine cannot read on {threads} CPUs")
        return rate.value

    def everything(self, threads):
        """All kinds, for the record."""
        return {kind: self.flops(kind, threads, LONG)._asdict()
                for kind in KINDS if self.has(kind)}
