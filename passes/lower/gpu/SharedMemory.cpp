// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the tiles of a block lie in shared memory.

#include "passes/lower/gpu/SharedMemory.h"

#include "dialect/tile/WgmmaOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// The tiles in shared memory of the block that `body` is about.
static SmallVector<memref::AllocaOp> tilesOf(Region &body) {
  SmallVector<memref::AllocaOp> tiles;
  for (auto tile : body.getOps<memref::AllocaOp>())
    if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(tile.getType()))
      tiles.push_back(tile);
  return tiles;
}

/// The bytes of `tile`, of static sizes, and those to the next one: copies take
/// 16 at a time.
static int64_t bytesOf(memref::AllocaOp tile) {
  constexpr int64_t alignment = 16;
  MemRefType type = tile.getType();
  return llvm::alignTo(
      type.getNumElements() * type.getElementTypeBitWidth() / 8, alignment);
}

void mixattn::placeTiles(ImplicitLocOpBuilder &b, gpu::GPUFuncOp function) {
  SmallVector<memref::AllocaOp> tiles = tilesOf(function.getBody());
  if (tiles.empty())
    return;
  b.setInsertionPointToStart(&function.getBody().front());
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                               MemRefLayoutAttrInterface(), space);
  Value memory = gpu::DynamicSharedMemoryOp::create(b, bytes);
  int64_t offset = 0;
  for (memref::AllocaOp tile : tiles) {
    Value begin = arith::ConstantIndexOp::create(b, offset);
    offset += bytesOf(tile);
    tile.replaceAllUsesWith(
        memref::ViewOp::create(b, tile.getType(), memory, begin, ValueRange())
            .getResult());
    tile.erase();
  }
}

int64_t mixattn::sharedBytesOf(tile::GridOp grid) {
  int64_t bytes = 0;
  grid.walk([&](tile::WgmmaRingOp ring) {
    int64_t end = ring.getOffset() + ring.getRing().getType().getBytes();
    bytes = std::max(bytes, end);
  });
  grid.walk([&](tile::WgmmaTileOp tile) {
    int64_t end = tile.getOffset() + tile.getTile().getType().getBytes();
    bytes = std::max(bytes, end);
  });
  for (memref::AllocaOp tile : tilesOf(grid.getBody()))
    bytes += bytesOf(tile);
  return bytes;
}
