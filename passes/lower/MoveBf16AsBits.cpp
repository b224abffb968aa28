// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-move-bf16-as-bits: moves bf16 as 16-bit integers.

#include "passes/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

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
  /// Lets `value`, which `loc` is about, be its bits; `b` stands where it is
  /// there, and who reads it gets them as what they were.
  void makeBits(OpBuilder &b, Location loc, Value value) {
    Type type = value.getType(), bits = bitsOf(type);
    if (!bits)
      return;
    value.setType(bits);
    auto cast = LLVM::BitcastOp::create(b, loc, type, value);
    value.replaceAllUsesExcept(cast, cast);
  }

  /// Gives `operand` the bits of what it is.
  void giveBits(OpOperand &operand) {
    Operation *op = operand.getOwner();
    OpBuilder b(op);
    if (Type bits = bitsOf(operand.get().getType()))
      operand.set(
          LLVM::BitcastOp::create(b, op->getLoc(), bits, operand.get()));
  }

  /// Makes bits of the arguments of `block`: loops carry values in them.
  void moveArguments(Block &block) {
    if (block.isEntryBlock() || llvm::none_of(block.getArgumentTypes(), bitsOf))
      return;
    for (auto edge = block.pred_begin(); edge != block.pred_end(); ++edge) {
      auto branch = cast<BranchOpInterface>((*edge)->getTerminator());
      SuccessorOperands passed =
          branch.getSuccessorOperands(edge.getSuccessorIndex());
      for (OpOperand &operand : passed.getMutableForwardedOperands())
        giveBits(operand);
    }
    OpBuilder b = OpBuilder::atBlockBegin(&block);
    for (BlockArgument argument : block.getArguments())
      makeBits(b, argument.getLoc(), argument);
  }

  void runOnOperation() override {
    if (TargetAttr::of(getOperation()).hasBf16Conversion())
      return;
    getOperation()->walk([&](Block *block) { moveArguments(*block); });
    getOperation()->walk([&](Operation *op) {
      if (!moves(op))
        return;
      for (OpOperand &operand : op->getOpOperands())
        giveBits(operand);
      OpBuilder b(&getContext());
      b.setInsertionPointAfter(op);
      for (Value result : op->getResults())
        makeBits(b, op->getLoc(), result);
    });
  }
};

} // namespace
