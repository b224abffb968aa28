// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's Attention, opsets 23 to 25, and RotaryEmbedding.
#include "lib/Import/ops/Attention.h"
#include "lib/Import/ops/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

/// [B, N, H D] as [B, H, N, D]; what has four dims already as it is.
static Built headsApart(OpCall &op, const Built &tensor, int64_t heads) {
  if (!tensor || tensor.rank() == 4)
    return tensor;
  if (tensor.rank() != 3 || heads < 1)
    return op.build.fail(makeError("expected tensors of four dims, or of three "
                                   "with a number of heads, but got shape {} "
                                   "and {} heads",
                                   toText(tensor.sizes), heads));
  SizePolynomial features = tensor.sizes[2].dividedBy(heads);
  if (!features.isKnown())
    return op.build.fail(makeError("expected features that {} heads divide, "
                                   "but got shape {}",
                                   heads, toText(tensor.sizes)));
  Built apart = op.build.reshape(
      tensor, {tensor.sizes[0], tensor.sizes[1], heads, features});
  return op.build.transpose(apart, {0, 2, 1, 3});
}

/// [B, H, N, D] as [B, N, H D].
static Built headsTogether(GraphBuilder &build, const Built &tensor) {
  if (!tensor)
    return {};
  Built turned = build.transpose(tensor, {0, 2, 1, 3});
  const SizeList &sizes = turned.sizes;
  return build.reshape(turned, {sizes[0], sizes[1], sizes[2] * sizes[3]});
}

/// The keys of a batch's item that count: as many as `counts` says, and those
/// around a query's place, which is as far from the end of them as it is from
/// the end of the queries.
static Built countedKeys(OpCall &op, const Built &counts,
                         const SizePolynomial &queries,
                         const SizePolynomial &keys, int64_t left,
                         int64_t right) {
  GraphBuilder &build = op.build;
  if (!counts || counts.rank() != 1 || counts.dtype != DType::I64)
    return build.fail(makeError("expected a number of keys as i64 for each "
                                "item of the batch, but got {} of shape {}",
                                nameOf(counts.dtype), toText(counts.sizes)));
  Built each = build.reshape(counts, {counts.sizes[0], 1, 1, 1});
  auto places = [&](const SizeList &sizes, int64_t dim) {
    return build.generated(
        DType::I64, sizes,
        [dim](OpBuilder &b, Location loc, ValueRange indices) -> Value {
          return arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                            indices[dim]);
        });
  };
  return build.pointwise(
      DType::I1, {counts.sizes[0], 1, queries, keys},
      {each, places({queries, 1}, 0), places({keys}, 0), build.number(queries)},
      [=](OpBuilder &b, Location loc, ValueRange x) -> Value {
        using P = arith::CmpIPredicate;
        auto holds = [&](P predicate, Value first, Value last) -> Value {
          return arith::CmpIOp::create(b, loc, predicate, first, last);
        };
        auto plus = [&](Value place, int64_t more) -> Value {
          Value number =
              arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(more));
          return arith::AddIOp::create(b, loc, place, number);
        };
        Value own = arith::AddIOp::create(
            b, loc, x[1],
            arith::SubIOp::create(b, loc, x[0], x[3]).getResult());
        Value isSeen = holds(P::slt, x[2], x[0]);
        if (right >= 0)
          isSeen = arith::AndIOp::create(b, loc, isSeen,
                                         holds(P::sle, x[2], plus(own, right)));
        if (left >= 0)
          isSeen = arith::AndIOp::create(b, loc, isSeen,
                                         holds(P::sle, own, plus(x[2], left)));
        return isSeen;
      });
}

/// A mask with keys at its end that it does not show.
static Built paddedMask(GraphBuilder &build, const Built &mask,
                        const SizePolynomial &keys) {
  if (!mask || !mask.rank() || mask.sizes.back() == keys)
    return mask;
  SizeList sizes = mask.sizes;
  std::optional<int64_t> missing = (keys - sizes.back()).asNumber();
  if (!missing || *missing < 0 || sizes.back() == SizePolynomial(1))
    return mask;
  sizes.back() = *missing;
  double hidden =
      mask.dtype == DType::I1 ? 0 : -std::numeric_limits<double>::infinity();
  return build.concatenate({mask, build.filled(mask.dtype, sizes, hidden)},
                           mask.rank() - 1);
}

/// Weights that are 0 where a query sees no key.
static Built zeroUnseen(GraphBuilder &build, const Built &weights,
                        const Built &scores) {
  if (!weights || !scores)
    return {};
  int64_t last = scores.rank() - 1;
  Built largest = build.withOnes(build.extreme(scores, last, true), last);
  return build.pointwise(
      weights.dtype, weights.sizes, {weights, largest},
      [](OpBuilder &b, Location loc, ValueRange x) -> Value {
        auto type = cast<FloatType>(x[0].getType());
        Value hidden = arith::ConstantOp::create(
            b, loc,
            b.getFloatAttr(
                type, llvm::APFloat::getInf(type.getFloatSemantics(), true)));
        Value isUnseen = arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::OEQ, x[1], hidden);
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
        return arith::SelectOp::create(b, loc, isUnseen, zero, x[0]);
      });
}

/// The fourth result: scores without a cap, with it, with masks as
/// well, or weights.
static void giveScores(OpCall &op, int64_t mode, double scale, double softcap,
                       const Built &scores, const Built &masked,
                       const Built &weights) {
  Built given = mode == 3   ? weights
                : mode == 2 ? masked
                            : modifyScores(op.build, scores, scale,
                                           mode == 1 ? softcap : 0, {});
  if (mode < 0 || mode > 3)
    op.build.fail(makeError("expected scores of a step from 0 to 3 as a "
                            "result, but got {}",
                            mode));
  op.give(op.build.convert(given, op.result().dtype), 3);
}

static void attention(OpCall &op) {
  DType dtype = op.floatType();
  Built q = op.tensor("query"), k = op.tensor("key"), v = op.tensor("value");
  bool isFlat = q.rank() == 3;
  q = headsApart(op, q, op.integer("q_num_heads", 0));
  int64_t keyHeads = op.integer("kv_num_heads", 0);
  k = headsApart(op, k, keyHeads);
  v = headsApart(op, v, keyHeads);
  SizePolynomial offset;
  if (op.has("past_key") || op.has("past_value")) {
    Built past = op.tensor("past_key");
    offset = past.rank() == 4 ? past.sizes[2] : SizePolynomial();
    k = op.build.concatenate({past, k}, 2);
    v = op.build.concatenate({op.tensor("past_value"), v}, 2);
  }
  op.give(k, 1);
  op.give(v, 2);
  if (!q || !k || !v || !areFloats(op, q, k, v))
    return;
  std::optional<int64_t> features = q.sizes[3].asNumber();
  double scale = op.number("scale", features ? 1 / std::sqrt(*features) : 0);
  if (!op.has("scale") && !features)
    op.build.fail(makeError("expected queries whose number of features is "
                            "known, but got {}",
                            toText(q.sizes)));
  int64_t right = op.integer("right_window_size", -1),
          left = op.integer("left_window_size", -1);
  if (op.flag("is_causal", false))
    right = 0;
  // Softmax is computed in f32 at least.
  constexpr int64_t ofDoubles = 11;
  bool isDouble = op.integer("softmax_precision", 1) == ofDoubles;
  double softcap = op.number("softcap", 0);
  std::vector<Built> masks;
  if (op.has("attn_mask"))
    masks.push_back(paddedMask(op.build, op.tensor("attn_mask"), k.sizes[2]));
  if (op.has("nonpad_kv_seqlen"))
    masks.push_back(countedKeys(op, op.tensor("nonpad_kv_seqlen"), q.sizes[2],
                                k.sizes[2], left, right));
  bool mayHideAll = !masks.empty() || left >= 0;
  if (!op.has("nonpad_kv_seqlen") && (left >= 0 || right >= 0))
    masks.push_back(
        visibleKeys(op.build, q.sizes[2], k.sizes[2], offset, left, right));
  k = repeatHeads(op.build, k, q.sizes[1]);
  v = repeatHeads(op.build, v, q.sizes[1]);
  Built scores = scoresOf(op.build, q, k);
  if (!scores)
    return;
  Built masked = modifyScores(op.build, scores, scale, softcap, masks);
  if (isDouble)
    masked = op.build.convert(masked, DType::F64);
  Built weights = op.build.softmax(masked, 3);
  if (mayHideAll)
    weights = zeroUnseen(op.build, weights, masked);
  weights = op.build.convert(weights, scores.dtype);
  int64_t mode = op.integer("qk_matmul_output_mode", 0);
  if (op.numResults() > 3)
    giveScores(op, mode, scale, softcap, scores, masked, weights);
  Built result = op.build.convert(poolValues(op.build, weights, v), dtype);
  op.give(isFlat ? headsTogether(op.build, result) : result);
}

/// Pairs of features turned by the angles of their positions, whose cosines and
/// sines are given.
static void rotaryEmbedding(OpCall &op) {
  GraphBuilder &build = op.build;
  Built x = op.build.convert(op.tensor("self"), op.floatType());
  bool isFlat = x.rank() == 3;
  x = headsApart(op, x, op.integer("num_heads", 0));
  Built cosine = op.tensor("cos"), sine = op.tensor("sin");
  if (op.has("position_ids")) {
    Built positions = op.tensor("position_ids");
    cosine = pickRows(op, cosine, 0, positions);
    sine = pickRows(op, sine, 0, positions);
  }
  bool isInterleaved = op.flag("interleaved", false);
  int64_t turned = op.integer("rotary_embedding_dim", 0);
  if (!x || !cosine || !sine)
    return;
  SizePolynomial all = x.sizes[3];
  SizePolynomial part = turned ? SizePolynomial(turned) : all;
  SizePolynomial half = part.dividedBy(2), rest = all - part;
  if (!half.isKnown() || rest.asNumber().value_or(-1) < 0 ||
      cosine.rank() != 3 || sine.sizes != cosine.sizes ||
      !(cosine.sizes[2] == half))
    return void(build.fail(makeError(
        "expected cosines and sines of half the features to turn, but got "
        "shapes {}, {} and {}",
        toText(x.sizes), toText(cosine.sizes), toText(sine.sizes))));
  // Every second feature, or the first and the second half.
  auto halfOf = [&](int64_t which) {
    return isInterleaved
               ? build.slice(x, 3, which, half, 2)
               : build.slice(x, 3, which ? half : SizePolynomial(), half);
  };
  Built first = halfOf(0), second = halfOf(1);
  Built c = build.withOnes(cosine, 1), s = build.withOnes(sine, 1);
  auto combined = [&](const Built &a, const Built &b, bool isSum) {
    return combine(build, {c, a, s, b}, x.dtype, x.dtype,
                   [isSum](OpBuilder &b, Location loc, ValueRange n) -> Value {
                     Value p = arith::MulFOp::create(b, loc, n[0], n[1]);
                     Value q = arith::MulFOp::create(b, loc, n[2], n[3]);
                     if (isSum)
                       return arith::AddFOp::create(b, loc, p, q);
                     return arith::SubFOp::create(b, loc, p, q);
                   });
  };
  Built real = combined(first, second, false),
        imaginary = combined(second, first, true);
  if (isInterleaved) {
    real = build.withOnes(real, 4);
    imaginary = build.withOnes(imaginary, 4);
  }
  Built result = build.concatenate({real, imaginary}, isInterleaved ? 4 : 3);
  if (!result)
    return;
  SizeList sizes = x.sizes;
  sizes[3] = part;
  result = build.reshape(result, sizes);
  if (!rest.isZero())
    result = build.concatenate({result, build.slice(x, 3, part, rest)}, 3);
  op.give(isFlat ? headsTogether(build, result) : result);
}

void mixattn::addOnnxAttention(OpTable &table) {
  table["onnx.Attention"] =
      fromOnnx({"query", "key", "value", "attn_mask", "past_key", "past_value",
                "nonpad_kv_seqlen"},
               {}, attention);
  table["onnx.RotaryEmbedding"] =
      fromOnnx({"self", "cos", "sin", "position_ids"}, {}, rotaryEmbedding);
}
