// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits what an attention does to one score, in arith and math on scalars.

#include "passes/body/ScoreBody.h"
#include "passes/body/BodyOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mixattn;

Value mixattn::toF32(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
}

Value mixattn::fromF32(OpBuilder &builder, Location loc, Value value,
                       Type type) {
  if (type.isF32())
    return value;
  return arith::TruncFOp::create(builder, loc, type, value);
}

/// Clones `inner`, an op of a score_mod, with every float as f32: casts between
/// floats vanish, constants keep the value that they were written with.
static void cloneInF32(OpBuilder &builder, Operation &inner, IRMapping &mapping,
                       BodyOperands *operands) {
  if (isa<arith::ExtFOp, arith::TruncFOp>(inner)) {
    mapping.map(inner.getResult(0), mapping.lookup(inner.getOperand(0)));
    return;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(inner))
    if (auto value = dyn_cast<FloatAttr>(constant.getValue())) {
      auto wide = builder.getF32FloatAttr(value.getValueAsDouble());
      mapping.map(inner.getResult(0),
                  arith::ConstantOp::create(builder, inner.getLoc(), wide));
      return;
    }
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner); extract && operands) {
    Value value =
        operands->emitRead(builder, inner.getLoc(), extract.getTensor(),
                           mapped(extract.getIndices()));
    if (isa<FloatType>(value.getType()))
      value = toF32(builder, inner.getLoc(), value);
    mapping.map(extract.getResult(), value);
    return;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(inner); dim && operands) {
    mapping.map(dim.getResult(),
                operands->emitSize(builder, inner.getLoc(), dim.getSource(),
                                   mapping.lookupOrDefault(dim.getIndex())));
    return;
  }
  Operation *copy = builder.clone(inner, mapping);
  for (OpResult result : copy->getResults()) {
    Value value = result;
    if (isa<FloatType>(result.getType())) {
      // A read keeps its tensor's type and is converted; a computation is f32.
      if (isa<tensor::ExtractOp>(copy))
        value = toF32(builder, inner.getLoc(), result);
      else
        result.setType(builder.getF32Type());
    }
    mapping.map(inner.getResult(result.getResultNumber()), value);
  }
}

/// Captured floats become f32 before the region reads them.
static void captureInF32(OpBuilder &builder, Region &region, IRMapping &mapping,
                         BodyOperands *operands) {
  region.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      if (isa<TensorType>(operand.getType()) ||
          region.isAncestor(operand.getParentRegion()) ||
          mapping.contains(operand))
        continue;
      Value number =
          operands ? operands->emitNumber(builder, operand) : operand;
      if (isa<FloatType>(number.getType()))
        number = toF32(builder, inner->getLoc(), number);
      mapping.map(operand, number);
    }
  });
}

Value mixattn::emitScale(OpBuilder &builder, AttentionOpInterface op,
                         Value score) {
  double scale = op.getScaleOrDefault();
  if (scale == 1.0)
    return score;
  Value factor = arith::ConstantOp::create(builder, op->getLoc(),
                                           builder.getF32FloatAttr(scale));
  return arith::MulFOp::create(builder, op->getLoc(), score, factor);
}

Value mixattn::emitModify(OpBuilder &builder, AttentionOpInterface op,
                          Value score, Value bias, const ScorePlace &place,
                          bool isScaled, BodyOperands *operands) {
  Location loc = op->getLoc();
  if (!op.getScaleBefore() && !isScaled)
    score = emitScale(builder, op, score);
  if (bias)
    score =
        arith::AddFOp::create(builder, loc, score, toF32(builder, loc, bias));
  if (!op.hasScoreMod())
    return score;

  Block &block = op.getScoreMod().front();
  IRMapping mapping;
  mapping.map(block.getArguments(),
              ValueRange{score, place.b, place.h, place.i, place.j});
  captureInF32(builder, op.getScoreMod(), mapping, operands);
  for (Operation &inner : block.without_terminator())
    cloneInF32(builder, inner, mapping, operands);
  return mapping.lookup(cast<YieldOp>(block.getTerminator()).getScore());
}

/// a - log(1 + exp(-a)), the exponent of exp(a) sigmoid(a), at any size of a.
static Value emitSigmoidWeighed(OpBuilder &builder, Location loc, Value score) {
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  };
  // log(1 + exp(-a)) = max(-a, 0) + log(1 + exp(-|a|))
  Value magnitude = math::AbsFOp::create(builder, loc, score);
  Value small = math::ExpOp::create(
      builder, loc, arith::NegFOp::create(builder, loc, magnitude));
  Value log = math::LogOp::create(
      builder, loc, arith::AddFOp::create(builder, loc, small, constant(1)));
  Value bend = arith::MinimumFOp::create(builder, loc, score, constant(0));
  Value sum = arith::AddFOp::create(builder, loc, score, bend);
  return arith::SubFOp::create(builder, loc, sum, log);
}

Value mixattn::emitExponent(OpBuilder &builder, AttentionOpInterface op,
                            Value score, Value bias, const ScorePlace &place,
                            bool isScaled, BodyOperands *operands) {
  score = emitModify(builder, op, score, bias, place, isScaled, operands);
  return op.getSigsoftmax() ? emitSigmoidWeighed(builder, op->getLoc(), score)
                            : score;
}

SmallVector<Value> mixattn::broadcastIndices(OpBuilder &builder, Location loc,
                                             Type operand,
                                             const ScorePlace &place) {
  auto type = cast<RankedTensorType>(operand);
  Value all[] = {place.b, place.h, place.i, place.j};
  SmallVector<Value> indices;
  for (int64_t i = 0; i < type.getRank(); ++i)
    indices.push_back(
        type.getDimSize(i) == 1
            ? arith::ConstantIndexOp::create(builder, loc, 0).getResult()
            : all[4 - type.getRank() + i]);
  return indices;
}

Value mixattn::emitInBand(OpBuilder &builder, Location loc, BandAttr band,
                          const ScorePlace &place) {
  // The key that stands at the query's own position.
  Value own = arith::AddIOp::create(builder, loc, place.i, place.offset);
  auto shifted = [&](int64_t by) -> Value {
    Value amount = arith::ConstantIndexOp::create(builder, loc, by);
    return arith::AddIOp::create(builder, loc, own, amount);
  };
  Value begins = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                       place.j, shifted(-band.getLower()));
  Value ends = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                     place.j, shifted(band.getUpper()));
  return arith::AndIOp::create(builder, loc, begins, ends);
}

Value mixattn::emitIsVisible(OpBuilder &builder, ScoreOpInterface op,
                             Value mask, Value length,
                             const ScorePlace &place) {
  Location loc = op->getLoc();
  Value visible = mask;
  auto require = [&](Value holds) {
    visible =
        visible
            ? arith::AndIOp::create(builder, loc, visible, holds).getResult()
            : holds;
  };
  if (length) {
    Value count = arith::IndexCastOp::create(builder, loc,
                                             builder.getIndexType(), length);
    require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                  place.j, count));
  }
  if (op.getCausal()) {
    Value own = arith::AddIOp::create(builder, loc, place.i, place.offset);
    require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                  place.j, own));
  }
  if (std::optional<BandAttr> band = op.getBand())
    require(emitInBand(builder, loc, *band, place));
  return visible;
}
