// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of a block of threads, and of its tiles in shared memory.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_BLOCK_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_BLOCK_SIZES_H

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mixattn::mma {

/// Threads of a block, and queries: 16 per warp.
constexpr int64_t threads = 128, blockQueries = 64;
/// Keys of a block at most.
constexpr int64_t blockKeys = 64;
/// Bytes of shared memory that a block has without asking for more.
constexpr int64_t sharedBytes = 48 << 10;

/// Sizes that a kernel is made for.
struct BlockSizes {
  int64_t features, valueFeatures, products;
  /// Keys of a block.
  int64_t keys = blockKeys;
  mlir::Type type;

  BlockSizes(AttentionOpInterface op, int64_t products)
      : features(op.getQueryType().getDimSize(3)),
        valueFeatures(op.getValueType().getDimSize(3)), products(products),
        type(op.getQueryType().getElementType()) {
    // Numbers of each query and key are loaded for all keys at once: fewer at a
    // time leave registers for them.
    if (op.getBias() || op.getMask())
      keys = 32;
    while (keys > 16 && bytes() > sharedBytes)
      keys /= 2;
  }

  /// Bytes of shared memory that a block takes.
  int64_t bytes() const {
    return stageCount * bytesOfElement *
           (products * keys * (features + padding) +
            keys * (valueFeatures + padding));
  }

  /// Two stages of tiles in shared memory, of `rows` rows. Eight elements more
  /// in a row than there are features keep eight rows in different banks.
  static constexpr int64_t stageCount = 2, padding = 8, bytesOfElement = 2;
  mlir::MemRefType stages(int64_t rows, int64_t columns) const {
    auto space = mlir::gpu::AddressSpaceAttr::get(
        type.getContext(), mlir::gpu::AddressSpace::Workgroup);
    return mlir::MemRefType::get({stageCount, rows, columns + padding}, type,
                                 mlir::MemRefLayoutAttrInterface(), space);
  }
  mlir::MemRefType keysTile() const {
    return stages(products * keys, features);
  }
  mlir::MemRefType valuesTile() const { return stages(keys, valueFeatures); }
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_BLOCK_SIZES_H
