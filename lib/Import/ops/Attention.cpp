// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scaled_dot_product_attention as products and a softmax.
#include "lib/Import/ops/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

/// Keys or values of fewer heads, each for as many queries' heads in a row.
static Built repeated(GraphBuilder &build, const Built &tensor,
                      const SizePolynomial &heads) {
  int64_t dim = tensor.rank() - 3;
  std::optional<int64_t> all = heads.asNumber();
  std::optional<int64_t> own =
      dim < 0 ? std::nullopt : tensor.sizes[dim].asNumber();
  if (!all || !own || *all % *own)
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

/// Which keys a query sees under is_causal: as many as its own place from the
/// start, whatever the number of keys.
static Built causal(GraphBuilder &build, const SizePolynomial &queries,
                    const SizePolynomial &keys) {
  return build.generated(
      DType::I1, {queries, keys},
      [](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                     indices[1], indices[0]);
      });
}

/// Scores in f32 or wider, scaled, biased and hidden as asked for.
static Built modified(OpCall &op, const Built &scores, double scale,
                      const Built &mask) {
  std::vector<Built> operands = {scores};
  bool isBool = mask && mask.dtype == DType::I1;
  DType wide = scores.dtype;
  if (mask)
    operands.push_back(isBool ? mask : op.build.convert(mask, wide));
  bool hasMask = bool(mask);
  return op.build.pointwise(
      wide, scores.sizes, operands,
      [=](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        auto type = cast<FloatType>(numbers[0].getType());
        Value factor =
            arith::ConstantOp::create(b, loc, b.getFloatAttr(type, scale));
        Value score = arith::MulFOp::create(b, loc, numbers[0], factor);
        if (!hasMask)
          return score;
        if (!isBool)
          return arith::AddFOp::create(b, loc, score, numbers[1]);
        Value hidden = arith::ConstantOp::create(
            b, loc,
            b.getFloatAttr(
                type, llvm::APFloat::getInf(type.getFloatSemantics(), true)));
        return arith::SelectOp::create(b, loc, numbers[1], score, hidden);
      });
}

/// Batch and heads as letters, then a matrix.
static std::string lettersOf(const Built &tensor, StringRef matrix) {
  std::string letters;
  for (int64_t dim = 0; dim + 2 < tensor.rank(); ++dim)
    letters += static_cast<char>('a' + dim);
  return letters + matrix.str();
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
  int64_t rank = q.rank();
  std::optional<int64_t> features = q.sizes[rank - 1].asNumber();
  double scale = op.number("scale", features ? 1 / std::sqrt(*features) : 0);
  if (!op.has("scale") && !features)
    op.build.fail(makeError("expected queries whose number of features is "
                            "known, but got {}",
                            toText(q.sizes)));
  if (isGrouped && rank > 2) {
    k = repeated(op.build, k, q.sizes[rank - 3]);
    v = repeated(op.build, v, q.sizes[rank - 3]);
  }
  if (isCausal && mask)
    op.build.fail(makeError("expected is_causal or attn_mask, but got both"));
  if (isCausal && k)
    mask = causal(op.build, q.sizes[rank - 2], k.sizes[rank - 2]);
  std::string rows = lettersOf(q, "MD"), columns = lettersOf(q, "ND");
  // Scores of 16-bit floats are not rounded before they are normalised.
  DType wide = computedAs(dtype);
  Built scores =
      op.build.contract(op.build.convert(q, wide), rows,
                        op.build.convert(k, wide), columns, lettersOf(q, "MN"));
  if (!scores)
    return;
  Built weights = op.build.softmax(modified(op, scores, scale, mask), rank - 1);
  Built result =
      op.build.contract(weights, lettersOf(q, "MN"), op.build.convert(v, wide),
                        columns, lettersOf(q, "MD"));
  op.give(op.build.convert(result, dtype));
}

void mixattn::addAttention(OpTable &table) {
  table["aten.scaled_dot_product_attention"] = scaledDotProduct;
}
