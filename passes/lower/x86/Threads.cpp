// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of OpenMP's runtime.

#include "passes/lower/x86/Threads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

Value mixattn::emitMaxThreads(ImplicitLocOpBuilder &b) {
  return emitCall(b, "omp_get_max_threads");
}

// Not by omp_get_thread_num: in a process that has loaded another OpenMP
// runtime, as PyTorch does, that may be the other's, which says 0 to all
// threads of ours.
Value mixattn::emitThreadNumber(ImplicitLocOpBuilder &b) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value place = LLVM::ZeroOp::create(b, pointer);
  return emitCall(b, "__kmpc_bound_thread_num", place);
}
