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

/// Integers of as many bits, for bf16 and vectors of it; else null.
static Type bitsOf(Type type) {
  Type bits = IntegerType::get(type.getContext(), 16);
  if (type.isBF16())
    return bits;
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isBF16() ? vector.clone(bits)
                                                    : Type();
}

namespace {

struct MoveBf16AsBitsPass
    : mixattn::impl::MoveBf16AsBitsPassBase<MoveBf16AsBitsPass> {
  void runOnOperation() override {
    if (TargetAttr::of(getOperation()).hasBf16Conversion())
      return;
    OpBuilder builder(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (isa<LLVM::LoadOp, LLVM::MaskedLoadOp>(op)) {
        Value loaded = op->getResult(0);
        Type type = loaded.getType(), bits = bitsOf(type);
        if (!bits)
          return;
        if (auto masked = dyn_cast<LLVM::MaskedLoadOp>(op)) {
          builder.setInsertionPoint(op);
          for (OpOperand &other : masked.getPassThruMutable())
            other.set(LLVM::BitcastOp::create(builder, op->getLoc(), bits,
                                              other.get()));
        }
        builder.setInsertionPointAfter(op);
        loaded.setType(bits);
        auto cast =
            LLVM::BitcastOp::create(builder, op->getLoc(), type, loaded);
        loaded.replaceAllUsesExcept(cast, cast);
      } else if (isa<LLVM::StoreOp, LLVM::MaskedStoreOp>(op)) {
        OpOperand &value = op->getOpOperand(0);
        Type bits = bitsOf(value.get().getType());
        if (!bits)
          return;
        builder.setInsertionPoint(op);
        value.set(
            LLVM::BitcastOp::create(builder, op->getLoc(), bits, value.get()));
      }
    });
  }
};

} // namespace
