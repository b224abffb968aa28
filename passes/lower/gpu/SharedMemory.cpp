// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the tiles of a block lie in shared memory.

#include "passes/lower/gpu/SharedMemory.h"

#include "dialect/tile/WgmmaOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mixattn;

int64_t mixattn::sharedBytesOf(tile::GridOp grid) {
  int64_t bytes = 0;
  grid.walk([&](tile::WgmmaRingOp ring) {
    int64_t end = ring.getOffset() + ring.getRing().getType().getBytes();
    bytes = std::max(bytes, end);
  });
  grid.walk([&](tile::SharedTileOp tile) {
    int64_t end = tile.getOffset() + tile.getTile().getType().getBytes();
    bytes = std::max(bytes, end);
  });
  return bytes;
}

/// The block's dynamic shared memory, a symbol of `module`.
static StringRef getSharedMemory(gpu::GPUModuleOp module) {
  constexpr StringLiteral name = "mixattn_shared";
  if (SymbolTable::lookupSymbolIn(module, name))
    return name;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  // A swizzle repeats after 1024 bytes.
  LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/false,
                         LLVM::Linkage::External, name, Attribute(),
                         /*alignment=*/1024,
                         unsigned(NVVM::NVVMMemorySpace::Shared));
  return name;
}

static Value emitMoved(ImplicitLocOpBuilder &b, Value pointer,
                       LLVM::GEPArg bytes) {
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             bytes);
}

Value mixattn::emitSharedAddress(ImplicitLocOpBuilder &b, int64_t offset) {
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<gpu::GPUModuleOp>();
  Value memory = LLVM::AddressOfOp::create(b, type, getSharedMemory(module));
  return offset ? emitMoved(b, memory, int32_t(offset)) : memory;
}

Value mixattn::emitTileAddress(ImplicitLocOpBuilder &b, Value tile) {
  if (auto whole = tile.getDefiningOp<tile::SharedTileOp>())
    return emitSharedAddress(b, whole.getOffset());
  auto part = tile.getDefiningOp<tile::SharedRowsOp>();
  Value bytes = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(part.getSource().getType().getRowBytes()));
  Value row = b.createOrFold<arith::IndexCastOp>(b.getI32Type(), part.getRow());
  return emitMoved(b, emitTileAddress(b, part.getSource()),
                   b.createOrFold<arith::MulIOp>(row, bytes));
}

bool mixattn::isPlaced(Value value) {
  if (!isa<tile::SharedType>(value.getType()) ||
      value.getDefiningOp<tile::SharedTileOp>())
    return true;
  auto part = value.getDefiningOp<tile::SharedRowsOp>();
  return part && isPlaced(part.getSource());
}
