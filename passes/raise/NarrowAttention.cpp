// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-narrow-attention: an attention of numbers that the graph widens takes
// them as they are.

#include "passes/Passes.h"

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace mixattn {
#define GEN_PASS_DEF_NARROWATTENTIONPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// `op` if it is `Cast` of each number of one tensor, and nothing else.
template <typename Cast> static linalg::GenericOp asCast(Operation *op) {
  auto generic = dyn_cast_if_present<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumResults() != 1 ||
      generic.getNumParallelLoops() != generic.getNumLoops())
    return {};
  for (AffineMap map : generic.getIndexingMapsArray())
    if (!map.isIdentity())
      return {};
  auto cast = generic.getBody()
                  ->getTerminator()
                  ->getOperand(0)
                  .template getDefiningOp<Cast>();
  bool isOfInput = cast && cast.getIn() == generic.getRegionInputArgs().front();
  return isOfInput ? generic : linalg::GenericOp();
}

static bool isReshape(Operation *op) {
  return isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

static Type elementOf(Value tensor) {
  return getElementTypeOrSelf(tensor.getType());
}

/// The type of 16 bits that `value`, or what it is a view of, is widened from;
/// null if it is none.
static Type widenedFrom(Value value) {
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  linalg::GenericOp cast = asCast<arith::ExtFOp>(value.getDefiningOp());
  Type type = cast ? elementOf(cast.getDpsInputs()[0]) : Type();
  return type && type.getIntOrFloatBitWidth() == 16 ? type : Type();
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

/// The numbers that `value` is widened from, in its shape.
static Value narrowed(RewriterBase &b, Value value) {
  Operation *op = value.getDefiningOp();
  if (!isReshape(op))
    return cast<linalg::GenericOp>(op).getDpsInputs()[0];
  return reshaped(b, op, narrowed(b, op->getOperand(0)));
}

/// The rounding of `value` to `type`, or of what views make of it, that alone
/// reads it; null if others do.
static linalg::GenericOp findRounding(Value value, Type type) {
  while (value.hasOneUse() && isReshape(*value.user_begin()))
    value = value.user_begin()->getResult(0);
  if (!value.hasOneUse())
    return {};
  linalg::GenericOp cast = asCast<arith::TruncFOp>(*value.user_begin());
  return cast && elementOf(cast->getResult(0)) == type ? cast
                                                       : linalg::GenericOp();
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
    if (op->getNumResults() != 1 || !op.getQuery() || !op.getKey())
      return;
    Type type = widenedFrom(op.getValue());
    if (!type || widenedFrom(op.getQuery()) != type ||
        widenedFrom(op.getKey()) != type)
      return;
    linalg::GenericOp rounding = findRounding(op->getResult(0), type);
    if (!rounding)
      return;
    IRRewriter b(op);
    IRMapping mapping;
    for (Value operand : {op.getQuery(), op.getKey(), op.getValue()})
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
    remark::passed(op.getLoc(), remark::RemarkOpts::name("narrow").category(
                                    "attn-narrow-attention"))
        << remark::reason("attention of {0}, which the graph widens and rounds "
                          "back",
                          type);
  }
};

} // namespace
