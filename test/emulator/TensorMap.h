// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps: what cuTensorMapEncodeTiled writes into 128 bytes here.
#ifndef MIXATTN_TEST_EMULATOR_TENSORMAP_H
#define MIXATTN_TEST_EMULATOR_TENSORMAP_H

#include <array>
#include <cstdint>

namespace mixattn::emulator {

struct alignas(64) TensorMap {
  static constexpr uint64_t mark = 0x70616d726f736e74ull;

  uint64_t marker = mark, address = 0;
  /// Of dims 1 and up, in bytes.
  std::array<uint64_t, 4> strides = {};
  /// Dim 0 is the innermost one.
  std::array<uint32_t, 5> dims = {}, box = {};
  uint8_t rank = 0, elementBytes = 0;
  /// The bytes of a swizzled row: 0, 32, 64 or 128.
  uint8_t swizzle = 0;
  /// Elements out of bounds are NaN, not 0.
  uint8_t fillsNan = 0;
  std::array<uint8_t, 20> unused = {};

  /// An explanation of the first documented limit that it breaks, or null.
  const char *complaint() const;
};
static_assert(sizeof(TensorMap) == 128);

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_TENSORMAP_H
