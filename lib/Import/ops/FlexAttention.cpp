// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The three parts of ONNX's FlexAttention, between which its reader puts the
// graphs that modify scores and weights.
#include "lib/Import/ops/Attention.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

/// The type in which scores are normalised: f32 at least unless said otherwise.
static DType softmaxType(OpCall &op, DType dtype) {
  // The numbers of onnx.TensorProto.
  switch (op.integer("softmax_precision", 0)) {
  case 0:
    return computedAs(dtype);
  case 1:
    return DType::F32;
  case 10:
    return DType::F16;
  case 11:
    return DType::F64;
  case 16:
    return DType::BF16;
  }
  op.build.fail(makeError("expected softmax_precision to be a type of floats, "
                          "but got ONNX's type {}",
                          op.integer("softmax_precision", 0)));
  return dtype;
}

/// Scores of the products of queries and keys, times `scale`.
static void scores(OpCall &op) {
  Built q = op.tensor("first"), k = op.tensor("second");
  if (!q || !k)
    return;
  if (q.rank() != 4 || k.rank() != 4 || !isFloat(q.dtype))
    return void(op.build.fail(makeError(
        "expected queries and keys of floats and four dims, but got {} of "
        "shape {} and {} of shape {}",
        nameOf(q.dtype), toText(q.sizes), nameOf(k.dtype), toText(k.sizes))));
  std::optional<int64_t> features = q.sizes[3].asNumber();
  if (!op.has("scale") && !features)
    op.build.fail(makeError("expected queries whose number of features is "
                            "known, but got {}",
                            toText(q.sizes)));
  double scale = op.number("scale", features ? 1 / std::sqrt(*features) : 0);
  DType dtype = softmaxType(op, q.dtype);
  Built products = scoresOf(op.build, q, repeatHeads(op.build, k, q.sizes[1]));
  if (products)
    op.give(op.build.convert(modifyScores(op.build, products, scale, 0, {}),
                             dtype));
}

/// The normalised exponentials of scores.
static void weights(OpCall &op) {
  Built scores = op.tensor("first");
  if (scores && scores.rank() != 4)
    op.build.fail(makeError("expected scores of four dims, but got shape {}",
                            toText(scores.sizes)));
  op.give(op.build.softmax(scores, 3));
}

/// The sums of values that weights give, in the values' type.
static void pooled(OpCall &op) {
  Built q = op.tensor("first"), v = op.tensor("second"),
        weights = op.tensor("third");
  if (!q || !v || !weights)
    return;
  if (q.rank() < 2 || v.rank() != 4 || weights.rank() != 4)
    return void(op.build.fail(makeError(
        "expected weights and values of four dims, but got shapes {} and {}",
        toText(weights.sizes), toText(v.sizes))));
  op.give(poolValues(op.build,
                     op.build.convert(weights, computedAs(weights.dtype)),
                     repeatHeads(op.build, v, q.sizes[1])));
}

static void flexAttention(OpCall &op) {
  op.number("scale", 0);
  op.integer("softmax_precision", 0);
  if (op.overload() == "scores")
    return scores(op);
  return op.overload() == "weights" ? weights(op) : pooled(op);
}

void mixattn::addFlexAttention(OpTable &table) {
  table["onnx.FlexAttention"] =
      fromOnnx({"first", "second", "third"}, {}, flexAttention);
}
