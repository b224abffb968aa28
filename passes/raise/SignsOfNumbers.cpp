// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that are at least 0: only they have roots and logarithms.

#include "passes/raise/Expression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

static bool isRoot(Ref ref) {
  return ref->is(Kind::Apply) && isa<math::SqrtOp>(ref->op);
}

/// Whether no element of `tensor` is below 0, as the ops that compute it tell,
/// of which `left` are looked at.
static bool hasNoneBelowZero(Value tensor, int &left);

/// The same of a number in the body of `loops`.
static bool isNeverBelowZero(Value number, linalg::GenericOp loops, int &left) {
  if (--left < 0)
    return false;
  auto isSo = [&](Value each) { return isNeverBelowZero(each, loops, left); };
  if (auto argument = dyn_cast<BlockArgument>(number)) {
    bool isInput = argument.getOwner() == loops.getBody() &&
                   argument.getArgNumber() < loops.getNumDpsInputs();
    return isInput && hasNoneBelowZero(
                          loops.getDpsInputs()[argument.getArgNumber()], left);
  }
  if (APFloat constant(0.0f); matchPattern(number, m_ConstantFloat(&constant)))
    return !constant.isNegative();
  Operation *op = number.getDefiningOp();
  if (isa<math::ExpOp, math::Exp2Op, math::AbsFOp, math::SqrtOp>(op))
    return true;
  if (isa<arith::MaximumFOp>(op))
    return llvm::any_of(op->getOperands(), isSo);
  if (isa<arith::MulFOp>(op) && op->getOperand(0) == op->getOperand(1))
    return true;
  if (isa<arith::MinimumFOp, arith::AddFOp, arith::MulFOp, arith::DivFOp,
          arith::ExtFOp, arith::TruncFOp, math::Log1pOp>(op))
    return llvm::all_of(op->getOperands(), isSo);
  if (isa<arith::SelectOp>(op))
    return isSo(op->getOperand(1)) && isSo(op->getOperand(2));
  return false;
}

static bool hasNoneBelowZero(Value tensor, int &left) {
  Operation *op = tensor.getDefiningOp();
  // Views of a tensor.
  while (op && isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
                   tensor::CollapseShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (op && op->getName().getStringRef() == "linalg.softmax")
    return true;
  auto loops = dyn_cast_or_null<linalg::GenericOp>(op);
  return loops && loops.getNumReductionLoops() == 0 &&
         loops->getNumResults() == 1 &&
         isNeverBelowZero(loops.getBody()->getTerminator()->getOperand(0),
                          loops, left);
}

bool Expressions::isAtLeastZero(Ref ref) const {
  auto isSo = [this](Ref operand) { return isAtLeastZero(operand); };
  switch (ref->kind) {
  case Kind::Number:
    return ref->number >= 0;
  case Kind::Element: {
    // More ops than a prior is made of.
    int left = 64;
    return hasNoneBelowZero(ref->tensor, left);
  }
  case Kind::Sum:
  case Kind::Reciprocal:
  case Kind::Total:
  case Kind::Largest:
    return llvm::all_of(ref->operands, isSo);
  case Kind::Product: {
    // Squares are, whatever is squared.
    SmallVector<Ref> left;
    for (Ref factor : ref->operands) {
      auto *same = llvm::find_if(
          left, [&](Ref other) { return areSame(factor, other); });
      if (same == left.end())
        left.push_back(factor);
      else
        left.erase(same);
    }
    return llvm::all_of(left, isSo);
  }
  case Kind::Apply:
    if (isa<math::ExpOp, math::Exp2Op, math::AbsFOp, math::SqrtOp>(ref->op))
      return true;
    if (isa<arith::MaximumFOp>(ref->op))
      return llvm::any_of(ref->operands, isSo);
    if (isa<arith::MinimumFOp>(ref->op))
      return llvm::all_of(ref->operands, isSo);
    return false;
  default:
    return false;
  }
}

void Expressions::squareRoots(SmallVectorImpl<Ref> &factors) const {
  for (size_t i = 0; i < factors.size(); ++i) {
    if (!isRoot(factors[i]))
      continue;
    Ref inside = factors[i]->operands[0];
    // Products stay flat.
    if (inside->is(Kind::Product) || inside->is(Kind::Number) ||
        !isAtLeastZero(inside))
      continue;
    for (size_t j = i + 1; j < factors.size(); ++j)
      if (isRoot(factors[j]) && areSame(factors[i], factors[j])) {
        factors[i] = inside;
        factors.erase(factors.begin() + j);
        break;
      }
  }
}

Block &Expressions::getOwnOps() {
  if (ownOps)
    return *ownOps;
  ownOps = std::make_unique<Block>();
  OpBuilder builder(f32.getContext());
  Location loc = builder.getUnknownLoc();
  builder.setInsertionPointToStart(ownOps.get());
  // Operands are told apart by their values.
  auto any = [&](Type type) { return ownOps->addArgument(type, loc); };
  Type index = builder.getIndexType();
  math::LogOp::create(builder, loc, any(f32));
  Value isSame = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       any(index), any(index));
  arith::SelectOp::create(builder, loc, isSame, any(f32), any(f32));
  return *ownOps;
}

Ref Expressions::logarithm(Ref operand) {
  return apply(&getOwnOps().front(), operand);
}

Ref Expressions::identity(Atom row, Atom column) {
  Operation *compare = getOwnOps().front().getNextNode();
  Type index = compare->getOperand(0).getType();
  Ref isSame =
      apply(compare, {position({row}, index), position({column}, index)});
  return apply(compare->getNextNode(),
               {isSame, number(1, f32), number(0, f32)});
}
