// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The limits of tensor maps (CUDA driver API, cuTensorMapEncodeTiled).
#include "TensorMap.h"

using namespace mixattn::emulator;

const char *TensorMap::complaint() const {
  if (marker != mark)
    return "there is no tensor map";
  if (rank < 1 || rank > 5)
    return "a tensor map has 1 to 5 dims";
  if (address % 16)
    return "the tensor is not aligned to 16 bytes";
  for (unsigned i = 0; i < rank; ++i) {
    if (dims[i] == 0)
      return "a dim of a tensor map is 0";
    if (box[i] < 1 || box[i] > 256)
      return "a box has 1 to 256 elements in each dim";
    if (i && (strides[i - 1] % 16 || strides[i - 1] >= (1ull << 40)))
      return "a stride is no multiple of 16 below 2^40";
  }
  unsigned inner = box[0] * elementBytes;
  if (inner % 16)
    return "the bytes of a box's row are no multiple of 16";
  if (swizzle && inner > swizzle)
    return "a box's row is longer than the swizzle";
  return nullptr;
}
