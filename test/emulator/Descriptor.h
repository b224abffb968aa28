// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix descriptors of wgmma (PTX ISA, Matrix Descriptor Format, Shared Memory
// Matrix Layout).
#ifndef MIXATTN_TEST_EMULATOR_DESCRIPTOR_H
#define MIXATTN_TEST_EMULATOR_DESCRIPTOR_H

#include "Failure.h"
#include "Swizzle.h"

namespace mixattn::emulator {

struct Descriptor {
  uint32_t begin = 0, leading = 0, stride = 0, baseOffset = 0;
  /// The bytes of a swizzled row: 128, 64, 32; 16 without swizzle.
  unsigned span = 0;

  explicit Descriptor(uint64_t bits)
      : begin((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4),
        stride((bits >> 32 & 0x3fff) << 4), baseOffset(bits >> 49 & 7) {
    // Bits 62 and 63: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
    constexpr unsigned spans[] = {16, 128, 64, 32};
    span = spans[bits >> 62];
    constexpr uint64_t known =
        0x3fffull | 0x3fffull << 16 | 0x3fffull << 32 | 7ull << 49 | 3ull << 62;
    if (bits & ~known)
      fail("the matrix descriptor " + hexadecimal(bits) + " has unknown bits");
    if (baseOffset)
      fail("a matrix descriptor with a base offset is not emulated");
  }

  /// The address of element (mn, k), both in elements of two bytes. K-major:
  /// rows of `span` bytes along k; 8 rows are an atom, atoms of rows are
  /// `stride` apart; without swizzle chunks of 16 bytes along k are `leading`
  /// apart. MN-major: rows of `span` bytes along mn, 8 values of k an atom;
  /// atoms along k are `stride` apart, along mn `leading`.
  uint32_t addressOf(unsigned mn, unsigned k, bool isMnMajor) const {
    unsigned inRow = span / 2, offset;
    if (!isMnMajor) {
      offset = mn / 8 * stride + mn % 8 * span + k % inRow * 2;
      if (span == 16)
        offset += k / inRow * leading;
      else if (k >= inRow)
        fail("a row along k is longer than the swizzle");
    } else if (span == 16) {
      // Without swizzle, atoms along mn are `stride` apart, along k `leading`.
      offset = mn / 8 * stride + k / 8 * leading + k % 8 * 16 + mn % 8 * 2;
    } else {
      offset =
          mn / inRow * leading + k / 8 * stride + k % 8 * span + mn % inRow * 2;
    }
    return swizzled(begin + offset, span == 16 ? 0 : span);
  }
};

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_DESCRIPTOR_H
