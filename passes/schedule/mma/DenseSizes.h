// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the blocks of a contraction on mma.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_DENSE_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_DENSE_SIZES_H

#include "dialect/tile/TileOps.h"
#include "passes/schedule/gpu/DenseShape.h"
#include "passes/schedule/gpu/UnitCounts.h"

namespace mixattn::mma {

/// The part of a contraction that a block of threads has, and its steps.
struct DenseSizes : DenseShape {
  /// Threads of a block, four warps; rows of a group of rows, 16 a warp.
  static constexpr int64_t threads = 128, groupRows = 64, mostColumns = 128;
  /// Columns whose results are made together. Sums of two groups of rows leave
  /// no registers for what is read for more. Another block of the
  /// multiprocessor has products meanwhile.
  static constexpr int64_t columnsAtATime = 32;

  /// No block has more than `sharedBytes` bytes of shared memory.
  DenseSizes(const Contraction &op, int64_t sharedBytes);

  /// Terms of a step.
  int64_t terms = 0;
  /// Whether they divide those that there are.
  bool areStepsWhole() const {
    return !hasOpenTerms() && allTerms % terms == 0;
  }
  /// Groups of rows of a block.
  int64_t rowGroups = 2;
  /// Steps whose copies are in shared memory.
  int64_t stages = 4;
  /// Steps whose copies are under way while one is computed.
  int64_t ahead() const { return stages - 1; }

  int64_t rows() const { return rowGroups * groupRows; }
  /// Terms of a step with those that fill a product.
  int64_t depth() const { return llvm::alignTo(terms, 16); }
  /// Whether the steps come in turns of as many as stages, and all that they
  /// copy in pieces of 16 bytes: few enough that a turn is written out.
  bool hasTurns() const {
    return outerTerms.empty() && comesInTurnsOf(stages) && terms == depth() &&
           !hasOpenColumns() && columns == width() && allColumns % 8 == 0;
  }

  /// `count` tiles of the left and the right side of a step, one below the
  /// other.
  tile::SharedType leftTiles(int64_t count) const {
    return tile::SharedType::getPadded(count * rows(), depth(), type);
  }
  tile::SharedType rightTiles(int64_t count) const {
    return areTermsInRows
               ? tile::SharedType::getPadded(count * width(), depth(), type)
               : tile::SharedType::getPadded(count * depth(), width(), type);
  }
  int64_t rightOffset() const {
    return llvm::alignTo(leftTiles(stages).getBytes(), 16);
  }
  int64_t bytes() const {
    return rightOffset() + rightTiles(stages).getBytes();
  }

  /// The work of a block on one step: its keys are terms.
  BlockCounts countStep() const;

private:
  /// Whether there are whole steps, whose number `turn` divides.
  bool comesInTurnsOf(int64_t turn) const {
    return areStepsWhole() && allTerms / terms % turn == 0;
  }
  void chooseTile(const Contraction &op, int64_t sharedBytes);
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_DENSE_SIZES_H
