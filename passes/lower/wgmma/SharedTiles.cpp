// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where rings, their tiles and their barriers lie, and how wgmma is told of it.

#include "passes/lower/wgmma/SharedTiles.h"

#include "passes/lower/gpu/SharedMemory.h"

using namespace mlir;
using namespace mixattn;

Value WarpgroupEmitter::sharedAddress(int64_t offset) {
  // A constant of the address itself: wgmma's descriptors are made of it.
  Value begin = LLVM::PtrToIntOp::create(b, b.getI32Type(),
                                         emitSharedAddress(b, /*offset=*/0));
  return plus(begin, offset);
}

Value WarpgroupEmitter::warpgroup() {
  Value own = asNumber(at.div(thread(), warpgroupThreads));
  return NVVM::ShflOp::create(b, b.getI32Type(), number(-1), own, number(0),
                              number(31), NVVM::ShflKind::idx,
                              /*return_value_and_is_valid=*/UnitAttr());
}

Value WarpgroupEmitter::pointer(Value address) {
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  return LLVM::IntToPtrOp::create(b, type, address);
}

Value WarpgroupEmitter::tileOf(Value address, tile::RingType type,
                               Value stage) {
  return plus(address, times(asNumber(stage), type.getTile().getBytes()));
}

/// Two barriers a stage, of 8 bytes each, follow the tiles.
Value WarpgroupEmitter::full(Value address, tile::RingType type, Value stage) {
  return pointer(
      plus(plus(address, type.getTileBytes()), times(asNumber(stage), 16)));
}

Value WarpgroupEmitter::empty(Value address, tile::RingType type, Value stage) {
  return pointer(
      plus(plus(address, type.getTileBytes() + 8), times(asNumber(stage), 16)));
}

void WarpgroupEmitter::waitFor(Value barrier, Value phase) {
  Value parity = b.createOrFold<arith::AndIOp>(asNumber(phase), number(1));
  // Nanoseconds after which a thread asks again.
  constexpr int64_t ticks = 10000000;
  NVVM::MBarrierTryWaitParityOp::create(b, barrier, parity, number(ticks));
}

/// PTX ISA, Matrix descriptor: the address, the leading and the stride byte
/// offset, each divided by 16, and the swizzle, 1 for 128 bytes. Squares of 8
/// rows and 128 bytes follow one another along rows.
Value WarpgroupEmitter::descriptor(Value address, tile::SharedType type,
                                   bool byRows) {
  assert(type.getSwizzle() == 128 && "the type's verifier says so");
  // Terms along columns stay in a square: the leading offset is not used.
  int64_t leading = byRows ? 16 : type.getPanelBytes(), stride = 8 * 128;
  int64_t fixed =
      (int64_t(1) << 62) | (stride >> 4) << 32 | (leading >> 4) << 16;
  Value bits = b.createOrFold<arith::ShRUIOp>(
      b.createOrFold<arith::AndIOp>(address, number(0x3ffff)), number(4));
  Value wide = b.createOrFold<arith::ExtUIOp>(b.getI64Type(), bits);
  return b.createOrFold<arith::OrIOp>(
      wide, arith::ConstantOp::create(b, b.getI64IntegerAttr(fixed)));
}

int64_t WarpgroupEmitter::descriptorStep(tile::SharedType type, bool byRows,
                                         int64_t term) {
  if (!byRows)
    return term * type.getSwizzle() >> 4;
  int64_t panel = term / type.getPanelColumns();
  int64_t column = term % type.getPanelColumns();
  return (panel * type.getPanelBytes() + column * width) >> 4;
}
