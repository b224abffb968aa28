// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-drop-unread: functions take what they read.

#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mixattn {
#define GEN_PASS_DEF_DROPUNREADPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Takes from `function` the arguments that it does not read, if all who use it
/// call it.
static void dropUnread(ModuleOp module, func::FuncOp function) {
  BitVector unread(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty())
      unread.set(argument.getArgNumber());
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(function, module);
  if (unread.none() || !uses)
    return;
  auto isCall = [](SymbolTable::SymbolUse use) {
    return isa<func::CallOp>(use.getUser());
  };
  if (!llvm::all_of(*uses, isCall) || failed(function.eraseArguments(unread)))
    return;
  for (SymbolTable::SymbolUse use : *uses)
    use.getUser()->eraseOperands(unread);
}

namespace {

struct DropUnreadPass : mixattn::impl::DropUnreadPassBase<DropUnreadPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPrivate() && !function.isDeclaration())
        dropUnread(getOperation(), function);
  }
};

} // namespace
