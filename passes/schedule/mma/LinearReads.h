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
  using PartsAndOnes = LinearBlock::PartsAndOnes;

  LinearQueries(LinearBlock &block, LinearReadsOpInterface op)
      : block(block), op(op),
        features(block.b, op, op.getQueryType().getDimSize(3), block.buffers) {}

  /// Takes a tile for the queries of a chunk.
  void takeTiles();
  /// Begins to copy the queries of a chunk of `head` from `first` on that are
  /// before `end`. Threads have met since they made those of the chunk before.
  void beginQueries(mlir::Value head, mlir::Value first, mlir::Value end);
  /// Writes their features, once the copies are there. Threads have met since
  /// they read the tile, and meet before they do.
  void emitQueries(mlir::Value head, mlir::Value first, mlir::Value end);
  /// The products of the queries with a `state`, a tile of a panel each.
  mlir::Value emitReads(const PartsAndOnes &state, mlir::Value sums);

  /// The number that the query in `row` reads in `column`, by one lane.
  mlir::Value emitReadAgain(const PartsAndOnes &state, mlir::Value row,
                            mlir::Value column);

  PartsAndOnes tile;

private:
  LinearBlock &block;
  LinearReadsOpInterface op;
  FeatureNumbers features;
  /// Rows of queries as they are; null where they are read from memory.
  mlir::Value shared, rows;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_READS_H
