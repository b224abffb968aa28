// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where rings, their tiles and their barriers lie, and how wgmma is told of it.

#ifndef MIXATTN_PASSES_LOWER_WGMMA_SHARED_TILES_H
#define MIXATTN_PASSES_LOWER_WGMMA_SHARED_TILES_H

#include "dialect/tile/WgmmaOps.h"
#include "passes/lower/gpu/WarpEmitter.h"

namespace mixattn {

/// Threads of a warpgroup, and rows of its products.
constexpr int64_t warpgroupThreads = 128, warpgroupRows = 64;

/// Emits code that threads of a warpgroup run. Addresses in shared memory are
/// i32.
class WarpgroupEmitter : public WarpEmitter {
public:
  using WarpEmitter::WarpEmitter;

  /// The address `offset` bytes from the beginning of the dynamic shared
  /// memory.
  mlir::Value sharedAddress(int64_t offset);

protected:
  /// The number of the thread's warpgroup, which the compiler knows to be the
  /// same in all lanes.
  mlir::Value warpgroup();
  mlir::Value asNumber(mlir::Value index) {
    return b.createOrFold<mlir::arith::IndexCastOp>(b.getI32Type(), index);
  }
  mlir::Value plus(mlir::Value address, mlir::Value bytes) {
    return b.createOrFold<mlir::arith::AddIOp>(address, bytes);
  }
  mlir::Value plus(mlir::Value address, int64_t bytes) {
    return bytes ? plus(address, number(bytes)) : address;
  }
  mlir::Value times(mlir::Value value, int64_t factor) {
    return b.createOrFold<mlir::arith::MulIOp>(value, number(factor));
  }
  /// The pointer of address space 3 to `address`.
  mlir::Value pointer(mlir::Value address);

  /// The address of the tile of `stage` of a ring of `type` at `address`.
  mlir::Value tileOf(mlir::Value address, tile::RingType type,
                     mlir::Value stage);
  /// Pointers to the barriers of that stage.
  mlir::Value full(mlir::Value address, tile::RingType type, mlir::Value stage);
  mlir::Value empty(mlir::Value address, tile::RingType type,
                    mlir::Value stage);
  /// Waits until the phase of that number, the first being 0, is complete.
  void waitFor(mlir::Value barrier, mlir::Value phase);

  /// The descriptor of a tile at `address`, an i64. `byRows`: terms of a sum
  /// are columns of the tile, else they are rows.
  mlir::Value descriptor(mlir::Value address, tile::SharedType type,
                         bool byRows);
  /// The step of a descriptor to the 16 terms from `term` on.
  static int64_t descriptorStep(tile::SharedType type, bool byRows,
                                int64_t term);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_WGMMA_SHARED_TILES_H
