// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies score_mod regions.

#include "dialect/attn/ScoreMod.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

/// Whether a score_mod computes with values of `type`.
static bool isScalar(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type>(type) || type.isIndex() ||
         type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

bool mixattn::isScoreModElementwise(Operation *op) {
  bool known =
      isa<arith::AddFOp, arith::AddIOp, arith::AndIOp, arith::CeilDivSIOp,
          arith::CmpFOp, arith::CmpIOp, arith::ConstantOp, arith::DivFOp,
          arith::DivSIOp, arith::DivUIOp, arith::ExtFOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::FPToSIOp, arith::FPToUIOp, arith::FloorDivSIOp,
          arith::IndexCastOp, arith::IndexCastUIOp, arith::MaxNumFOp,
          arith::MaxSIOp, arith::MaxUIOp, arith::MaximumFOp, arith::MinNumFOp,
          arith::MinSIOp, arith::MinUIOp, arith::MinimumFOp, arith::MulFOp,
          arith::MulIOp, arith::NegFOp, arith::OrIOp, arith::RemFOp,
          arith::RemSIOp, arith::RemUIOp, arith::SIToFPOp, arith::SelectOp,
          arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::SubFOp,
          arith::SubIOp, arith::TruncFOp, arith::TruncIOp, arith::UIToFPOp,
          arith::XOrIOp>(op) ||
      isa<math::AbsFOp, math::AbsIOp, math::AcosOp, math::AcoshOp, math::AsinOp,
          math::AsinhOp, math::Atan2Op, math::AtanOp, math::AtanhOp,
          math::CbrtOp, math::CeilOp, math::ClampFOp, math::CopySignOp,
          math::CosOp, math::CoshOp, math::ErfOp, math::ErfcOp, math::Exp2Op,
          math::ExpM1Op, math::ExpOp, math::FPowIOp, math::FloorOp, math::FmaOp,
          math::IPowIOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp,
          math::Log10Op, math::Log1pOp, math::Log2Op, math::LogOp, math::PowFOp,
          math::RoundEvenOp, math::RoundOp, math::RsqrtOp, math::SinOp,
          math::SinhOp, math::SqrtOp, math::TanOp, math::TanhOp, math::TruncOp>(
          op);
  return known && llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

/// Whether `op` reads one element of a captured tensor.
static bool isCapturedRead(Operation *op, Region &region) {
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  return extract && isScalar(extract.getType()) &&
         !region.isAncestor(extract.getTensor().getParentRegion());
}

/// Whether `op` asks for a size of a captured tensor.
static bool isCapturedSize(Operation *op, Region &region) {
  auto dim = dyn_cast<tensor::DimOp>(op);
  return dim && isa<RankedTensorType>(dim.getSource().getType()) &&
         !region.isAncestor(dim.getSource().getParentRegion());
}

LogicalResult mixattn::verifyScoreMod(AttentionOpInterface op) {
  Region &region = op.getScoreMod();
  if (region.empty())
    return success();

  Block &block = region.front();
  auto types = llvm::to_vector(block.getArgumentTypes());
  bool fits = types.size() == 5 &&
              isa<Float16Type, BFloat16Type, Float32Type>(types[0]) &&
              llvm::all_of(ArrayRef(types).drop_front(),
                           [](Type type) { return type.isIndex(); });
  if (!fits)
    return op->emitOpError("expected 'score_mod' to take a float score and the "
                           "indices b, h, i, j, but got (")
           << block.getArgumentTypes() << ")";

  if (!block.mightHaveTerminator() || !isa<YieldOp>(block.getTerminator()))
    return op->emitOpError("expected 'score_mod' to end in 'attn.yield'");
  return success();
}

LogicalResult mixattn::detail::verifyScoreModOps(Operation *op) {
  Region &region = cast<AttentionOpInterface>(op).getScoreMod();
  if (region.empty())
    return success();

  Block &block = region.front();
  auto yield = cast<YieldOp>(block.getTerminator());
  Type scoreType = block.getArgument(0).getType();
  if (yield.getScore().getType() != scoreType)
    return op->emitOpError("expected 'score_mod' to yield ")
           << scoreType << ", but got " << yield.getScore().getType();

  for (Operation &inner : block.without_terminator()) {
    if (isScoreModElementwise(&inner) || isCapturedRead(&inner, region) ||
        isCapturedSize(&inner, region))
      continue;
    InFlightDiagnostic error =
        op->emitOpError("expected 'score_mod' to hold elementwise arith and "
                        "math ops on scalars, and reads and sizes of captured "
                        "tensors, but got '")
        << inner.getName() << "'";
    error.attachNote(inner.getLoc()) << "operation here";
    return error;
  }
  return success();
}

/// Whether `value` is a number that frontends mask by, or NaN.
static bool isMaskingNumber(Value value) {
  // A score of -1000 has weight 0 in f32 where another score is above -896.
  constexpr double large = 1e3;
  FloatAttr number;
  return matchPattern(value, m_Constant(&number)) &&
         !(std::abs(number.getValueAsDouble()) < large);
}

bool mixattn::scoreModMayHideKeys(Region &region) {
  constexpr unsigned scoreIndex = 0, keyIndex = 4;
  llvm::DenseSet<Value> ofScore = {region.getArgument(scoreIndex)};
  llvm::DenseSet<Value> ofKey = {region.getArgument(keyIndex)};
  for (Operation &op : region.getOps()) {
    auto dependsOn = [&](const llvm::DenseSet<Value> &source) {
      return llvm::any_of(op.getOperands(), [&](Value operand) {
        return source.contains(operand);
      });
    };
    bool isFloat =
        op.getNumResults() == 1 && isa<FloatType>(op.getResult(0).getType());
    if (llvm::any_of(op.getOperands(), isMaskingNumber) ||
        (isFloat && isa<tensor::ExtractOp>(op) && dependsOn(ofKey)))
      return true;
    auto choice = dyn_cast<arith::SelectOp>(op);
    if (choice && isFloat && ofKey.contains(choice.getCondition()) &&
        !(ofScore.contains(choice.getTrueValue()) &&
          ofScore.contains(choice.getFalseValue())))
      return true;
    if (dependsOn(ofScore))
      ofScore.insert(op.result_begin(), op.result_end());
    if (dependsOn(ofKey))
      ofKey.insert(op.result_begin(), op.result_end());
  }
  return false;
}
