// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of a block of threads that pools a part of the keys of a few
// queries by mixed weights.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_POOL_PART_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_POOL_PART_SIZES_H

#include "passes/schedule/mma/BlockSizes.h"

#include <string>

namespace mixattn::mma {

/// A block is a warp with up to 16 queries of some output heads. What belongs
/// to the next block of keys is copied while one is worked on.
struct PoolPartSizes {
  /// Queries of a block, heads whose weights are mixed, and those of the block.
  int64_t queries = mostPartQueries, mixed, heads = 1;
  /// Value heads that these read, and elements of a value, with zeros up to
  /// what products take, and without.
  int64_t values = 1, features, ownFeatures;
  /// Keys of a block; 0 where `why` says what does not fit.
  int64_t keys = 0;
  std::string why;
  mlir::Type type;

  PoolPartSizes(AttentionOpInterface op, int64_t sharedBytes);

  static constexpr int64_t threads = 32, stageCount = 2;

  /// The value tile that head `g` of the block reads.
  int64_t valueOf(int64_t g) const { return g * values / heads; }
  tile::SharedType valueTile(int64_t rows) const {
    return tile::SharedType::getPadded(rows, features, type);
  }
  tile::SharedType valueTiles() const {
    return valueTile(stageCount * values * keys);
  }
  /// Powers of `rows` rows, of a head one after the other.
  tile::SharedType powerTile(int64_t rows) const { return numbers(rows, keys); }
  tile::SharedType powerTiles() const {
    return powerTile(stageCount * mixed * queries);
  }
  /// Factors of powers: a row for each mixed head and head of the block.
  tile::SharedType coefficients() const {
    return numbers((mixed + scalesMixers()) * heads, queries);
  }
  /// Whether mixers are times powers of two, which mixed weights of f16 want.
  bool scalesMixers() const { return type.isF16(); }
  /// Where tiles begin in shared memory; those of values at 0.
  int64_t powerOffset() const { return valueTiles().getBytes(); }
  int64_t coefficientOffset() const {
    return powerOffset() + powerTiles().getBytes();
  }
  int64_t bytes() const {
    return coefficientOffset() + coefficients().getBytes();
  }

  /// The work of a block on one block of keys.
  BlockCounts countBlock() const;

private:
  tile::SharedType numbers(int64_t rows, int64_t columns) const {
    return tile::SharedType::getPadded(
        rows, columns, mlir::Float32Type::get(type.getContext()));
  }
  /// Registers of a thread for outputs, mixed weights, their factors, and what
  /// is read for a product.
  int64_t registers() const {
    return heads * (features / 2 + keys / 2 + 2) + keys / 2 + 16;
  }
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_POOL_PART_SIZES_H
