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

/// Where the module stands: one that nobody wrote down starts with its file.
static Location placeOf(ModuleOp module) {
  auto place = dyn_cast<FileLineColLoc>(module.getLoc());
  if (!place || place.getLine() != 0)
    return module.getLoc();
  return FileLineColLoc::get(place.getFilename(), 1, 1);
}

namespace {

struct SelectEntryPass : mixattn::impl::SelectEntryPassBase<SelectEntryPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool found = false;
    std::string others;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      if (entry.empty() || function.getName() == entry) {
        found = true;
        continue;
      }
      others += (others.empty() ? "'" : ", '") + function.getName().str() + "'";
      function.setPrivate();
    }
    if (found)
      return;
    if (entry.empty())
      emitError(placeOf(module), "expected a public function, but found none");
    else
      emitError(placeOf(module), "expected a public function '")
          << entry << "', but found " << (others.empty() ? "none" : others);
    signalPassFailure();
  }
};

} // namespace
