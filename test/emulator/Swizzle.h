// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Swizzled shared memory, as copies of tensors and wgmma place tiles.
#ifndef MIXATTN_TEST_EMULATOR_SWIZZLE_H
#define MIXATTN_TEST_EMULATOR_SWIZZLE_H

#include <cstdint>

namespace mixattn::emulator {

/// PTX ISA, Swizzling modes: where byte `address` of an unswizzled tile lies.
/// In each 8 rows of `span` bytes, chunks of 16 bytes are exchanged: bits 4 and
/// up are xored with bits 7 and up, three of them for a span of 128 bytes, two
/// for 64, one for 32, none for 0.
inline uint64_t swizzled(uint64_t address, unsigned span) {
  uint64_t mask = span < 32 ? 0 : span / 16 - 1;
  return address ^ ((address >> 7 & mask) << 4);
}

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_SWIZZLE_H
