// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared part of the rewrites of the normal form.

#include "passes/normalize/algebra/Algebra.h"

#include "passes/body/ScoreBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

static remark::RemarkOpts optionsOf(StringRef rule, StringRef pass) {
  return remark::RemarkOpts::name(rule).category(pass);
}

LogicalResult mixattn::decline(PatternRewriter &rewriter, Operation *op,
                               StringRef rule, StringRef why, StringRef pass) {
  remark::missed(op->getLoc(), optionsOf(rule, pass))
      << remark::reason("{0}", why);
  return rewriter.notifyMatchFailure(op, why);
}

void mixattn::noteApplied(Operation *op, StringRef rule, StringRef pass) {
  remark::passed(op->getLoc(), optionsOf(rule, pass));
}

bool mixattn::isScale(double factor) { return std::isfinite(float(factor)); }

bool mixattn::isVariance(double divisor) {
  return divisor > 0 && std::isnormal(float(divisor)) &&
         std::isnormal(float(1 / divisor));
}

Value mixattn::emitScaled(PatternRewriter &rewriter, Location loc, Value value,
                          double factor) {
  auto type = cast<RankedTensorType>(value.getType());
  Value init = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, value),
      rewriter.getF32Type());
  AffineMap each = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value by = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(factor));
    Value product = arith::MulFOp::create(b, loc, toF32(b, loc, args[0]), by);
    linalg::YieldOp::create(b, loc, product);
  };
  return linalg::GenericOp::create(rewriter, loc, init.getType(), value, init,
                                   ArrayRef<AffineMap>{each, each}, loops, body)
      .getResult(0);
}

std::optional<double> mixattn::getCommonVariance(GenericOp op) {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  double first = attention.getVariance(0);
  for (int64_t r = 1; r < attention.getNumComponents(); ++r)
    if (attention.getVariance(r) != first)
      return std::nullopt;
  return first;
}

std::optional<SmallVector<SmallVector<double>>>
mixattn::getConstantRows(Value value) {
  DenseElementsAttr constant;
  if (!value || !matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  auto type = cast<RankedTensorType>(value.getType());
  int64_t columns = type.getRank() == 1 ? 1 : type.getDimSize(1);
  SmallVector<SmallVector<double>> rows(type.getDimSize(0));
  for (auto [index, element] : llvm::enumerate(constant.getValues<APFloat>())) {
    bool exact;
    element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &exact);
    rows[index / columns].push_back(element.convertToDouble());
  }
  return rows;
}

Value mixattn::gather(PatternRewriter &rewriter, Location loc, Value value,
                      int64_t dim, ArrayRef<int64_t> picked) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, value);
  sizes[dim] = rewriter.getIndexAttr(picked.size());
  Value init =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  // In memory an index has no width that all targets share.
  SmallVector<int32_t> numbers(picked.begin(), picked.end());
  auto tableType = RankedTensorType::get({static_cast<int64_t>(picked.size())},
                                         rewriter.getI32Type());
  Value table = arith::ConstantOp::create(
      rewriter, loc, DenseIntElementsAttr::get(tableType, ArrayRef(numbers)));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  AffineMap entry =
      AffineMap::get(type.getRank(), 0, {rewriter.getAffineDimExpr(dim)},
                     rewriter.getContext());
  AffineMap place = rewriter.getMultiDimIdentityMap(type.getRank());
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value entry = arith::IndexCastOp::create(b, loc, b.getIndexType(), args[0]);
    SmallVector<Value> indices;
    for (int64_t i = 0; i < type.getRank(); ++i)
      indices.push_back(i == dim ? entry : linalg::IndexOp::create(b, loc, i));
    Value element = tensor::ExtractOp::create(b, loc, value, indices);
    linalg::YieldOp::create(b, loc, element);
  };
  return linalg::GenericOp::create(rewriter, loc, init.getType(), table, init,
                                   ArrayRef<AffineMap>{entry, place}, loops,
                                   body)
      .getResult(0);
}
