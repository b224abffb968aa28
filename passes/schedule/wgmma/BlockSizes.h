// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of a block of warpgroups, and of its rings in shared memory.

#ifndef MIXATTN_PASSES_SCHEDULE_WGMMA_BLOCK_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_WGMMA_BLOCK_SIZES_H

#include "dialect/tile/WgmmaOps.h"
#include "passes/schedule/gpu/HeadGroup.h"
#include "passes/schedule/gpu/OperandWindows.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

namespace mixattn::wgmma {

/// Warpgroups that compute, 64 queries each; one more fills the rings.
constexpr int64_t consumers = 2, blockQueries = 64 * consumers;
constexpr int64_t threads = 128 * (consumers + 1);
/// Threads of a warp, and its queries.
constexpr int64_t warpThreads = 32, warpQueries = 16;
/// Registers of a thread, of the 64 Ki that a multiprocessor has: ptxas gives
/// each 168 at first.
constexpr int32_t producerRegisters = 24, consumerRegisters = 240;

/// Sizes that a kernel is made for.
struct BlockSizes {
  AttentionOpInterface op;
  HeadGroup group;
  /// Keys of a block, and blocks that rings hold.
  int64_t keys = 128;
  static constexpr int64_t stages = 2;
  mlir::Type type;
  /// Columns of the tile that outputs are laid in, panels of 64; 0 where
  /// registers write outputs to memory themselves: f32, or for want of room.
  int64_t outputColumns = 0;

  /// Whether a block of threads does item after item: what it knows of them
  /// takes registers, which outputs of several heads or of many features leave
  /// none of.
  bool isPersistent() const {
    return group.heads == 1 && group.valueFeatures <= 128;
  }

  /// For a block that may have `sharedBytes` bytes of shared memory.
  BlockSizes(AttentionOpInterface op, int64_t sharedBytes)
      : op(op), group(op), type(op.getQueryType().getElementType()) {
    // Outputs take as many registers as scores and weights leave. Of all heads
    // ptxas computes weights side by side: with more than 128 of a query it
    // spills some (test/emulator/rows.py), and with more than half as many
    // where the numbers of an MLP are there, too (test/emulator/spills.test).
    constexpr int64_t mostWeights = 128;
    int64_t weights = group.coefficients > 0 ? mostWeights / 2 : mostWeights;
    if (group.isLarge())
      keys = std::min(findKeysOfGroup(), weights / group.heads);
    else if (group.valueFeatures > 128 || group.features > 128 ||
             group.pairReads > 0)
      keys = 64;
    else if (group.valueFeatures > 64)
      keys = 112;
    // So does what is more than a scaled product, or hides at both ends.
    if (keys > 64 && (op.hasScoreMod() || op.getBand() || op.getKeep() ||
                      op.getGaussian() || op.getShifts() || op.getKeyTerm()))
      keys -= 16;
    chooseOutputColumns(sharedBytes);
    while (keys > 16 && bytes() > sharedBytes) {
      keys = llvm::alignDown(keys / 2, 16);
      chooseOutputColumns(sharedBytes);
    }
  }

  tile::RingType ring(int64_t count, int64_t rows, int64_t columns) const {
    return tile::RingType::get(type.getContext(), {count, rows, columns}, type,
                               /*swizzle=*/128);
  }
  /// A stage for each channel; for each tile of each block; for each value head
  /// of each block.
  tile::RingType queryRing() const {
    return ring(group.channels, blockQueries, group.features);
  }
  tile::RingType keyRing() const {
    return ring(stages * group.tiles(), keys, group.features);
  }
  tile::RingType valueRing() const {
    return ring(stages * group.values, keys, group.valueFeatures);
  }

  /// Where the rings begin: each at a multiple of 1024 bytes.
  static int64_t after(int64_t offset, tile::RingType ring) {
    return llvm::alignTo(offset + ring.getBytes(), 1024);
  }
  int64_t keyOffset() const { return after(0, queryRing()); }
  int64_t valueOffset() const { return after(keyOffset(), keyRing()); }
  /// The tile of outputs comes after them.
  tile::SharedType outputTile() const {
    return tile::SharedType::get(type.getContext(),
                                 {blockQueries, outputColumns}, type,
                                 /*swizzle=*/128);
  }
  int64_t outputOffset() const { return after(valueOffset(), valueRing()); }
  /// Windows of operands come last, those of each warp of consumers.
  int64_t windowOffset() const {
    int64_t end = outputColumns > 0 ? outputOffset() + outputTile().getBytes()
                                    : valueOffset() + valueRing().getBytes();
    return llvm::alignTo(end, 16);
  }
  OperandWindows windows() const {
    return OperandWindows::find(op, group.heads, warpQueries, keys,
                                consumers * 4);
  }
  /// Bytes of shared memory that a block takes.
  int64_t bytes() const { return windowOffset() + windows().bytes(); }

private:
  /// A product of 32 keys waits for its side in shared memory, one of 48 hardly
  /// does; and a thread has 240 registers. What is read or drawn of pairs needs
  /// some to get there (test/emulator/rows.py).
  int64_t findKeysOfGroup() const {
    constexpr int64_t few = 32, more = 48, room = 212;
    int64_t found = group.findKeys();
    bool hasRoom =
        group.pairRegisters(more) == 0 && group.registers(more) <= room;
    return found == few && hasRoom ? more : found;
  }
  /// Lays outputs in as large a tile as there is room for.
  void chooseOutputColumns(int64_t sharedBytes) {
    constexpr int64_t panel = 64;
    outputColumns = mlir::getElementTypeOrSelf(op.getResult()) == type
                        ? llvm::alignTo(group.valueFeatures, panel)
                        : 0;
    while (outputColumns > 0 && bytes() > sharedBytes)
      outputColumns -= panel;
  }
};

} // namespace mixattn::wgmma

#endif // MIXATTN_PASSES_SCHEDULE_WGMMA_BLOCK_SIZES_H
