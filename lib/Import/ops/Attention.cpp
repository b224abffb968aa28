// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scaled_dot_product_attention as products and a softmax.
#include "lib/Import/ops/Attention.h"

#include "lib/Import/ops/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

Built mixattn::repeatHeads(GraphBuilder &build, const Built &tensor,
                           const SizePolynomial &heads) {
  int64_t dim = tensor.rank() - 3;
  std::optional<int64_t> all = heads.asNumber();
  std::optional<int64_t> own =
      dim < 0 ? std::nullopt : tensor.sizes[dim].asNumber();
  if (!all || !own || !*own || *all % *own)
    return build.fail(makeError("expected heads of queries that heads of keys "
                                "divide, but got {} and shape {}",
                                heads.toText(), toText(tensor.sizes)));
  if (*all == *own)
    return tensor;
  SizeList sizes = tensor.sizes;
  sizes.insert(sizes.begin() + dim + 1, 1);
  Built apart = build.reshape(tensor, sizes);
  sizes[dim + 1] = *all / *own;
  Built copies = build.pointwise(
      tensor.dtype, sizes, apart,
      [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; });
  sizes.erase(sizes.begin() + dim);
  sizes[dim] = heads;
  return build.reshape(copies, sizes);
}

Built mixattn::visibleKeys(GraphBuilder &build, const SizePolynomial &queries,
                           const SizePolynomial &keys,
                           const SizePolynomial &offset, int64_t left,
                           int64_t right) {
  Value shift = offset.isZero() ? Value() : build.indexOf(offset);
  return build.generated(
      DType::I1, {queries, keys},
      [=](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        Value own = indices[0], key = indices[1], isSeen;
        if (shift)
          own = arith::AddIOp::create(b, loc, own, shift);
        auto within = [&](Value first, Value last, int64_t places) {
          if (places > 0) {
            Value more = arith::ConstantIndexOp::create(b, loc, places);
            last = arith::AddIOp::create(b, loc, last, more);
          }
          Value holds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                              first, last);
          isSeen = isSeen ? Value(arith::AndIOp::create(b, loc, isSeen, holds))
                          : holds;
        };
        if (right >= 0)
          within(key, own, right);
        if (left >= 0)
          within(own, key, left);
        return isSeen;
      });
}

Value mixattn::capped(OpBuilder &b, Location loc, Value x, double cap) {
  Value most = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(cast<FloatType>(x.getType()), cap));
  Value ratio = arith::DivFOp::create(b, loc, x, most);
  Value bent = math::TanhOp::create(b, loc, ratio);
  return arith::MulFOp::create(b, loc, bent, most);
}

Built mixattn::modifyScores(GraphBuilder &build, const Built &scores,
                            double scale, double softcap,
                            ArrayRef<Built> masks) {
  std::vector<Built> operands = {scores};
  for (const Built &mask : masks)
    operands.push_back(
        mask.dtype == DType::I1 ? mask : build.convert(mask, scores.dtype));
  return build.pointwise(
      scores.dtype, scores.sizes, operands,
      [=](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        auto type = cast<FloatType>(numbers[0].getType());
        Value factor =
            arith::ConstantOp::create(b, loc, b.getFloatAttr(type, scale));
        Value score = arith::MulFOp::create(b, loc, numbers[0], factor);
        if (softcap != 0)
          score = capped(b, loc, score, softcap);
        for (Value mask : numbers.drop_front()) {
          if (isa<FloatType>(mask.getType())) {
            score = arith::AddFOp::create(b, loc, score, mask);
            continue;
          }
          Value hidden = arith::ConstantOp::create(
              b, loc,
              b.getFloatAttr(
                  type, llvm::APFloat::getInf(type.getFloatSemantics(), true)));
          score = arith::SelectOp::create(b, loc, mask, score, hidden);
        }
        return score;
      });
}

/// Batch and heads as letters, then a matrix.
static std::string lettersOf(const Built &tensor, StringRef matrix) {
  std::string letters;
  for (int64_t dim = 0; dim + 2 < tensor.rank(); ++dim)
    letters += static_cast<char>('a' + dim);
  return letters + matrix.str();
}

Built mixattn::scoresOf(GraphBuilder &build, const Built &query,
                        const Built &key) {
  if (!query || !key)
    return {};
  // Scores of 16-bit floats are not rounded before they are normalised.
  DType wide = computedAs(query.dtype);
  return build.contract(build.convert(query, wide), lettersOf(query, "MD"),
                        build.convert(key, wide), lettersOf(key, "ND"),
                        lettersOf(query, "MN"));
}

Built mixattn::poolValues(GraphBuilder &build, const Built &weights,
                          const Built &value) {
  if (!weights || !value)
    return {};
  Built result = build.contract(
      weights, lettersOf(weights, "MN"), build.convert(value, weights.dtype),
      lettersOf(value, "ND"), lettersOf(weights, "MD"));
  return build.convert(result, value.dtype);
}

bool mixattn::areFloats(OpCall &op, const Built &query, const Built &key,
                        const Built &value) {
  if (isFloat(query.dtype) && isFloat(key.dtype) && isFloat(value.dtype))
    return true;
  op.build.fail(makeError(
      "expected queries, keys and values of floats, but got {}, {} and {}",
      nameOf(query.dtype), nameOf(key.dtype), nameOf(value.dtype)));
  return false;
}

static void scaledDotProduct(OpCall &op) {
  DType dtype = op.floatType();
  Built q = op.tensor("query"), k = op.tensor("key"), v = op.tensor("value");
  Built mask = op.has("attn_mask") ? op.tensor("attn_mask") : Built();
  bool isCausal = op.flag("is_causal", false);
  bool isGrouped = op.flag("enable_gqa", false);
  if (op.number("dropout_p", 0) != 0)
    op.build.fail(makeError("expected a model that was exported for "
                            "inference, but got dropout"));
  if (!q || !k || !v)
    return;
  if (q.rank() < 2 || q.rank() > 16 || k.rank() != q.rank() ||
      v.rank() != q.rank()) {
    op.build.fail(makeError("expected queries, keys and values of one rank, "
                            "but got shapes {}, {} and {}",
                            toText(q.sizes), toText(k.sizes), toText(v.sizes)));
    return;
  }
  if (!areFloats(op, q, k, v))
    return;
  int64_t rank = q.rank();
  std::optional<int64_t> features = q.sizes[rank - 1].asNumber();
  double scale = op.number("scale", features ? 1 / std::sqrt(*features) : 0);
  if (!op.has("scale") && !features)
    op.build.fail(makeError("expected queries whose number of features is "
                            "known, but got {}",
                            toText(q.sizes)));
  if (isGrouped && rank > 2) {
    k = repeatHeads(op.build, k, q.sizes[rank - 3]);
    v = repeatHeads(op.build, v, q.sizes[rank - 3]);
  }
  if (isCausal && mask)
    op.build.fail(makeError("expected is_causal or attn_mask, but got both"));
  // Whatever the number of keys, as many as its own place from the start.
  if (isCausal && k)
    mask =
        visibleKeys(op.build, q.sizes[rank - 2], k.sizes[rank - 2], 0, -1, 0);
  Built scores = scoresOf(op.build, q, k);
  if (!scores)
    return;
  ArrayRef<Built> masks(&mask, mask ? 1 : 0);
  Built weights = op.build.softmax(
      modifyScores(op.build, scores, scale, 0, masks), rank - 1);
  op.give(op.build.convert(poolValues(op.build, weights, v), dtype));
}

void mixattn::addAttention(OpTable &table) {
  table["aten.scaled_dot_product_attention"] = scaledDotProduct;
}
