# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory for results: arrays of NumPy, or tensors of PyTorch where the caller's are."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Optional

from . import _dlpack

NUMPY = {"f16": "float16", "f32": "float32", "f64": "float64", "i1": "bool", "i8": "int8",
         "i16": "int16", "i32": "int32", "i64": "int64"}
TORCH = {**NUMPY, "bf16": "bfloat16"}


class NumpyArrays:
    """Results in the host's memory, for callers with any tensors but PyTorch's."""

    stream: Optional[int] = None

    def check(self, device: _dlpack.Device) -> None:
        """TypeError where the caller's tensors lie elsewhere."""
        if device.type != _dlpack.CPU:
            raise TypeError("expected tensors of PyTorch on a GPU, for nothing else here has memory there")

    def empty(self, shape: tuple, dtype: str) -> Any:
        """An array whose numbers are not set; of bf16 where the package ml_dtypes is installed."""
        import numpy
        if dtype != "bf16":
            return numpy.empty(shape, NUMPY[dtype])
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError("expected PyTorch's tensors or the package ml_dtypes, "
                            "for NumPy alone has no bf16") from None
        return numpy.empty(shape, ml_dtypes.bfloat16)

    def address(self, made: Any) -> int:
        """Where the numbers of what `empty` made lie."""
        return made.ctypes.data


class TorchTensors:
    """Results on the device of the caller's tensors of PyTorch."""

    def __init__(self, device: Any):
        self.torch, self.device = sys.modules["torch"], device

    def check(self, device: _dlpack.Device) -> None:
        """PyTorch has memory wherever its tensors lie."""

    @property
    def stream(self) -> Optional[int]:
        """A GPU's kernels wait for the work that the caller's stream has under way."""
        if self.device.type != "cuda":
            return None
        return self.torch.cuda.current_stream(self.device).cuda_stream

    def empty(self, shape: tuple, dtype: str) -> Any:
        """A tensor whose numbers are not set."""
        return self.torch.empty(shape, dtype=getattr(self.torch, TORCH[dtype]), device=self.device)

    def address(self, made: Any) -> int:
        """Where the numbers of what `empty` made lie."""
        return made.data_ptr()

    def copy(self, weight: Any) -> Any:
        """The same weight on the device; itself where it lies on one."""
        tensor = weight.view.tensor
        if tensor.device.type != _dlpack.CPU:
            return weight
        dtype = next(name for name, (code, bits) in _dlpack.DTYPES.items()
                     if (code, bits) == (tensor.dtype.code, tensor.dtype.bits))
        made = self.empty(weight.view.shape, dtype)
        if weight.nbytes:
            numbers = (ctypes.c_char * weight.nbytes).from_address(tensor.data)
            made.copy_(self.torch.frombuffer(numbers, dtype=made.dtype).view(made.shape))
        return weight._replace(view=_dlpack.view(made))


def kind_of(values: list) -> Any:
    """The maker of results for a call with `values`: PyTorch where one of them is its."""
    for value in values:
        if _dlpack.is_torch(value):
            return TorchTensors(value.device)
    return NumpyArrays()
