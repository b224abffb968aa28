// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-move-bf16-as-bits: reads and writes bf16 as 16-bit integers.

#include "passes/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mixattn {
#define GEN_PASS_DEF_MOVEBF16ASBITSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct MoveBf16AsBitsPass
    : mixattn::impl::MoveBf16AsBitsPassBase<MoveBf16AsBitsPass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    Type bits = builder.getI16Type();
    getOperation()->walk([&](Operation *op) {
      if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
        Type type = load.getType();
        if (!type.isBF16())
          return;
        builder.setInsertionPointAfter(load);
        Value loaded = load.getResult();
        loaded.setType(bits);
        auto cast =
            LLVM::BitcastOp::create(builder, load.getLoc(), type, loaded);
        loaded.replaceAllUsesExcept(cast, cast);
      } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
        if (!store.getValue().getType().isBF16())
          return;
        builder.setInsertionPoint(store);
        store.getValueMutable().assign(LLVM::BitcastOp::create(
            builder, store.getLoc(), bits, store.getValue()));
      }
    });
  }
};

} // namespace
