// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-narrow-attention: an attention of numbers that the graph widens takes
// them as they are, and gives what the graph rounds its result to.

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

static bool isNarrow(Type type) {
  return isa_and_present<FloatType>(type) && type.getIntOrFloatBitWidth() == 16;
}

/// The type of 16 bits that `value` has, or that it, or what it is a view of,
/// is widened from; null if it is none.
static Type narrowType(Value value) {
  if (isNarrow(elementOf(value)))
    return elementOf(value);
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  linalg::GenericOp cast = asCast<arith::ExtFOp>(value.getDefiningOp());
  Type type = cast ? elementOf(cast.getDpsInputs()[0]) : Type();
  return isNarrow(type) ? type : Type();
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

/// The op after views of `value` that alone reads these; null if others do.
static Operation *findReader(Value value) {
  while (value.hasOneUse() && isReshape(*value.user_begin()))
    value = value.user_begin()->getResult(0);
  return value.hasOneUse() ? *value.user_begin() : nullptr;
}

static bool isRounding(Operation *op, Type type) {
  linalg::GenericOp cast = asCast<arith::TruncFOp>(op);
  return cast && elementOf(cast->getResult(0)) == type;
}

/// Whether `op` adds each number of one tensor to one of another one, or
/// multiplies both.
static bool isSumOrProduct(Operation *op) {
  auto generic = dyn_cast_if_present<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 2 ||
      generic.getNumParallelLoops() != generic.getNumLoops() ||
      generic.getNumResults() != 1)
    return false;
  Operation *made =
      generic.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_present<arith::AddFOp, arith::SubFOp, arith::MulFOp>(made) &&
         llvm::equal(made->getOperands(), generic.getRegionInputArgs());
}

/// Whether sums and products of `value` with other numbers alone are read, and
/// they only to be rounded to `type`.
static bool isRoundedLater(Value value, Type type) {
  Operation *reader = findReader(value);
  while (isSumOrProduct(reader))
    reader = findReader(reader->getResult(0));
  return isRounding(reader, type);
}

/// `tensor`, of numbers of 16 bits, as f32.
static Value widened(RewriterBase &b, Value tensor) {
  Location loc = tensor.getLoc();
  Type element = b.getF32Type();
  Value wide = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, tensor), element);
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  AffineMap same = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, wide.getType(), tensor, wide, {same, same}, parallel,
             [&](OpBuilder &b, Location loc, ValueRange numbers) {
               Value number =
                   arith::ExtFOp::create(b, loc, element, numbers[0]);
               linalg::YieldOp::create(b, loc, number);
             })
      .getResult(0);
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
    if (!isRoundedLater(op->getResult(0), type))
      return;
    IRRewriter b(op);
    IRMapping mapping;
    for (Value operand : operands)
      if (!mapping.contains(operand))
        mapping.map(operand, narrowed(b, operand));
    auto made = cast<GenericOp>(b.clone(*op, mapping));
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    made->getResult(0).setType(result.clone(type));
    Value value = made->getResult(0);
    Operation *reader = findReader(op->getResult(0));
    if (!isRounding(reader, type)) {
      b.replaceOp(op, widened(b, value));
    } else {
      // The views between, then what the rounding gave.
      for (Operation *each = *op->getResult(0).user_begin(); each != reader;
           each = *each->user_begin()) {
        b.setInsertionPoint(each);
        value = reshaped(b, each, value);
      }
      b.replaceOp(reader, value);
    }
    remark::passed(made.getLoc(), remark::RemarkOpts::name("narrow").category(
                                      "attn-narrow-attention"))
        << remark::reason("attention of {0}, to which the graph rounds its "
                          "result",
                          type);
  }
};

} // namespace
