// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lane holds which element of a matrix, and in which register.
//
// PTX ISA, Matrix Fragments for mma.m16n8k16 with floating point type, and
// Register Fragments for wgmma.mma_async.m64nNk16.
#ifndef MIXATTN_TEST_EMULATOR_FRAGMENTS_H
#define MIXATTN_TEST_EMULATOR_FRAGMENTS_H

namespace mixattn::emulator {

/// Where an element lies: a lane, one of its registers, and an element of that.
struct Holder {
  unsigned lane, reg, element;
};

/// Elements of 16 bits in matrix A of 16 rows. Registers: rows 0-7 and 8-15 of
/// columns 0-7, then of columns 8-15.
constexpr Holder holderOfA(unsigned row, unsigned k) {
  return {row % 8 * 4 + k % 8 / 2, row / 8 + k / 8 * 2, k % 2};
}

/// Elements of 16 bits in matrix B of 8 columns.
constexpr Holder holderOfB(unsigned k, unsigned column) {
  return {column * 4 + k % 8 / 2, k / 8, k % 2};
}

/// Elements of 32 bits in C or D: 16 rows of a warp, any number of columns.
constexpr Holder holderOfD(unsigned row, unsigned column) {
  return {row % 8 * 4 + column % 8 / 2,
          column / 8 * 4 + row / 8 * 2 + column % 2, 0};
}

/// The same where D has elements of 16 bits.
constexpr Holder holderOfHalfD(unsigned row, unsigned column) {
  return {row % 8 * 4 + column % 8 / 2, column / 8 * 2 + row / 8, column % 2};
}

/// mma.m16n8k8 with tf32: elements of 32 bits in A and B.
constexpr Holder holderOfSingleA(unsigned row, unsigned k) {
  return {row % 8 * 4 + k % 4, row / 8 + k / 4 * 2, 0};
}
constexpr Holder holderOfSingleB(unsigned k, unsigned column) {
  return {column * 4 + k % 4, k / 4, 0};
}

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_FRAGMENTS_H
