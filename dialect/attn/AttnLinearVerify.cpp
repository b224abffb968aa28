// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies linear attention ops: constraints C1 to C15 of AttnLinearOps.td.

#include "dialect/attn/OperandConditions.h"
#include "dialect/attn/VerifyShapes.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;
using namespace mixattn::detail;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// C1 to C6: how query, key and value fit.
static LogicalResult verifySequences(LinearAttentionOpInterface op) {
  Party query{"query", op.getQuery()}, key{"key", op.getKey()},
      value{"value", op.getValue()};
  for (const Party &party : {query, key, value})
    if (failed(verifyStatic(op, party, 1, "heads")) ||
        failed(verifyStatic(op, party, party.type().getRank() - 1, "features")))
      return failure();
  unsigned keyLength = op.getKeysDim().dim, keyFeatures = keyLength + 1;
  if (failed(verifyElementTypes(op, query, key)) ||
      failed(verifyDimsAgree(op, "batch", query, 0, key, 0)) ||
      failed(verifyDimsAgree(op, "batch", query, 0, value, 0)) ||
      failed(verifyDimsAgree(op, "batch", key, 0, value, 0)) ||
      failed(verifyDimsAgree(op, "length", key, keyLength, value, 2)) ||
      failed(verifyDimsAgree(op, "feature size", query, 3, key, keyFeatures)) ||
      failed(
          verifyHeadsDivide(op, value, "'key'", key.type().getDimSize(1), key)))
    return failure();
  return success(op.hasPremix() ||
                 succeeded(verifyHeadsDivide(op, key, "'query'",
                                             op.getNumHeads(), query)));
}

// C7
LogicalResult mixattn::detail::verifyQuotient(LinearReadsOpInterface op) {
  auto isFinite = [](const APFloat &number) {
    return std::isfinite(float(number.convertToDouble()));
  };
  if (!isFinite(op.getEps()) || op.getEps().convertToDouble() < 0)
    return op->emitOpError(
        "expected 'eps' to be finite in f32 and not negative");
  if (!isFinite(op.getOutputScale()))
    return op->emitOpError("expected 'output_scale' to be finite in f32");
  return success();
}

// C9
LogicalResult mixattn::detail::verifyFeatures(FeatureOpInterface op,
                                              int64_t inputs) {
  std::optional<FeatureMapAttr> map = op.getFeatureMap();
  bool projects = map && map->getKind() == FeatureKind::Favor;
  Value projection = op.getProjection();
  if (projects != bool(projection))
    return op->emitOpError("expected a projection 'favor' with the feature map "
                           "favor, and only there");
  if (!projection)
    return success();
  Party party{"projection", projection};
  if (failed(verifyStatic(op, party, 1, "columns")))
    return failure();
  return verifyShape(op, party, {inputs, party.type().getDimSize(1)});
}

/// C11 and C12: components.
static LogicalResult verifyComponents(LinearKeysOpInterface op) {
  int64_t components = op.getNumComponents();
  if (ShapedType::isDynamic(components) || components == 0)
    return op->emitOpError("expected one component or more, and a static "
                           "number of them");
  // C11
  if (Value shifts = op.getShifts()) {
    if (op.getKeyType().getRank() == 5) {
      InFlightDiagnostic error =
          op->emitOpError("expected 'shifts' only for keys without components");
      return noteDefinition(error, {"key", op.getKey()});
    }
    if (failed(verifyShape(op, {"shifts", shifts},
                           {op.getNumKeyHeads(), components,
                            op.getKeyType().getShape().back()})))
      return failure();
  }
  // C12
  Value prior = op.getPrior();
  if (!prior)
    return success();
  if (!op.hasComponents())
    return op->emitOpError("expected 'prior' over components");
  SmallVector<int64_t> shape = {op.getNumKeyHeads(), components,
                                op.getKeysDim().size()};
  shape.resize(typeOf(prior).getRank());
  return verifyShape(op, {"prior", prior}, shape);
}

LogicalResult mixattn::detail::verifyStateKeys(LinearKeysOpInterface op) {
  Party key{"key", op.getKey()}, value{"value", op.getValue()};
  for (const Party &party : {key, value})
    if (failed(verifyStatic(op, party, 1, "heads")) ||
        failed(verifyStatic(op, party, party.type().getRank() - 1, "features")))
      return failure();
  unsigned length = op.getKeysDim().dim;
  if (failed(verifyDimsAgree(op, "batch", key, 0, value, 0)) ||
      failed(verifyDimsAgree(op, "length", key, length, value, 2)) ||
      failed(verifyHeadsDivide(op, value, "'key'", op.getNumKeyHeads(), key)))
    return failure();
  if (Value lengths = op.getLengths())
    if (failed(verifyShape(op, {"lengths", lengths},
                           {op.getKeyType().getDimSize(0)})))
      return failure();
  return success(succeeded(verifyFeatures(op, key.type().getShape().back())) &&
                 succeeded(verifyComponents(op)));
}

/// C13 and C14: the mixer of states.
static LogicalResult verifyMixer(LinearAttentionOpInterface op) {
  int64_t sources = op.getNumKeyHeads(), heads = op.getNumHeads();
  // C13
  if (Value mixer = op.getPremixer())
    if (failed(verifyShape(op, {"premixer", mixer}, {sources, heads})))
      return failure();
  // C14
  Value normaliser = op.getNormaliser();
  if (failed(verifyMlp(op, op.getW1(), op.getB1(), op.getW2(), op.getB2(),
                       sources, heads)))
    return failure();
  if (!op.getW1() != !normaliser)
    return op->emitOpError("expected 'normaliser' with an MLP, and only there");
  if (!normaliser)
    return success();
  return verifyShape(op, {"normaliser", normaliser}, {sources, heads});
}

/// Everything that linear attention ops have in common; C10 is checked through
/// InferTypeOpInterface.
static LogicalResult verifyLinear(LinearAttentionOpInterface op) {
  if (failed(verifySequences(op)) || failed(verifyQuotient(op)))
    return failure();
  // C8
  if (Value lengths = op.getLengths())
    if (failed(
            verifyShape(op, {"lengths", lengths}, {op.getBatchDim().size()})))
      return failure();
  return success(
      succeeded(verifyFeatures(op, op.getQueryType().getDimSize(3))) &&
      succeeded(verifyComponents(op)) && succeeded(verifyMixer(op)));
}

LogicalResult LinearOp::verify() { return verifyLinear(*this); }

LogicalResult LinearMixtureOfKeysOp::verify() {
  LinearAttentionOpInterface linear = *this;
  // C15
  if (!linear.hasComponents())
    return emitOpError("expected keys with components, or 'shifts'");
  return verifyLinear(linear);
}

LogicalResult LinearAdmixtureHeadsOp::verify() {
  // C15
  if (!getPremixer() == !getW1())
    return emitOpError("expected one of 'mixer' and 'mlp'");
  return verifyLinear(*this);
}

LogicalResult LinearGenericOp::verify() {
  // C15
  if (getPremixer() && getW1())
    return emitOpError("expected 'premix' or 'premix_mlp', but got both");
  return verifyLinear(*this);
}
