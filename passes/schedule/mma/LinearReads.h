// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of queries of linear attention, which read states.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_READS_H
#define MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_READS_H

#include "passes/schedule/mma/LinearBlock.h"

namespace mixattn::mma {

/// Emits features of queries as tiles, for a block of any kernel that reads
/// states.
class LinearQueries {
public:
  using Halves = LinearBlock::Halves;

  LinearQueries(LinearBlock &block, LinearReadsOpInterface op)
      : block(block), op(op),
        features(block.b, op, op.getQueryType().getDimSize(3), block.buffers) {}

  /// Takes a tile for the queries of a chunk.
  void takeTiles();
  /// Writes features of `count` queries of `head` from `first` on. Threads have
  /// met since they read the tile, and meet before they do.
  void emitQueries(mlir::Value head, mlir::Value first, mlir::Value count);
  /// The products of the queries with a `state`, a tile of a panel each.
  mlir::Value emitReads(const Halves &state, mlir::Value sums);

  /// The number that the query in `row` reads in `column`, by one lane.
  mlir::Value emitReadAgain(const Halves &state, mlir::Value row,
                            mlir::Value column);

  Halves tile;

private:
  LinearBlock &block;
  LinearReadsOpInterface op;
  FeatureNumbers features;
  mlir::Value shared;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_READS_H
