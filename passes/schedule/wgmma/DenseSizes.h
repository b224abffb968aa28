// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the blocks of a contraction on wgmma, and of their rings.

#ifndef MIXATTN_PASSES_SCHEDULE_WGMMA_DENSE_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_WGMMA_DENSE_SIZES_H

#include "dialect/tile/WgmmaOps.h"
#include "passes/schedule/gpu/DenseShape.h"
#include "passes/schedule/gpu/UnitCounts.h"

namespace mixattn::wgmma {

/// The part of a contraction that a block of threads has, and its steps.
struct DenseSizes : DenseShape {
  /// Warpgroups that add up products, 64 rows each; one more fills the rings.
  static constexpr int64_t consumers = 2, rows = 64 * consumers,
                           threads = 128 * (consumers + 1);
  static constexpr int64_t mostColumns = 128, mostTerms = 64;
  /// Columns whose results are made together: registers hold what is read for
  /// as many.
  static constexpr int64_t columnsAtATime = 64;

  /// No block has more than `sharedBytes` bytes of shared memory.
  DenseSizes(const Contraction &op, int64_t sharedBytes);

  /// Terms of a step, and steps that rings hold.
  int64_t terms = mostTerms, stages = 4;
  /// TMA gives zeros for terms that there are not.
  int64_t stepsOfLoop() const {
    return llvm::divideCeil(uint64_t(allTerms), uint64_t(terms));
  }

  tile::RingType leftRing() const { return ring(rows, terms); }
  tile::RingType rightRing() const {
    return areTermsInRows ? ring(width(), terms) : ring(terms, width());
  }
  /// Where the right side's ring begins: at a multiple of 1024 bytes.
  int64_t rightOffset() const {
    return llvm::alignTo(leftRing().getBytes(), 1024);
  }
  int64_t bytes() const { return rightOffset() + rightRing().getBytes(); }

  /// The work of a block on one step: its keys are terms.
  BlockCounts countStep() const;

private:
  void checkMaps(const Contraction &op);
  tile::RingType ring(int64_t rows, int64_t columns) const {
    return tile::RingType::get(type.getContext(), {stages, rows, columns}, type,
                               /*swizzle=*/128);
  }
};

} // namespace mixattn::wgmma

#endif // MIXATTN_PASSES_SCHEDULE_WGMMA_DENSE_SIZES_H
