// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits parallel loops in the omp dialect.

#include "passes/schedule/x86/shared/Threads.h"
#include "passes/body/IndexMath.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mixattn;

/// Emits a call of OpenMP's function `name`, which returns an int.
static Value emitCall(ImplicitLocOpBuilder &b, StringRef name,
                      ValueRange arguments = {}) {
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto type = b.getFunctionType(arguments.getTypes(), b.getI32Type());
  if (!module.lookupSymbol(name)) {
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    func::FuncOp::create(outside, b.getLoc(), name, type).setPrivate();
  }
  return func::CallOp::create(b, name, b.getI32Type(), arguments).getResult(0);
}

/// The calling thread's number among those of its parallel region. Not by
/// omp_get_thread_num: in a process that has loaded another OpenMP runtime, as
/// PyTorch does, that may be the other's, which says 0 to all threads of ours.
static Value emitThreadNumber(ImplicitLocOpBuilder &b) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value place = LLVM::ZeroOp::create(b, pointer);
  return emitCall(b, "__kmpc_bound_thread_num", place);
}

void mixattn::emitThreads(
    ImplicitLocOpBuilder &b, Value count, Value isLarge, Value bytes,
    function_ref<void(ImplicitLocOpBuilder &, Value, Value)> body) {
  IndexMath at(b);
  constexpr int64_t alignment = 64;
  bytes = at.mul(at.div(at.add(bytes, alignment - 1), alignment), alignment);
  auto asIndex = [](ImplicitLocOpBuilder &b, Value number) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), number);
  };
  // Whichever runtime says how many: there will not be more.
  Value threads = emitCall(b, "omp_get_max_threads");
  Value all = memref::AllocOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type()),
      at.mul(asIndex(b, threads), bytes), b.getI64IntegerAttr(alignment));
  Value zero = at.value(0), one = at.value(1);

  omp::ParallelOperands parallelOperands;
  parallelOperands.ifExpr = isLarge;
  parallelOperands.numThreads = threads;
  auto parallel = omp::ParallelOp::create(b, parallelOperands);
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&parallel.getRegion());
    Value offset = at.mul(asIndex(b, emitThreadNumber(b)), bytes);
    Value scratch = memref::ViewOp::create(
        b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type()), all, offset,
        ValueRange{bytes});
    omp::WsloopOperands shared;
    shared.scheduleKind = omp::ClauseScheduleKindAttr::get(
        b.getContext(), omp::ClauseScheduleKind::Dynamic);
    shared.scheduleChunk = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
    auto loop = omp::WsloopOp::create(b, shared);
    omp::TerminatorOp::create(b);
    b.createBlock(&loop.getRegion());
    omp::LoopNestOperands range;
    range.loopLowerBounds = {zero};
    range.loopUpperBounds = {count};
    range.loopSteps = {one};
    auto nest = omp::LoopNestOp::create(b, range);
    Block *inside =
        b.createBlock(&nest.getRegion(), {}, b.getIndexType(), b.getLoc());
    body(b, inside->getArgument(0), scratch);
    omp::YieldOp::create(b, ValueRange());
  }
  memref::DeallocOp::create(b, all);
}
