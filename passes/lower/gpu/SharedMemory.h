// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the tiles of a block lie in shared memory.

#ifndef MIXATTN_PASSES_LOWER_GPU_SHARED_MEMORY_H
#define MIXATTN_PASSES_LOWER_GPU_SHARED_MEMORY_H

#include "dialect/tile/TileOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// The bytes of dynamic shared memory that a block of `grid` takes, for rings
/// and tiles, which say where they lie.
int64_t sharedBytesOf(tile::GridOp grid);

/// Emits the address, a pointer of address space 3, `offset` bytes from the
/// beginning of the dynamic shared memory of the kernel that `b` writes.
mlir::Value emitSharedAddress(mlir::ImplicitLocOpBuilder &b, int64_t offset);

/// Emits the address of the first byte of `tile`, which `isPlaced`.
mlir::Value emitTileAddress(mlir::ImplicitLocOpBuilder &b, mlir::Value tile);

/// Whether `value` is no tile, or one whose place an op says, or rows of one.
bool isPlaced(mlir::Value value);

/// Checks that the tiles that the ops `Ops` under `root` take are placed.
template <typename... Ops>
mlir::LogicalResult checkTiles(mlir::Operation *root) {
  mlir::WalkResult result = root->walk([](mlir::Operation *op) {
    if (!llvm::isa<Ops...>(op) || llvm::all_of(op->getOperands(), isPlaced))
      return mlir::WalkResult::advance();
    op->emitOpError("expected rows of a 'tile.shared_tile'");
    return mlir::WalkResult::interrupt();
  });
  return mlir::failure(result.wasInterrupted());
}

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_GPU_SHARED_MEMORY_H
