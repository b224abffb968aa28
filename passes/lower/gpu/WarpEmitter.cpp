// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of threads, pointers into buffers, pairs of 16 bits.

#include "passes/lower/gpu/WarpEmitter.h"

#include "passes/body/KeptHere.h"
#include "passes/lower/gpu/SharedMemory.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

Value WarpEmitter::thread() {
  return gpu::ThreadIdOp::create(b, gpu::Dimension::x);
}

Value WarpEmitter::devicePointer(Value buffer, Value row, Value column) {
  auto type = cast<MemRefType>(buffer.getType());
  Values place =
      type.getRank() == 3 ? turnOf(row, type.getDimSize(0)) : Values{row};
  place.push_back(column);
  return emitDeviceAddress(b, buffer, place);
}

Value WarpEmitter::sharedPointer(Value tile, Value row, Value column) {
  auto type = cast<tile::SharedType>(tile.getType());
  Value bytes = at.add(at.mul(row, type.getRowBytes()),
                       at.mul(column, type.getElementBytes()));
  Value begin = emitTileAddress(b, tile);
  return LLVM::GEPOp::create(
      b, begin.getType(), b.getI8Type(), begin,
      b.createOrFold<arith::IndexCastOp>(b.getI32Type(), bytes));
}

Value WarpEmitter::shifted(Value pointer, int64_t bytes) {
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             LLVM::GEPArg(bytes));
}

Value WarpEmitter::keptHere(Value value) { return mixattn::keptHere(b, value); }

void WarpEmitter::onlyIf(Value condition, function_ref<void()> inside) {
  auto choice = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  inside();
}

Value WarpEmitter::element(Value vector, int64_t i) {
  return vector::ExtractOp::create(b, vector, i);
}

Value WarpEmitter::joined(ArrayRef<Value> elements) {
  auto type =
      VectorType::get({int64_t(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(b, type, elements);
}

Value WarpEmitter::registersOf(Value operand) {
  auto type = VectorType::get({lengthOf(operand) / 2}, b.getI32Type());
  return vector::BitCastOp::create(b, type, operand);
}

Value WarpEmitter::operandOf(ArrayRef<Value> registers, Type type) {
  auto operand = VectorType::get({2 * int64_t(registers.size())}, type);
  return vector::BitCastOp::create(b, operand, joined(registers));
}

Value WarpEmitter::rounded(Value first, Value second, Type type) {
  StringRef intrinsic =
      type.isBF16() ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn";
  // The instruction names the upper half first.
  auto both = LLVM::CallIntrinsicOp::create(b, VectorType::get({2}, type),
                                            b.getStringAttr(intrinsic),
                                            ValueRange{second, first});
  return LLVM::BitcastOp::create(b, b.getI32Type(), both.getResult(0));
}
