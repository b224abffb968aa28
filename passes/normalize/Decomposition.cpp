// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the stages, and what they share.

#include "passes/normalize/Decomposition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

Decomposition::Decomposition(AttentionOpInterface op, RewriterBase &rewriter)
    : op(op), rewriter(rewriter), loc(op->getLoc()), f32(rewriter.getF32Type()),
      batch(sizeOf(op.getQuery(), 0)), queryHeads(sizeOf(op.getQuery(), 1)),
      heads(rewriter.getIndexAttr(op.getNumHeads())),
      components(rewriter.getIndexAttr(op.getNumComponents())),
      queries(sizeOf(op.getQuery(), 2)),
      keys(sizeOf(op.getKey(), op.getKeyLengthDim())) {}

Value Decomposition::generic(ValueRange inputs, ArrayRef<AffineMap> inputMaps,
                             Value init, AffineMap outputMap, Body body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(outputMap);
  SmallVector<utils::IteratorType> loops(outputMap.getNumDims(),
                                         utils::IteratorType::reduction);
  for (AffineExpr result : outputMap.getResults())
    loops[cast<AffineDimExpr>(result).getPosition()] =
        utils::IteratorType::parallel;
  auto generic = linalg::GenericOp::create(
      rewriter, loc, init.getType(), inputs, init, maps, loops,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, body(builder, loc, arguments));
      });
  return generic.getResult(0);
}

Value Decomposition::tensorOf(ArrayRef<OpFoldResult> sizes, Type element,
                              std::optional<double> value) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  if (!value)
    return empty;
  return linalg::FillOp::create(rewriter, loc, constant(rewriter, *value),
                                empty)
      .getResult(0);
}

Value Decomposition::constant(OpBuilder &builder, double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

OpFoldResult Decomposition::sizeOf(Value tensor, int64_t dim) {
  return tensor::getMixedSize(rewriter, loc, tensor, dim);
}

double Decomposition::lowest() { return std::numeric_limits<float>::lowest(); }

Value Decomposition::larger(OpBuilder &b, Location loc, ValueRange args) {
  Value greater = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                        args[0], args[1]);
  return arith::SelectOp::create(b, loc, greater, args[0], args[1]);
}

Value Decomposition::product(OpBuilder &b, Location loc, ValueRange args) {
  return arith::MulFOp::create(b, loc, args[0], args[1]);
}

Value Decomposition::sum(OpBuilder &b, Location loc, ValueRange args) {
  return arith::AddFOp::create(b, loc, args[1], args[0]);
}

Value Decomposition::exponential(OpBuilder &b, Location loc, ValueRange args) {
  Value shifted = arith::SubFOp::create(b, loc, args[0], args[1]);
  return math::ExpOp::create(b, loc, shifted);
}

SmallVector<Value> Decomposition::emit() {
  Value combined = emitCombined(emitRawScores(emitProducts()));
  Value weights = emitWeights(emitScores(emitPremix(combined)));
  if (op.hasPostmix())
    weights = emitPostmix(weights);
  SmallVector<Value> results = {emitPool(weights)};
  if (op.getWeights())
    results.push_back(weights);
  if (op.getLse())
    results.push_back(lse);
  for (auto [value, result] : llvm::zip_equal(results, op->getResults()))
    if (value.getType() != result.getType())
      value = tensor::CastOp::create(rewriter, loc, result.getType(), value);
  return results;
}
