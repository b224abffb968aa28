// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heads of a block of threads, and the tiles that it scores.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_HEAD_GROUP_H
#define MIXATTN_PASSES_SCHEDULE_GPU_HEAD_GROUP_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Registers of a thread for fragments. It has 240 or 255: addresses, operands
/// of products and what ptxas moves ahead take the others.
constexpr int64_t fragmentRegisters = 200;

/// The heads, tiles of keys and exponents of a block of threads.
///
/// Where scores of heads meet, all channels are scored again for every group of
/// output heads: that costs less than to pass scores from block to block
/// through memory. Else a group is one head.
struct HeadGroup {
  /// Query heads that are scored, products of each, exponents of an output
  /// head. Given scores take no products.
  int64_t channels = 1, products = 1, exponents = 1;
  /// Output heads, and value heads that these read.
  int64_t heads = 1, values = 1;
  /// Output heads that share the scores of all channels.
  int64_t allHeads = 1;
  /// Elements of a query and of a value, and zeros up to a multiple of 16;
  /// and without these.
  int64_t features, valueFeatures;
  int64_t ownFeatures, ownValueFeatures;
  /// Tensors with an element for each pair of a query and a key, and heads of
  /// given scores that meet.
  int64_t pairReads = 0;
  /// Numbers of the first layer of an MLP.
  int64_t coefficients = 0;
  /// Whether exponents of all heads are computed at once.
  bool sharesWork;

  /// The largest group of `op` that registers have room for.
  explicit HeadGroup(AttentionOpInterface op);

  /// Tiles of keys: one for each product.
  int64_t tiles() const { return channels * products; }
  /// Whether there are queries and keys, and not scores that are given.
  bool hasProducts() const { return products > 0; }
  /// Whether there is more to hold than one score and one exponent.
  bool isLarge() const {
    return channels > 1 || products > 1 || exponents > 1 || heads > 1;
  }
  /// The value tile that head `g` of the group reads.
  int64_t valueOf(int64_t g) const { return g * values / heads; }

  /// Keys of a block, 64, 32 or 16, as far as registers have room for what
  /// belongs to them; 0 where they have none.
  int64_t findKeys() const;
  /// Whether registers have room for `more` than what these keys need.
  bool hasRoomFor(int64_t more) const;

  /// Registers of a thread that hold outputs, scores, exponents, weights and
  /// statistics of 16 rows a warp and `keys` keys, and what is read or drawn
  /// for each of their pairs.
  int64_t registers(int64_t keys) const;

  /// Registers of a thread for what is read or drawn for each pair of a query
  /// and one of `keys` keys.
  int64_t pairRegisters(int64_t keys) const;

  /// Multiply-adds for a query and a key of the block, and those that its heads
  /// need: scores of all channels serve all output heads.
  double multiplyAdds() const {
    return double(tiles() * features + heads * valueFeatures);
  }
  double usefulMultiplyAdds() const {
    return double(tiles() * features) * double(heads) / double(allHeads) +
           double(heads * valueFeatures);
  }
  /// Elements that are copied to shared memory for a key, and for a query.
  double copiedColumns() const {
    return double(tiles() * ownFeatures + values * ownValueFeatures);
  }
  double queryColumns() const { return double(channels * ownFeatures); }

private:
  bool drawsNoise;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_HEAD_GROUP_H
