// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-select-entry: keeps the public functions that are to be compiled.

#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mixattn {
#define GEN_PASS_DEF_SELECTENTRYPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct SelectEntryPass : mixattn::impl::SelectEntryPassBase<SelectEntryPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool found = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      if (entry.empty() || function.getName() == entry)
        found = true;
      else
        function.setPrivate();
    }
    if (found)
      return;
    if (entry.empty())
      emitError(module.getLoc(), "expected a public function, but found none");
    else
      emitError(module.getLoc(), "expected a public function '")
          << entry << "', but found none";
    signalPassFailure();
  }
};

} // namespace
