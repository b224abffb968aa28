// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies attention ops: constraints C1 to C14 of AttnOps.td, in that order.

#include "dialect/attn/AttnOps.h"
#include "dialect/attn/ScoreMod.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// An operand and what an error calls it.
struct Party {
  StringRef name;
  Value value;

  RankedTensorType type() const {
    return cast<RankedTensorType>(value.getType());
  }
};

} // namespace

static bool sizesAgree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// Prints a shape, dynamic sizes as the IR does: [?, 8, ?, 64].
static std::string shapeText(ArrayRef<int64_t> shape) {
  auto sizeText = [](int64_t size) {
    return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  };
  return "[" + llvm::join(llvm::map_range(shape, sizeText), ", ") + "]";
}

static InFlightDiagnostic &noteDefinition(InFlightDiagnostic &error,
                                          const Party &party) {
  error.attachNote(party.value.getLoc())
      << "'" << party.name << "' defined here, of type " << party.type();
  return error;
}

/// Checks that dim `aDim` of `a` equals dim `bDim` of `b`.
static LogicalResult verifyDimsAgree(Operation *op, StringRef what,
                                     const Party &a, unsigned aDim,
                                     const Party &b, unsigned bDim) {
  int64_t aSize = a.type().getDimSize(aDim), bSize = b.type().getDimSize(bDim);
  if (sizesAgree(aSize, bSize))
    return success();
  InFlightDiagnostic error = op->emitOpError("expected '")
                             << a.name << "' and '" << b.name
                             << "' to agree on the " << what << ", but got "
                             << aSize << " and " << bSize;
  noteDefinition(noteDefinition(error, a), b);
  return error;
}

/// Checks that the shape of `party` is `shape`.
static LogicalResult verifyShape(Operation *op, const Party &party,
                                 ArrayRef<int64_t> shape) {
  bool agree = llvm::all_of(llvm::zip_equal(party.type().getShape(), shape),
                            [](auto pair) {
                              return sizesAgree(std::get<0>(pair),
                                                std::get<1>(pair));
                            });
  if (agree)
    return success();
  InFlightDiagnostic error = op->emitOpError("expected '")
                             << party.name << "' to have the shape "
                             << shapeText(shape) << ", but got "
                             << party.type();
  return noteDefinition(error, party);
}

/// Checks that `party` broadcasts from the right to `shape`.
static LogicalResult verifyBroadcast(Operation *op, const Party &party,
                                     ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> own = party.type().getShape();
  bool agree = llvm::all_of(
      llvm::zip_equal(own, shape.take_back(own.size())), [](auto pair) {
        return std::get<0>(pair) == 1 ||
               sizesAgree(std::get<0>(pair), std::get<1>(pair));
      });
  if (agree)
    return success();
  InFlightDiagnostic error =
      op->emitOpError("expected '")
      << party.name << "' to broadcast from the right to " << shapeText(shape)
      << ", but got " << party.type();
  return noteDefinition(error, party);
}

/// C1 to C6: how query, key and value fit.
static LogicalResult verifyProducts(AttentionOpInterface op, const Party &query,
                                    const Party &key, const Party &value) {
  // C1
  for (const Party &party : {query, key, value})
    for (auto [dim, what] : {std::pair(1u, "heads"), std::pair(3u, "features")})
      if (party.type().isDynamicDim(dim)) {
        InFlightDiagnostic error = op->emitOpError("expected '")
                                   << party.name << "' to have static " << what;
        return noteDefinition(error, party);
      }
  // C2
  if (query.type().getElementType() != key.type().getElementType()) {
    InFlightDiagnostic error =
        op->emitOpError("expected 'query' and 'key' to agree on the element "
                        "type, but got ")
        << query.type().getElementType() << " and "
        << key.type().getElementType();
    noteDefinition(noteDefinition(error, query), key);
    return error;
  }
  // C3, C4, C5
  if (failed(verifyDimsAgree(op, "batch", query, 0, key, 0)) ||
      failed(verifyDimsAgree(op, "batch", query, 0, value, 0)) ||
      failed(verifyDimsAgree(op, "batch", key, 0, value, 0)) ||
      failed(verifyDimsAgree(op, "length", key, 2, value, 2)) ||
      failed(verifyDimsAgree(op, "feature size", query, 3, key, 3)))
    return failure();
  // C6
  int64_t heads = query.type().getDimSize(1);
  for (const Party &party : {key, value}) {
    int64_t shared = party.type().getDimSize(1);
    if (heads != 0 && shared != 0 && heads % shared == 0)
      continue;
    InFlightDiagnostic error = op->emitOpError("expected the heads of '")
                               << party.name
                               << "' to divide the heads of 'query', but got "
                               << shared << " and " << heads;
    noteDefinition(noteDefinition(error, query), party);
    return error;
  }
  return success();
}

/// C7 to C10: the clauses.
static LogicalResult verifyClauses(AttentionOpInterface op,
                                   ArrayRef<int64_t> scores) {
  // C7
  if (std::optional<APFloat> scale = op.getScale(); scale && !scale->isFinite())
    return op->emitOpError("expected a finite 'scale'");
  // C8
  if (Value bias = op.getBias())
    if (failed(verifyBroadcast(op, {"bias", bias}, scores)))
      return failure();
  if (Value mask = op.getMask())
    if (failed(verifyBroadcast(op, {"mask", mask}, scores)))
      return failure();
  // C9
  if (Value lengths = op.getLengths())
    if (failed(verifyShape(op, {"lengths", lengths}, scores.take_front(1))))
      return failure();
  // C10
  return verifyScoreMod(op);
}

/// C12 and C13: the mixer after the softmax.
static LogicalResult verifyMixer(AttentionOpInterface op,
                                 ArrayRef<int64_t> scores) {
  int64_t heads = scores[1];
  // C12
  if (Value mixer = op.getMixer())
    if (failed(verifyShape(op, {"mixer", mixer}, {heads, heads})))
      return failure();
  // C13
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
  Party query{"query", op.getQuery()}, key{"key", op.getKey()},
      value{"value", op.getValue()};
  if (failed(verifyProducts(op, query, key, value)))
    return failure();
  SmallVector<int64_t> scores = {
      query.type().getDimSize(0), query.type().getDimSize(1),
      query.type().getDimSize(2), key.type().getDimSize(2)};
  return success(succeeded(verifyClauses(op, scores)) &&
                 succeeded(verifyMixer(op, scores)));
}

LogicalResult SoftmaxOp::verify() {
  return verifyAttention(cast<AttentionOpInterface>(getOperation()));
}

LogicalResult MixHeadsOp::verify() {
  // C14
  if (!getMixer() == !getMixSource())
    return emitOpError("expected one of 'mixer' and 'mixer_by_row'");
  return verifyAttention(cast<AttentionOpInterface>(getOperation()));
}

LogicalResult GenericOp::verify() {
  // C14
  if (getMixer() && getMixSource())
    return emitOpError("expected 'postmix' or 'postmix_by_row', but got both");
  return verifyAttention(cast<AttentionOpInterface>(getOperation()));
}
