// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-move-bf16-as-bits: moves bf16 as 16-bit integers.

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

/// Whether `op` gives elements as it takes them.
static bool moves(Operation *op) {
  return isa<LLVM::LoadOp, LLVM::MaskedLoadOp, LLVM::StoreOp,
             LLVM::MaskedStoreOp, LLVM::SelectOp, LLVM::ShuffleVectorOp,
             LLVM::InsertElementOp, LLVM::ExtractElementOp>(op);
}

namespace {

struct MoveBf16AsBitsPass
    : mixattn::impl::MoveBf16AsBitsPassBase<MoveBf16AsBitsPass> {
  void runOnOperation() override {
    if (TargetAttr::of(getOperation()).hasBf16Conversion())
      return;
    OpBuilder b(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (!moves(op))
        return;
      b.setInsertionPoint(op);
      for (OpOperand &operand : op->getOpOperands())
        if (Type bits = bitsOf(operand.get().getType()))
          operand.set(
              LLVM::BitcastOp::create(b, op->getLoc(), bits, operand.get()));
      b.setInsertionPointAfter(op);
      for (Value result : op->getResults()) {
        Type type = result.getType(), bits = bitsOf(type);
        if (!bits)
          continue;
        result.setType(bits);
        auto cast = LLVM::BitcastOp::create(b, op->getLoc(), type, result);
        result.replaceAllUsesExcept(cast, cast);
      }
    });
  }
};

} // namespace
