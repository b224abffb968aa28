// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the tiles of a block lie in shared memory.

#ifndef MIXATTN_PASSES_LOWER_GPU_SHARED_MEMORY_H
#define MIXATTN_PASSES_LOWER_GPU_SHARED_MEMORY_H

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// The bytes of dynamic shared memory that a block of `grid` takes: for rings,
/// which say where they lie, or for tiles, one after the other.
int64_t sharedBytesOf(tile::GridOp grid);

/// Puts the tiles of `function` in its dynamic shared memory.
void placeTiles(mlir::ImplicitLocOpBuilder &b, mlir::gpu::GPUFuncOp function);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_GPU_SHARED_MEMORY_H
