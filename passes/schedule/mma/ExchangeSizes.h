// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of blocks of threads whose heads exchange weights.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_EXCHANGE_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_EXCHANGE_SIZES_H

#include "passes/schedule/gpu/OperandWindows.h"

#include <optional>

namespace mixattn::mma {

/// A block has all heads of its queries, and makes each score once. Teams of
/// warps have two heads each: they score and pool these, and write weights to
/// shared memory, where products with the mixer mix them, query by query. A
/// weight lies there as a number of 16 bits and its rest, so that mixing rounds
/// nothing. Scores that are given are copied in place of keys and queries.
struct ExchangeSizes {
  AttentionOpInterface op;
  /// Heads of the block, and of a team.
  int64_t heads = 0, teamHeads = 2;
  /// Tiles of keys of a head: none where scores are given.
  int64_t products = 1;
  /// Elements of a query and of a value, and zeros up to what products take.
  int64_t features = 0, valueFeatures = 0;
  /// Keys of a block: one step of the products that pool.
  int64_t keys = 16;
  /// Whether each query has a mixer of its own.
  bool mixesByRow = false;
  mlir::Type type;

  /// The sizes for `op`, if a block of at most `sharedBytes` bytes of shared
  /// memory holds it.
  static std::optional<ExchangeSizes> of(AttentionOpInterface op,
                                         int64_t sharedBytes);

  int64_t teams() const { return heads / teamHeads; }
  /// Warps of a team, each with 16 of the block's queries.
  int64_t teamWarps() const { return allWarps / teams(); }
  int64_t teamThreads() const { return 32 * teamWarps(); }
  int64_t queries() const { return 16 * teamWarps(); }

  tile::SharedType tile(int64_t rows, int64_t columns,
                        int64_t every = 1) const {
    return tile::SharedType::getPadded(rows, columns, type, every);
  }
  tile::SharedType keyTiles() const {
    return tile(heads * products * keys, features);
  }
  tile::SharedType valueTiles() const {
    return tile(heads * keys, valueFeatures);
  }
  tile::SharedType queryTiles() const {
    return tile(heads * queries(), features);
  }
  /// A row for each query and head, those of rests after those of all heads,
  /// and one more for each query: then the rows of a head, and those of a
  /// query, are in different banks.
  int64_t rowsOfQuery() const { return 2 * heads + 1; }
  tile::SharedType weights() const {
    return tile(queries() * rowsOfQuery(), keys);
  }
  /// Rows of a head's weights, or of their rests, and of a query's.
  tile::SharedType weightsOfHead() const {
    return tile(queries(), keys, rowsOfQuery());
  }
  tile::SharedType weightsOfQuery() const { return tile(mixed, keys); }
  /// Rows in which each warp of a team writes those of its own query.
  tile::SharedType weightsOfWarps() const { return tile(queries(), keys); }
  /// Products that mix the weights of a query and their rests.
  int64_t parts() const { return 2 * heads / mixed; }
  /// The mixer turned, a row for each output head, and for 8 heads twice, side
  /// by side: of every query, or the same for each warp of a team.
  tile::SharedType mixers() const {
    return tile(mixed * (mixesByRow ? queries() : teamWarps()), mixed);
  }
  tile::SharedType mixersOfWarps() const {
    return tile(mixed * teamWarps(), mixed);
  }
  /// Whether mixers and weights are times powers of two, which mixed weights of
  /// f16 want.
  bool scalesMixers() const { return type.isF16(); }
  /// What takes the powers of mixers out again: a row for each output head, a
  /// column for each query; or all in one row.
  tile::SharedType inverses() const {
    return tile::SharedType::getPadded(
        mixesByRow ? heads : 1, mixesByRow ? queries() : heads,
        mlir::Float32Type::get(type.getContext()));
  }
  /// Where tiles begin in shared memory; those of keys at 0.
  int64_t valueOffset() const {
    return hasProducts() ? keyTiles().getBytes() : 0;
  }
  int64_t queryOffset() const {
    return valueOffset() + valueTiles().getBytes();
  }
  int64_t weightOffset() const {
    return queryOffset() + (hasProducts() ? queryTiles().getBytes() : 0);
  }
  int64_t mixerOffset() const { return weightOffset() + weights().getBytes(); }
  int64_t inverseOffset() const { return mixerOffset() + mixers().getBytes(); }
  int64_t windowOffset() const {
    return inverseOffset() + (scalesMixers() ? inverses().getBytes() : 0);
  }
  int64_t bytes() const { return windowOffset() + windows().bytes(); }

  bool hasProducts() const { return products > 0; }
  /// Given scores of a head of each team: there is a place for each head, and
  /// all have read a step's before those of the next are copied.
  OperandWindows windows() const {
    return OperandWindows::findGiven(op, /*heads=*/1, queries(), keys, teams(),
                                     /*stages=*/teamHeads);
  }

  /// Warps of a block, which have 128 registers a thread.
  static constexpr int64_t allWarps = 16;
  /// Rows and terms of a product that mixes, with zeros in rows of heads that
  /// are not there.
  static constexpr int64_t mixed = 16;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_EXCHANGE_SIZES_H
