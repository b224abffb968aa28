// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encodes tensor maps for the emulator.
#include "State.h"
#include "TensorMap.h"

#include <cstring>

using namespace mixattn::emulator;

MIXATTN_CUDA_EXPORT CUresult
cuTensorMapEncodeTiled(CUtensorMap *map, int type, uint32_t rank, void *address,
                       const uint64_t *dims, const uint64_t *strides,
                       const uint32_t *box, const uint32_t *elementStrides,
                       int interleave, int swizzle, int promotion, int fill) {
  // u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16 f32.ftz tf32 tf32.ftz
  static constexpr uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  static constexpr uint8_t spans[] = {0, 32, 64, 128};
  bool isKnown = map && dims && box && elementStrides && type >= 0 &&
                 type < int(sizeof bytes) && rank >= 1 && rank <= 5 &&
                 (strides || rank == 1) && swizzle >= 0 && swizzle <= 3 &&
                 promotion >= 0 && promotion <= 3 && fill >= 0 && fill <= 1;
  if (!isKnown || reinterpret_cast<uintptr_t>(map) % 64)
    return CUDA_ERROR_INVALID_VALUE;
  State &state = State::get();
  if (!state.chip.hasTensorMaps())
    return CUDA_ERROR_NOT_SUPPORTED;
  if (interleave)
    return state.remember(CUDA_ERROR_NOT_SUPPORTED,
                          "interleaved tensor maps are not emulated");
  TensorMap result;
  result.address = reinterpret_cast<uint64_t>(address);
  result.rank = rank;
  result.elementBytes = bytes[type];
  result.swizzle = spans[swizzle];
  result.fillsNan = fill;
  // NaN is for types with a fraction only.
  if (fill && (type < 6 || type == 8))
    return CUDA_ERROR_INVALID_VALUE;
  for (uint32_t i = 0; i < rank; ++i) {
    if (dims[i] == 0 || dims[i] > (1ull << 32) || elementStrides[i] != 1)
      return CUDA_ERROR_INVALID_VALUE;
    result.dims[i] = dims[i] == (1ull << 32) ? ~0u : dims[i];
    result.box[i] = box[i];
    if (i)
      result.strides[i - 1] = strides[i - 1];
  }
  if (const char *complaint = result.complaint())
    return state.remember(CUDA_ERROR_INVALID_VALUE, complaint);
  std::memcpy(map, &result, sizeof result);
  return CUDA_SUCCESS;
}
