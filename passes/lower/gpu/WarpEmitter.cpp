// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of threads, pointers into buffers, pairs of 16 bits.

#include "passes/lower/gpu/WarpEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

Value WarpEmitter::thread() {
  return gpu::ThreadIdOp::create(b, gpu::Dimension::x);
}

Value WarpEmitter::devicePointer(Value buffer, Value row, Value column) {
  return emitDeviceAddress(b, buffer, {row, column});
}

Value WarpEmitter::sharedPointer(Value tile, Value row, Value column) {
  auto parts = memref::ExtractStridedMetadataOp::create(b, tile);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, tile);
  Value place =
      at.add(parts.getConstifiedMixedOffset(),
             at.add(at.mul(row, parts.getConstifiedMixedStrides()[0]), column));
  Value address = arith::IndexCastOp::create(
      b, b.getI32Type(), at.add(base, at.mul(place, width)));
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  return LLVM::IntToPtrOp::create(b, type, address);
}

Value WarpEmitter::shifted(Value pointer, int64_t bytes) {
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             LLVM::GEPArg(bytes));
}

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
