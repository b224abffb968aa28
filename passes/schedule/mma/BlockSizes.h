// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of a block of threads, and of its tiles in shared memory.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_BLOCK_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_BLOCK_SIZES_H

#include "passes/schedule/gpu/HeadGroup.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mixattn::mma {

/// Threads of a block, and queries: 16 per warp.
constexpr int64_t threads = 128, blockQueries = 64;
/// Keys of a block at most.
constexpr int64_t blockKeys = 64;

/// Sizes that a kernel is made for, whose block has `sharedBytes` bytes of
/// shared memory at most.
struct BlockSizes {
  HeadGroup group;
  /// Keys of a block.
  int64_t keys = blockKeys;
  mlir::Type type;

  BlockSizes(AttentionOpInterface op, int64_t sharedBytes)
      : group(op), type(op.getQueryType().getElementType()) {
    // Numbers of each query and key are loaded for all keys at once: fewer at a
    // time leave registers for them.
    if (op.getBias() || op.getMask() || op.getNoise())
      keys = 32;
    keys = std::min(keys, group.findKeys());
    while (keys > 16 && bytes() > sharedBytes)
      keys /= 2;
  }

  /// Whether queries lie in shared memory: registers hold 128 features of one
  /// head.
  bool sharesQueries() const {
    return group.channels > 1 || group.features > 128;
  }

  /// Bytes of shared memory that a block takes.
  int64_t bytes() const {
    int64_t queries = sharesQueries() ? group.channels * blockQueries : 0;
    return bytesOfElement *
           ((queries + stageCount * group.tiles() * keys) *
                (group.features + padding) +
            stageCount * group.values * keys * (group.valueFeatures + padding));
  }

  /// Two stages of tiles in shared memory, of `rows` rows. Eight elements more
  /// in a row than there are features keep eight rows in different banks.
  static constexpr int64_t stageCount = 2, padding = 8, bytesOfElement = 2;
  mlir::MemRefType stages(int64_t count, int64_t rows, int64_t columns) const {
    auto space = mlir::gpu::AddressSpaceAttr::get(
        type.getContext(), mlir::gpu::AddressSpace::Workgroup);
    return mlir::MemRefType::get({count, rows, columns + padding}, type,
                                 mlir::MemRefLayoutAttrInterface(), space);
  }
  mlir::MemRefType queryTiles() const {
    return stages(1, group.channels * blockQueries, group.features);
  }
  mlir::MemRefType keyTiles() const {
    return stages(stageCount, group.tiles() * keys, group.features);
  }
  mlir::MemRefType valueTiles() const {
    return stages(stageCount, group.values * keys, group.valueFeatures);
  }
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_BLOCK_SIZES_H
