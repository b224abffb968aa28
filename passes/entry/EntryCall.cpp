// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits what an entry of the C ABI does with the call itself.

#include "lib/Runtime/abi.h"
#include "passes/entry/AmxPermission.h"
#include "passes/entry/EntryChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

static_assert(offsetof(mixattn_call, packed_bytes) ==
                  sizeof(uint64_t) * size_t(CallField::PackedBytes),
              "each field takes 8 bytes");

void EntryChecks::checkMachine() {
  if (!usesAmx(module))
    return;
  code = i32(MIXATTN_ERROR_MACHINE);
  require(emitMayUseAmx(b, module),
          "expected a CPU with AMX and a system that lets this process use it");
}

void EntryChecks::checkCall() {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value null = LLVM::ZeroOp::create(b, ptr);

  // A NULL call has no size: read that of a constant of the right one instead.
  int64_t least = sizeof(mixattn_call::size);
  Value hasCall = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, call, null);
  Value one = i64(1);
  Value own = LLVM::AllocaOp::create(b, ptr, b.getI32Type(), one);
  LLVM::StoreOp::create(b, i32(least), own);
  Value where = LLVM::SelectOp::create(b, hasCall, call, own);
  Value size = arith::ExtUIOp::create(
      b, b.getI64Type(), LLVM::LoadOp::create(b, b.getI32Type(), where));
  Value fits =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, size, i64(least));
  // Such a struct has no message.
  Block *pass = branch(fits);
  func::ReturnOp::create(b, i32(MIXATTN_ERROR_CALL));
  b.setInsertionPointToEnd(pass);
}

void EntryChecks::checkCount(int64_t count) {
  Value tensors = function.getArgument(0), given = function.getArgument(1);
  Value null =
      LLVM::ZeroOp::create(b, LLVM::LLVMPointerType::get(b.getContext()));
  Value wide = arith::ExtSIOp::create(b, b.getI64Type(), given);
  code = i32(MIXATTN_ERROR_COUNT);
  require(same(wide, i64(count)), "expected %lld tensors, but got %lld",
          {i64(count), wide});
  if (count == 0)
    return;
  require(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, tensors, null),
          "expected tensors, but got NULL");
}

void EntryChecks::checkPlace(Value bytes) {
  Value null =
      LLVM::ZeroOp::create(b, LLVM::LLVMPointerType::get(b.getContext()));
  code = i32(MIXATTN_ERROR_CALL);
  require(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, bytes, null),
          "expected a place for the bytes, but got NULL");
}

void EntryChecks::checkBytes(Value total) {
  title = {};
  code = i32(MIXATTN_ERROR_WORKSPACE);
  require(arith::CmpIOp::create(b, arith::CmpIPredicate::sge, total, i64(0)),
          "the workspace would take a number of bytes that is out of range");
}

Value EntryChecks::readMemory(CallField field) {
  auto next = static_cast<CallField>(static_cast<int32_t>(field) + 1);
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type i64Type = b.getI64Type();
  Value null = LLVM::ZeroOp::create(b, ptr);
  Value memory = emitLoad(b, call, field), bytes = emitLoad(b, call, next);
  Value hasMemory =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, memory, null);
  bytes = arith::SelectOp::create(b, hasMemory, bytes, i64(0));
  // Bytes up to the next address that 64 divides.
  constexpr int64_t alignment = 64;
  Value address = LLVM::PtrToIntOp::create(b, i64Type, memory);
  Value skipped = arith::AndIOp::create(
      b, arith::SubIOp::create(b, i64(0), address), i64(alignment - 1));
  skipped = arith::MinUIOp::create(b, skipped, bytes);
  bytes = arith::SubIOp::create(b, bytes, skipped);
  // No program has more memory than an index can say.
  bytes = arith::MinUIOp::create(b, bytes,
                                 i64(std::numeric_limits<int64_t>::max()));
  memory = LLVM::GEPOp::create(b, ptr, b.getI8Type(), memory,
                               ArrayRef<LLVM::GEPArg>{skipped});
  Shape shape = {{bytes}, {i64(1)}, {}};
  return makeBuffer(MemRefType::get({ShapedType::kDynamic}, b.getI8Type()),
                    memory, shape);
}
