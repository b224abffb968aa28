// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of a block of threads, and of its tiles in shared memory.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_BLOCK_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_BLOCK_SIZES_H

#include "dialect/tile/TileOps.h"
#include "passes/schedule/gpu/HeadGroup.h"
#include "passes/schedule/gpu/OperandWindows.h"
#include "passes/schedule/gpu/UnitCounts.h"

#include "llvm/Support/MathExtras.h"

namespace mixattn::mma {

/// Threads of a block, and queries of a group of rows: 16 per warp.
constexpr int64_t threads = 128, groupQueries = 64;
/// Keys of a block at most.
constexpr int64_t blockKeys = 64;
/// Queries of a block that has a part of the keys, at most.
constexpr int64_t mostPartQueries = 16;

/// Sizes that a kernel is made for, whose block has `sharedBytes` bytes of
/// shared memory at most.
struct BlockSizes {
  AttentionOpInterface op;
  HeadGroup group;
  /// Groups of rows, which share what is read of tiles, and warps, each with 16
  /// rows of every group.
  int64_t rowGroups = 1, warps = threads / 32;
  /// Heads that have rows of the block: more than one where they read the same
  /// keys and values. A query has a row for each.
  int64_t rowHeads = 1;
  /// Whether heads mix outputs in the end (OutputMixer.h): all have rows.
  bool mixesOutputs = false;
  /// Keys of a block.
  int64_t keys = blockKeys;
  /// Whether one block of keys has all that its queries see.
  bool seesAllAtOnce = false;
  /// Whether the block makes the term of its keys itself (OwnTerms.h).
  bool ownsTerm = false;
  mlir::Type type;

  BlockSizes(AttentionOpInterface op, int64_t sharedBytes) : BlockSizes(op) {
    mixesOutputs = op.hasPostmix();
    if (mixesOutputs)
      rowHeads = op.getNumHeads();
    if (int64_t seen = findSeenAtOnce()) {
      BlockSizes narrow = *this;
      narrow.seesAllAtOnce = true;
      narrow.keys = seen;
      if (narrow.bytes() <= sharedBytes) {
        *this = narrow;
        return;
      }
    }
    for (int64_t few = keys; few >= 32 && rowGroups == 1; few /= 2)
      if (haveTwoGroupsRoom(few, sharedBytes)) {
        rowGroups = 2;
        keys = few;
      }
    while (keys > 16 && bytes() > sharedBytes)
      keys /= 2;
  }

  /// The sizes of a block that visits a part of the keys, with the queries of
  /// all heads that share them, up to 128 rows of each group.
  static BlockSizes ofPart(AttentionOpInterface op, int64_t sharedBytes);

  /// Rows of a group, and of a block.
  int64_t groupRows() const { return 16 * warps; }
  int64_t rows() const { return rowGroups * groupRows(); }
  /// Queries of a group, and of a block, all rows of which it has. Rows that
  /// are left over in a group are nobody's.
  int64_t queriesOfGroup() const { return groupRows() / rowHeads; }
  int64_t queries() const { return rowGroups * queriesOfGroup(); }
  /// Rows from the first of a group to that of the next one.
  int64_t groupStride() const { return queriesOfGroup() * rowHeads; }
  int64_t numThreads() const { return 32 * warps; }

  /// Whether queries lie in shared memory: registers hold 128 features of one
  /// head.
  bool sharesQueries() const {
    return group.hasProducts() &&
           (group.channels > 1 || rowGroups * group.features > 128);
  }

  /// Tiles of keys and values have a place for each stage: while one is
  /// computed with, the next is copied.
  int64_t stageCount() const { return seesAllAtOnce ? 1 : 2; }
  tile::SharedType tile(int64_t rows, int64_t columns) const {
    return tile::SharedType::getPadded(rows, columns, type);
  }
  tile::SharedType keyTiles() const {
    return tile(stageCount() * group.tiles() * keys, group.features);
  }
  tile::SharedType valueTiles() const {
    return tile(stageCount() * group.values * keys, group.valueFeatures);
  }
  tile::SharedType queryTiles() const {
    return tile(group.channels * rows(), group.features);
  }
  /// Where tiles begin in shared memory; those of keys at 0.
  int64_t valueOffset() const {
    return group.hasProducts() ? keyTiles().getBytes() : 0;
  }
  int64_t queryOffset() const {
    return valueOffset() + (group.values ? valueTiles().getBytes() : 0);
  }
  int64_t windowOffset() const {
    return queryOffset() + (sharesQueries() ? queryTiles().getBytes() : 0);
  }
  /// Windows of operands come last.
  OperandWindows windows() const {
    OperandWindows windows = OperandWindows::find(
        op, group.heads * rowHeads, int64_t(llvm::divideCeil(rows(), rowHeads)),
        keys, /*teams=*/1);
    if (ownsTerm)
      windows.setOwn(AttentionOpInterface(op).getKeyTerm());
    return windows;
  }
  /// The outputs that heads mix, a row for each of a group's, and what each
  /// head gives to a row: they lie where keys and values were.
  tile::SharedType outputTile() const {
    return tile::SharedType::getPadded(groupRows(), group.valueFeatures, f32());
  }
  tile::SharedType mixerTile() const {
    return tile::SharedType::getPadded(rowHeads, groupRows(), f32());
  }
  int64_t mixerOffset() const { return outputTile().getBytes(); }
  /// Bytes of shared memory that a block takes.
  int64_t bytes() const {
    int64_t ofKeys = windowOffset() + windows().bytes();
    return mixesOutputs
               ? std::max(ofKeys, mixerOffset() + mixerTile().getBytes())
               : ofKeys;
  }
  /// Why a block does not fit, or nothing.
  std::string whyNot(int64_t sharedBytes) const;
  /// The work of a block of threads on one block of keys. Of every eight
  /// weights the unit of exponentials computes `exps`.
  BlockCounts countBlock(int64_t exps) const;
  /// Blocks that a multiprocessor holds, as far as registers and shared memory
  /// go.
  int64_t resident(int64_t sharedBytes) const;

  /// Whether a multiprocessor holds two such blocks. It has 1 KiB of shared
  /// memory more than a block may have, and takes 1 KiB for each (CUDA C
  /// Programming Guide, compute capabilities).
  bool fitTwice(int64_t sharedBytes) const {
    return 2 * (bytes() + reserved) <= sharedBytes + reserved;
  }

private:
  static constexpr int64_t reserved = 1024;
  mlir::Type f32() const { return mlir::Float32Type::get(type.getContext()); }

  explicit BlockSizes(AttentionOpInterface op)
      : op(op), group(op), type(op.getValueType().getElementType()) {
    // Sides of products pass through registers, which wgmma's do not: of a
    // block that fills all those of fragments ptxas spills some on sm_90
    // (test/emulator/rows-mma.test).
    constexpr int64_t ofSides = 4;
    keys = std::min(keys, group.findKeys());
    while (keys > 16 && group.registers(keys) + ofSides > fragmentRegisters)
      keys /= 2;
  }

  /// Keys that a group of rows sees through a narrow band, in whole steps of
  /// products; 0 where there is no such band. They are at most what a block of
  /// two groups scores for each of its groups in whole blocks of keys.
  int64_t findSeenAtOnce() const;

  /// Whether registers hold two groups of rows and `few` keys, of one head.
  ///
  /// Of 255 registers outputs, scores, and the numbers that are read for each
  /// pair of a group take 160 at most. Queries take 64 more at most. The
  /// others are for operands of products, statistics and addresses: with 176
  /// ptxas spills some (test/emulator/rows.py).
  bool haveTwoGroupsRegisters(int64_t few) const {
    constexpr int64_t mostRegisters = 160;
    // Weights that are handed over need an address, of two registers, each.
    int64_t ofWeights = group.values > 0 ? 0 : 2 * few;
    int64_t registers =
        group.valueFeatures + few + ofWeights + group.pairReads * few / 2;
    return !group.isLarge() && registers <= mostRegisters;
  }
  /// The same, of a block of which a multiprocessor holds two: one computes
  /// weights while the other has tensor cores busy.
  bool haveTwoGroupsRoom(int64_t few, int64_t sharedBytes) const {
    return haveTwoGroupsRegisters(few) &&
           withTwoGroups(few).fitTwice(sharedBytes);
  }
  BlockSizes withTwoGroups(int64_t few) const {
    BlockSizes sizes = *this;
    sizes.rowGroups = 2;
    sizes.keys = few;
    return sizes;
  }
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_BLOCK_SIZES_H
