// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-narrow-attention: an attention of 16 bits, which the graph may widen,
// gives the 16 bits that the graph rounds its result to.

#include "passes/Passes.h"

#include "dialect/attn/AttnOps.h"
#include "passes/raise/Roundings.h"

#include "mlir/IR/Remarks.h"

namespace mixattn {
#define GEN_PASS_DEF_NARROWATTENTIONPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

static Type elementOf(Value tensor) {
  return getElementTypeOrSelf(tensor.getType());
}

/// `tensor` in the shape that `reshape` gives another one.
static Value reshaped(RewriterBase &b, Operation *reshape, Value tensor) {
  IRMapping mapping;
  mapping.map(reshape->getOperand(0), tensor);
  Operation *made = b.clone(*reshape, mapping);
  auto type = cast<RankedTensorType>(made->getResult(0).getType());
  made->getResult(0).setType(type.clone(elementOf(tensor)));
  return made->getResult(0);
}

/// The numbers of 16 bits that `value` is, or is widened from, in its shape.
static Value narrowed(RewriterBase &b, Value value) {
  if (isNarrow(elementOf(value)))
    return value;
  Operation *op = value.getDefiningOp();
  if (!isReshape(op))
    return cast<linalg::GenericOp>(op).getDpsInputs()[0];
  return reshaped(b, op, narrowed(b, op->getOperand(0)));
}

namespace {

struct NarrowAttentionPass
    : mixattn::impl::NarrowAttentionPassBase<NarrowAttentionPass> {
  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) { ops.push_back(op); });
    for (GenericOp op : ops)
      narrow(op);
  }

private:
  void narrow(GenericOp op) {
    if (op->getNumResults() != 1)
      return;
    // Given scores stay as they are.
    SmallVector<Value> operands = {op.getValue()};
    if (op.getQuery())
      operands.append({op.getQuery(), op.getKey()});
    Type type = narrowType(op.getValue());
    if (!type || llvm::any_of(operands, [&](Value operand) {
          return narrowType(operand) != type;
        }))
      return;
    linalg::GenericOp rounding = findRounding(op->getResult(0), type);
    if (!rounding)
      return;
    IRRewriter b(op);
    IRMapping mapping;
    for (Value operand : operands)
      if (!mapping.contains(operand))
        mapping.map(operand, narrowed(b, operand));
    auto made = cast<GenericOp>(b.clone(*op, mapping));
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    made->getResult(0).setType(result.clone(type));
    // The views between, then what the rounding gave.
    Value value = made->getResult(0);
    for (Operation *each = *op->getResult(0).user_begin(); each != rounding;
         each = *each->user_begin()) {
      b.setInsertionPoint(each);
      value = reshaped(b, each, value);
    }
    b.replaceOp(rounding, value);
    remark::passed(made.getLoc(), remark::RemarkOpts::name("narrow").category(
                                      "attn-narrow-attention"))
        << remark::reason("attention of {0}, to which the graph rounds its "
                          "result",
                          type);
  }
};

} // namespace
