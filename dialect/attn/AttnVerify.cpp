// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies attention ops: constraints C1 to C28 of AttnOps.td.

#include "dialect/attn/ScoreMod.h"
#include "dialect/attn/VerifyShapes.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;
using namespace mixattn::detail;

/// C1, C3, C4 and C6: how the value fits.
static LogicalResult verifyValue(AttentionOpInterface op) {
  Party value{"value", op.getValue()};
  OperandDim batch = op.getBatchDim(), keys = op.getKeysDim();
  Party first{op.getQuery() ? "query" : "given_scores", batch.value};
  Party second{op.getKey() ? "key" : "given_scores",
               op.getKey() ? op.getKey() : keys.value};
  unsigned keyLength = op.getKey() ? op.getKeyType().getRank() - 2 : 3;
  int64_t heads = op.getNumHeads();
  StringRef of = op.hasPremix() ? "the result" : "'query'";
  return success(
      succeeded(verifyStatic(op, value, 1, "heads")) &&
      succeeded(verifyStatic(op, value, 3, "features")) &&
      succeeded(verifyDimsAgree(op, "batch", first, 0, value, 0)) &&
      succeeded(verifyDimsAgree(op, "batch", second, 0, value, 0)) &&
      succeeded(verifyDimsAgree(op, "length", second, keyLength, value, 2)) &&
      (ShapedType::isDynamic(heads) ||
       succeeded(verifyHeadsDivide(op, value, of, heads, first))));
}

/// C24: projections of the lengths of keys and values.
static LogicalResult verifyProjections(AttentionOpInterface op) {
  Value ofKeys = op.getKeyProjection(), ofValues = op.getValueProjection();
  if (!ofKeys != !ofValues)
    return op->emitOpError("expected 'key_projection' and 'value_projection' "
                           "together or not at all");
  if (!ofKeys)
    return success();
  if (op.hasComponents() || op.getKeyTerm() || op.getLengths() ||
      op.getCausal() || op.getBand() || op.getKeep())
    return op->emitOpError(
        "expected projected keys without components, 'key_term', 'lengths', "
        "'causal', 'band' and 'keep'");
  Party first{"key_projection", ofKeys}, second{"value_projection", ofValues};
  if (failed(verifyStatic(op, first, 0, "rows")))
    return failure();
  int64_t length = OperandDim{op.getKey(), 2}.size();
  int64_t rows = first.type().getDimSize(0);
  return success(succeeded(verifyShape(op, first, {rows, length})) &&
                 succeeded(verifyShape(op, second, {rows, length})));
}

/// C26: a place of queries that something asks for.
static LogicalResult verifyStart(AttentionOpInterface op) {
  if (!op.getStart() || op.getCausal() || op.getBand() || op.getKeep())
    return success();
  return op->emitOpError(
      "expected 'from' with 'causal', 'band' or 'keep', but got none of them");
}

/// C25: noise in what the mixer of scores reads.
static LogicalResult verifyNoise(AttentionOpInterface op,
                                 ArrayRef<int64_t> scores) {
  Value noise = op.getNoise(), seed = op.getSeed();
  if (!op.getNoiseKind() && !op.getSigma() && !noise && !seed &&
      !op.getOffset())
    return success();
  if (!op.getNoiseKind() || !op.getSigma())
    return op->emitOpError("expected 'noise' and a sigma with 'drawn' or "
                           "'philox'");
  if (!noise == !seed || !seed != !op.getOffset())
    return op->emitOpError("expected noise that is either drawn or from "
                           "philox");
  bool isLocal = op.getNoiseKind() == NoiseKind::Local;
  if (!op.hasPremix() || (isLocal && !op.getPremixer()))
    return op->emitOpError("expected noise with a mixer of scores, and local "
                           "noise with a linear one");
  int64_t queryHeads = op.getNumQueryHeads();
  if (failed(verifyShape(op, {"sigma", op.getSigma()}, {queryHeads})))
    return failure();
  if (!noise)
    return success();
  SmallVector<int64_t> shape(scores);
  if (!isLocal)
    shape[1] = queryHeads;
  return verifyShape(op, {"noise", noise}, shape);
}

/// C7, C8 and C10: the clauses.
static LogicalResult verifyClauses(AttentionOpInterface op,
                                   ArrayRef<int64_t> scores) {
  // C7
  if (std::optional<APFloat> scale = op.getScale();
      scale && !std::isfinite(float(scale->convertToDouble())))
    return op->emitOpError("expected 'scale' to be finite in f32");
  // C8
  if (Value bias = op.getBias())
    if (failed(verifyBroadcast(op, {"bias", bias}, scores)))
      return failure();
  if (Value mask = op.getMask())
    if (failed(verifyBroadcast(op, {"mask", mask}, scores)))
      return failure();
  // C10
  return verifyScoreMod(op);
}

/// C16 to C18: the mixer before the softmax.
static LogicalResult verifyPremix(AttentionOpInterface op) {
  int64_t queryHeads = op.getNumQueryHeads(), heads = op.getNumHeads();
  // C17
  if (failed(verifyMlp(op, op.getW1(), op.getB1(), op.getW2(), op.getB2(),
                       queryHeads, heads)))
    return failure();
  // C18
  if (op.getReluPerKey() && !op.getPremixer())
    return op->emitOpError("expected 'relu_per_key' with a linear mixer");
  if (!op.hasPremix())
    return success();
  if (ShapedType::isDynamic(heads) || heads == 0)
    return op->emitOpError("expected a mixer of scores to have one column or "
                           "more, and a static number of them");
  // C16
  Value mixer = op.getPremixer();
  if (!mixer)
    return success();
  Party party{"premixer", mixer};
  if (party.type().getRank() == 1)
    return verifyShape(op, party, {queryHeads});
  return verifyShape(op, party, {queryHeads, heads});
}

/// C19 and C20: the mixer after the softmax.
static LogicalResult verifyPostmix(AttentionOpInterface op,
                                   ArrayRef<int64_t> scores) {
  int64_t heads = scores[1];
  // C19
  if (Value mixer = op.getMixer())
    if (failed(verifyShape(op, {"mixer", mixer}, {heads, heads})))
      return failure();
  // C20
  Value source = op.getMixSource();
  Value weight = op.getMixWeight(), bias = op.getMixBias();
  if (!source != !weight || !source != !bias)
    return op->emitOpError("expected 'mix_source', 'mix_weight' and 'mix_bias' "
                           "together or not at all");
  if (!source)
    return success();
  int64_t features = cast<RankedTensorType>(source.getType()).getDimSize(3);
  if (ShapedType::isDynamic(features)) {
    InFlightDiagnostic error =
        op->emitOpError("expected 'mix_source' to have static features");
    return noteDefinition(error, {"mix_source", source});
  }
  return success(
      succeeded(verifyShape(op, {"mix_source", source},
                            {scores[0], heads, scores[2], features})) &&
      succeeded(verifyShape(op, {"mix_weight", weight}, {features, heads})) &&
      succeeded(verifyShape(op, {"mix_bias", bias}, {heads, heads})));
}

/// Everything that all attention ops have in common; C11 is checked through
/// InferTypeOpInterface.
static LogicalResult verifyAttention(AttentionOpInterface op) {
  if (failed(verifyScores(op)) || failed(verifyValue(op)) ||
      failed(verifyPremix(op)) || failed(verifyProjections(op)) ||
      failed(verifyStart(op)))
    return failure();
  // C15
  if (op.getMaximum() && (!op.hasComponents() || op.getPrior()))
    return op->emitOpError(
        "expected 'maximum' over components and without 'prior'");
  SmallVector<int64_t> scores = {op.getBatchDim().size(), op.getNumHeads(),
                                 op.getQueriesDim().size(),
                                 op.getKeysDim().size()};
  return success(succeeded(verifyClauses(op, scores)) &&
                 succeeded(verifyNoise(op, scores)) &&
                 succeeded(verifyPostmix(op, scores)));
}

LogicalResult SoftmaxOp::verify() {
  // C21
  if (getGaussian() && getScale())
    return emitOpError("expected 'gaussian' without 'scale'");
  return verifyAttention(cast<AttentionOpInterface>(getOperation()));
}

LogicalResult MixtureOfKeysOp::verify() {
  auto attention = cast<AttentionOpInterface>(getOperation());
  // C21
  if (!attention.hasComponents())
    return emitOpError("expected keys with components, or 'shifts'");
  return verifyAttention(attention);
}

LogicalResult AdmixtureHeadsOp::verify() {
  // C21
  if (!getPremixer() == !getW1())
    return emitOpError("expected one of 'mixer' and 'mlp'");
  return verifyAttention(cast<AttentionOpInterface>(getOperation()));
}

LogicalResult MixHeadsOp::verify() {
  // C21
  if (!getMixer() == !getMixSource())
    return emitOpError("expected one of 'mixer' and 'mixer_by_row'");
  return verifyAttention(cast<AttentionOpInterface>(getOperation()));
}

/// C21: given scores are all that there is of queries and keys.
static LogicalResult verifyGivenScores(GenericOp op) {
  if (!op.getQuery() == !op.getGivenScores() || !op.getQuery() != !op.getKey())
    return op.emitOpError("expected either 'scores' or 'given'");
  if (!op.getGivenScores())
    return success();
  if (op.getKeyProjection() || op.getShifts() || op.getGaussian() ||
      op.getVariances() || op.getQueryTerm() || op.getKeyTerm() ||
      op.getMaximum() || op.getPrior())
    return op.emitOpError("expected given scores without projections, "
                          "components and terms");
  return verifyStatic(op, {"given_scores", op.getGivenScores()}, 1, "heads");
}

/// C28: factors are made of terms.
static LogicalResult verifyFactors(GenericOp op) {
  if (!op.getQueryFactors() && !op.getKeyFactors())
    return success();
  auto fit = [](Value factors, Value term) {
    auto type = factors ? cast<RankedTensorType>(factors.getType())
                        : RankedTensorType();
    auto of =
        term ? cast<RankedTensorType>(term.getType()) : RankedTensorType();
    return type && of && of.getRank() == 4 &&
           type.getDimSize(2) == of.getDimSize(2) + 1;
  };
  if (fit(op.getQueryFactors(), op.getQueryTerm()) &&
      fit(op.getKeyFactors(), op.getKeyTerm()))
    return success();
  return op.emitOpError("expected 'factors' with 'query_term' and 'key_term' "
                        "over components, of one row more than these");
}

LogicalResult GenericOp::verify() {
  // C21
  if (failed(verifyGivenScores(*this)))
    return failure();
  if (failed(verifyFactors(*this)))
    return failure();
  if (getPremixer() && getW1())
    return emitOpError("expected 'premix' or 'premix_mlp', but got both");
  if (getMixer() && getMixSource())
    return emitOpError("expected 'postmix' or 'postmix_by_row', but got both");
  // C26
  if (getBase2() && getSigsoftmax())
    return emitOpError("expected 'base2' without 'sigsoftmax'");
  // C27
  Type result = getElementTypeOrSelf(getResult());
  Type value = getElementTypeOrSelf(getValue());
  if (result != value && !result.isF32() &&
      !isa_and_present<KernelOp>(getOperation()->getParentOp()))
    return emitOpError("expected a result of the values' type or of f32, but "
                       "got ")
           << result;
  return verifyAttention(cast<AttentionOpInterface>(getOperation()));
}
