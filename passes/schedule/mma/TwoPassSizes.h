// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of blocks of threads that pass over the keys twice.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_TWO_PASS_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_TWO_PASS_SIZES_H

#include "passes/schedule/mma/BlockSizes.h"

#include <string>

namespace mixattn::mma {

/// Sizes that a kernel of one of the two passes is made for. A block has 64
/// queries, of which each warp has 16.
///
/// Scores are made in units: a head, or all channels where their scores meet.
/// Keys of the next unit are copied while one is worked on, or its scores where
/// these are given.
struct TwoPassSizes {
  /// Units that a block scores, channels of each, products of a channel.
  int64_t units = 1, channels = 1, products = 1;
  /// Output heads of a block, and value heads that these read: none in the
  /// first pass.
  int64_t heads = 1, values = 0;
  /// Heads whose weights are mixed, one after the other: none in the first
  /// pass.
  int64_t mixed = 0;
  /// Elements of a query and of a value, and zeros up to what products take.
  int64_t features = 0, valueFeatures = 0;
  /// Keys of a block; 0 where `why` says what does not fit.
  int64_t keys = 0;
  std::string why;
  mlir::Type type;

  /// The sizes of the pass over `op` that adds up its rows, and of the one that
  /// mixes and pools, where a block has `sharedBytes` bytes of shared memory at
  /// most.
  static TwoPassSizes ofFactors(AttentionOpInterface op, int64_t sharedBytes);
  static TwoPassSizes ofPool(AttentionOpInterface op, int64_t sharedBytes);

  int64_t tiles() const { return channels * products; }
  bool hasProducts() const { return group.hasProducts(); }
  /// The value tile that head `g` of the block reads.
  int64_t valueOf(int64_t g) const { return g * values / heads; }

  /// Bytes of shared memory that a block takes.
  int64_t bytes() const { return windowOffset() + windows().bytes(); }

  /// Queries of all units, or, where they come with the keys, of two.
  int64_t queryStages() const { return streamsQueries ? stageCount : units; }
  tile::SharedType tile(int64_t rows, int64_t columns) const {
    return tile::SharedType::getPadded(rows, columns, type);
  }
  tile::SharedType keyTiles() const {
    return tile(stageCount * tiles() * keys, features);
  }
  tile::SharedType queryTiles() const {
    return tile(queryStages() * channels * groupQueries, features);
  }
  /// Those of a block that pools.
  tile::SharedType valueTiles() const {
    return tile(values * keys, valueFeatures);
  }
  /// Where coefficients of the mixer lie, if they do: a row for each head and
  /// head of the block, a column for each query; or all in one row.
  tile::SharedType coefficients() const {
    int64_t pairs = (mixed + scalesMixers()) * heads;
    return tile::SharedType::getPadded(
        mixesByRow ? pairs : 1, mixesByRow ? groupQueries : pairs,
        mlir::Float32Type::get(type.getContext()));
  }
  /// Whether mixers are times powers of two, which mixed weights of f16 want.
  bool scalesMixers() const { return type.isF16(); }
  bool hasCoefficients() const {
    return mixed > 0 && (mixesByRow || scalesMixers());
  }
  /// Where tiles begin in shared memory; those of keys at 0.
  int64_t queryOffset() const {
    return hasProducts() ? keyTiles().getBytes() : 0;
  }
  int64_t valueOffset() const {
    return queryOffset() + (hasProducts() ? queryTiles().getBytes() : 0);
  }
  int64_t coefficientOffset() const {
    return valueOffset() + (values ? valueTiles().getBytes() : 0);
  }
  int64_t windowOffset() const {
    return coefficientOffset() +
           (hasCoefficients() ? coefficients().getBytes() : 0);
  }
  /// Given scores of a unit, and of the next one.
  OperandWindows windows() const {
    return OperandWindows::findGiven(op, /*heads=*/1, groupQueries, keys,
                                     /*teams=*/1, stageCount);
  }
  /// Whether each query has a mixer of its own.
  bool mixesByRow = false;
  /// Whether queries come with the keys of their unit, for each block of keys
  /// again: shared memory does not hold those of all units.
  bool streamsQueries = false;

  static constexpr int64_t stageCount = 2;

private:
  explicit TwoPassSizes(AttentionOpInterface op);

  /// Registers of a thread that hold what belongs to its rows.
  int64_t registers() const;
  /// Takes the first number of `heads` and of keys that fits, if any.
  bool choose(AttentionOpInterface op, llvm::ArrayRef<int64_t> heads,
              int64_t sharedBytes);
  /// Says why none does.
  void refuse(int64_t sharedBytes);

  AttentionOpInterface op;
  HeadGroup group;
  /// Numbers that exponents of any head start from.
  int64_t starts = 0;
  /// Whether terms of queries and keys are read, of every product.
  bool readsTerms = false;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_TWO_PASS_SIZES_H
