// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the blocks of linear attention on mma.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_SIZES_H

#include "dialect/attn/AttnOps.h"
#include "dialect/tile/TileOps.h"
#include "passes/schedule/gpu/UnitCounts.h"

#include "llvm/Support/MathExtras.h"

#include <string>

namespace mixattn::mma {

/// The part of one linear attention that a block of threads has. It takes a
/// chunk of keys or queries at a time. All features of a head are its own, and
/// some of the columns of values.
///
/// A number of f32 is two of bf16, which has its range: itself cut off, and
/// what that leaves out. Tensor cores take both. Where denominators may cancel
/// it is three, and as exact as f32.
struct LinearSizes {
  /// Threads of a block, four warps; keys or queries of a chunk, 16 a warp.
  static constexpr int64_t threads = 128, chunk = 64;
  /// Columns in addition to those of values: the first is 1 of each key, whose
  /// sums are the denominators. The others are 0.
  static constexpr int64_t ones = 16;
  /// Numbers side by side that a thread reads and writes at a time: 16 bytes of
  /// bf16, which shared memory moves at once.
  static constexpr int64_t group = 8;
  /// Queries that a block takes, chunk by chunk, where it has no keys: it loads
  /// its state once.
  static constexpr int64_t readQueries = 4 * chunk;

  /// Of blocks that sum up states, that read them, or that do both as causal
  /// ones do. They have `sharedBytes` bytes of shared memory.
  static LinearSizes ofStates(LinearKeysOpInterface op, int64_t sharedBytes);
  static LinearSizes ofReads(LinearReadsOpInterface op, int64_t sharedBytes);
  static LinearSizes ofCausal(LinearAttentionOpInterface op,
                              int64_t sharedBytes) {
    return ofCausal(op, op, sharedBytes);
  }
  static LinearSizes ofCausal(LinearKeysOpInterface keys,
                              LinearReadsOpInterface reads,
                              int64_t sharedBytes);

  /// Why no block has room for them, or nothing.
  std::string whyNot() const;

  /// Columns of values and ones of a block, and blocks for all columns.
  int64_t width() const { return columns + ones; }
  int64_t columnBlocks() const {
    return int64_t(llvm::divideCeil(valueFeatures, columns));
  }

  /// The work of a block of `op` on one chunk: of its keys that its states take
  /// in, of its queries that read states, or of both where it is causal.
  BlockCounts countStates(LinearAttentionOpInterface op) const;
  BlockCounts countReads(LinearAttentionOpInterface op) const;
  BlockCounts countCausal(LinearAttentionOpInterface op) const;

  /// About how many instructions a warp of these blocks issues for a chunk.
  double instructionsOfStates(LinearAttentionOpInterface op) const;
  double instructionsOfReads(LinearAttentionOpInterface op) const;
  double instructionsOfCausal(LinearAttentionOpInterface op) const;
  /// Blocks that a multiprocessor has at a time: registers are for two.
  int64_t blocksAtATime() const {
    constexpr int64_t reserved = 1024, most = 2;
    return std::clamp<int64_t>((mostBytes + reserved) / (bytes + reserved), 1,
                               most);
  }

  /// The bytes of the block's columns of a state, and of its totals.
  double bytesOfState() const {
    return double(features) * double(columns + 1) * sizeof(float);
  }

  /// Whether rows of `operand` are copied to shared memory as they are, while
  /// the chunk before is worked on. Others are loaded one number at a time.
  bool copies(mlir::Value operand) const {
    mlir::Type type = mlir::getElementTypeOrSelf(operand.getType());
    return hasCopies && (type.isF16() || type.isBF16());
  }
  /// The same of the block's columns of values, which then are the right sides
  /// of products: numbers of bf16 leave out nothing.
  bool copiesValues(mlir::Value values) const {
    return copies(values) &&
           mlir::getElementTypeOrSelf(values.getType()).isBF16() &&
           (columnBlocks() == 1 || valueFeatures % columns == 0);
  }

  /// Components that memory has of each key: shifts make the others.
  int64_t storedComponents(LinearKeysOpInterface op) const {
    return op.getKeyType().getRank() == 5 ? components : 1;
  }
  /// Whether components have other weights for each key.
  static bool hasPriorOfKeys(LinearKeysOpInterface op) {
    mlir::Value prior = op.getPrior();
    return prior &&
           llvm::cast<mlir::ShapedType>(prior.getType()).getRank() == 3;
  }
  /// Columns of a tile of rows of `type`, numbers of which are read in groups.
  static int64_t copiedColumns(mlir::RankedTensorType type) {
    return int64_t(llvm::alignTo(type.getShape().back(), group));
  }

  /// Whether rows of queries are copied to where the rests of their features
  /// go, which each thread then makes of what it reads there: of as many bytes,
  /// for one query head. Blocks that have keys, too, have no room for more.
  bool landsInFeatures(mlir::Value query) const {
    return hasOneReader && copies(query);
  }

  /// Pairs of `left` parts and `right` ones, from the high parts on, that are
  /// multiplied, the smallest first. The pairs that are left out amount to
  /// 2^-14 of a product of halves, and to less than 2^-20 of one of thirds.
  llvm::SmallVector<std::pair<int64_t, int64_t>> pairsOf(int64_t left,
                                                         int64_t right) const;
  /// Parts of states and scores.
  int64_t parts() const { return mayCancel ? 3 : 2; }

  /// Whether the terms of a denominator may have both signs: of features that
  /// no map makes, or of totals that heads mix.
  bool mayCancel = false;
  /// Parts of features of keys and of queries.
  int64_t keyParts = 2, queryParts = 2;

  int64_t features, valueFeatures;
  /// Components of keys.
  int64_t components = 1;
  /// Groups of 64 features.
  int64_t panels;
  /// Columns of values of a block.
  int64_t columns = 0;

private:
  /// The bytes of shared memory that a block takes. Operands are null that it
  /// does not have.
  int64_t countBytes(LinearKeysOpInterface keys,
                     LinearReadsOpInterface reads) const;
  /// Of blocks that have keys: a thread keeps `mostNumbers` halves of numbers
  /// of states and ones of a row.
  static LinearSizes ofKeys(LinearKeysOpInterface keys,
                            LinearReadsOpInterface reads, int64_t mostNumbers,
                            int64_t sharedBytes);
  void cutColumns(int64_t most);
  /// Takes at most `mostColumns` columns of values, and has rows copied, where
  /// there is room.
  void fit(LinearKeysOpInterface keys, LinearReadsOpInterface reads,
           int64_t mostColumns, int64_t sharedBytes);
  /// The products of a warp, 16 rows of a chunk in `left` parts, by `columns`
  /// columns of another one in `right` parts.
  double productsOf(int64_t columns, int64_t left, int64_t right) const {
    return double(pairsOf(left, right).size()) * double(columns) / 8 *
           double(chunk) / 16;
  }
  /// The same by values, which may be in one part.
  double productsOfValues(LinearKeysOpInterface op, int64_t left) const {
    return productsOf(width(), left, copiesValues(op.getValue()) ? 1 : 2);
  }
  /// The same of queries by a state.
  double productsOfState() const {
    return productsOf(width(), queryParts, parts());
  }
  BlockCounts countBlock(UnitCounts warp) const;
  double bytesOfKeys(LinearKeysOpInterface op) const;
  double bytesOfQueries(LinearReadsOpInterface op) const;
  UnitCounts countFeatures(LinearAttentionOpInterface op, int64_t times) const;

  LinearSizes(FeatureOpInterface op, mlir::RankedTensorType inputs,
              int64_t valueFeatures);

  bool hasCopies = false, hasOneReader = false;
  int64_t bytes = 0, mostBytes = 0;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_SIZES_H
