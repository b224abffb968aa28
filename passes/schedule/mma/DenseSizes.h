// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the blocks of a contraction on mma.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_DENSE_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_DENSE_SIZES_H

#include "dialect/attn/Contraction.h"
#include "dialect/tile/TileOps.h"
#include "passes/schedule/gpu/UnitCounts.h"

#include "llvm/Support/MathExtras.h"

#include <string>

namespace mixattn::mma {

/// The part of a contraction that a block of threads has: rows and columns of
/// the result, of one loop each. It adds up products of a few terms at a time.
/// Other loops of rows, of columns and of batches are batches of the grid.
struct DenseSizes {
  /// Threads of a block, four warps; rows of a group of rows, 16 a warp.
  static constexpr int64_t threads = 128, groupRows = 64;

  DenseSizes(const Contraction &op, int64_t sharedBytes);

  /// Why no block of `op` has `sharedBytes` bytes at most, or nothing.
  std::string why;

  /// The loops of the tile, and of the innermost terms; others that are summed
  /// over, and those that the grid walks over.
  unsigned rowLoop = 0, columnLoop = 0, termLoop = 0;
  Contraction::Loops outerTerms, batches;
  /// Whether the terms of a column lie side by side on the right, rather than
  /// the columns of a term.
  bool areTermsInRows = false;

  /// Columns that there are, and of a block: the last blocks may have some of
  /// them both.
  int64_t allColumns = 0, columns = 0;
  /// Innermost terms that there are, and of a step, which divide them.
  int64_t allTerms = 0, terms = 0;
  /// Groups of rows of a block.
  int64_t rowGroups = 2;
  /// Steps whose copies are in shared memory.
  int64_t stages = 4;
  /// Steps whose copies are under way while one is computed.
  int64_t ahead() const { return stages - 1; }
  mlir::Type type;

  int64_t rows() const { return rowGroups * groupRows; }
  /// Columns of a block with those that fill a product, and terms of a step.
  int64_t width() const { return llvm::alignTo(columns, 16); }
  int64_t depth() const { return llvm::alignTo(terms, 16); }
  int64_t columnBlocks() const {
    return llvm::divideCeil(uint64_t(allColumns), uint64_t(columns));
  }
  int64_t stepsOfLoop() const { return allTerms / terms; }
  /// Whether the steps come in turns of as many as stages, and all that they
  /// copy in pieces of 16 bytes: few enough that a turn is written out.
  bool hasTurns() const {
    return outerTerms.empty() && stepsOfLoop() % stages == 0 &&
           terms == depth() && columns == width() && allColumns % 8 == 0;
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
  void chooseLoops(const Contraction &op);
  void chooseTile(const Contraction &op, int64_t sharedBytes);
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_DENSE_SIZES_H
