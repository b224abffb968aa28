// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions next to an entry: what a call takes, and what goes before it.

#include "passes/entry/EntryQueries.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mixattn;

void mixattn::exportWorkspaceQuery(OpBuilder &builder, ModuleOp module,
                                   Location loc, StringRef name,
                                   ArrayRef<EntryTensor> tensors,
                                   const DimRules &rules, func::FuncOp bytes) {
  Type ptr = LLVM::LLVMPointerType::get(builder.getContext());
  Type i32 = builder.getI32Type();
  auto function =
      func::FuncOp::create(builder, loc, ("mixattn_workspace_" + name).str(),
                           builder.getFunctionType({ptr, i32, ptr, ptr}, i32));
  EntryChecks checks(module, function, rules);
  checks.checkCall();
  checks.checkCount(tensors.size());
  checks.checkPlace(function.getArgument(2));
  ImplicitLocOpBuilder &b = checks.builder();
  Value total = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  if (bytes) {
    SmallVector<Value> buffers;
    for (auto [index, tensor] : llvm::enumerate(tensors))
      buffers.push_back(checks.readShape(index, tensor));
    checks.checkComputedDims();
    total = func::CallOp::create(b, bytes, buffers).getResult(0);
    checks.checkBytes(total);
  }
  LLVM::StoreOp::create(b, total, function.getArgument(2));
  Value done = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  func::ReturnOp::create(b, done);
}

void mixattn::exportPreparation(OpBuilder &builder, ModuleOp module,
                                Location loc, StringRef name) {
  Type ptr = LLVM::LLVMPointerType::get(builder.getContext());
  Type i32 = builder.getI32Type();
  auto function =
      func::FuncOp::create(builder, loc, ("mixattn_prepare_" + name).str(),
                           builder.getFunctionType({i32, ptr}, i32));
  EntryChecks checks(module, function);
  checks.checkCall();
  checks.checkMachine();
  ImplicitLocOpBuilder &b = checks.builder();
  Value done = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  func::ReturnOp::create(b, done);
}
