// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies attention ops: constraints C1 to C23 of AttnOps.td.

#include "dialect/attn/AttnOps.h"
#include "dialect/attn/ScoreMod.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

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
  bool agree = llvm::all_of(
      llvm::zip_equal(party.type().getShape(), shape), [](auto pair) {
        return sizesAgree(std::get<0>(pair), std::get<1>(pair));
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
  unsigned keyLength = op.getKeyLengthDim(), keyFeatures = keyLength + 1;
  // C1
  for (const Party &party : {query, key, value})
    for (auto [dim, what] :
         {std::pair(1u, "heads"),
          std::pair(unsigned(party.type().getRank() - 1), "features")})
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
      failed(verifyDimsAgree(op, "length", key, keyLength, value, 2)) ||
      failed(verifyDimsAgree(op, "feature size", query, 3, key, keyFeatures)))
    return failure();
  // C6
  auto verifyDivides = [&](const Party &party, StringRef of, int64_t heads) {
    int64_t shared = party.type().getDimSize(1);
    if (heads != 0 && shared != 0 && heads % shared == 0)
      return success();
    InFlightDiagnostic error = op->emitOpError("expected the heads of '")
                               << party.name << "' to divide the heads of "
                               << of << ", but got " << shared << " and "
                               << heads;
    noteDefinition(noteDefinition(error, query), party);
    return LogicalResult(error);
  };
  int64_t outputHeads = op.getNumHeads();
  return success(
      succeeded(verifyDivides(key, "'query'", op.getNumQueryHeads())) &&
      (ShapedType::isDynamic(outputHeads) ||
       succeeded(verifyDivides(value, op.hasPremix() ? "the result" : "'query'",
                               outputHeads))));
}

/// C7 to C10: the clauses.
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
  // C9
  if (Value lengths = op.getLengths())
    if (failed(verifyShape(op, {"lengths", lengths}, scores.take_front(1))))
      return failure();
  // C10
  return verifyScoreMod(op);
}

/// C12 to C15, C22 and C23: components and terms.
static LogicalResult verifyComponents(AttentionOpInterface op, const Party &key,
                                      ArrayRef<int64_t> scores) {
  int64_t components = op.getNumComponents();
  int64_t keyHeads = key.type().getDimSize(1);
  if (ShapedType::isDynamic(components) || components == 0)
    return op->emitOpError("expected one component or more, and a static "
                           "number of them");
  // C12
  if (Value shifts = op.getShifts()) {
    if (key.type().getRank() == 5) {
      InFlightDiagnostic error =
          op->emitOpError("expected 'shifts' beside keys without components");
      return noteDefinition(error, key);
    }
    if (failed(verifyShape(
            op, {"shifts", shifts},
            {keyHeads, components, op.getQueryType().getDimSize(3)})))
      return failure();
  }
  // C22, C23
  auto verifyTerm = [&](const Party &term, int64_t heads, int64_t length) {
    SmallVector<int64_t> shape = {scores[0], heads, components, length};
    if (term.type().getRank() == 3)
      shape.erase(shape.begin() + 2);
    return verifyShape(op, term, shape);
  };
  if (Value term = op.getQueryTerm())
    if (failed(
            verifyTerm({"query_term", term}, op.getNumQueryHeads(), scores[2])))
      return failure();
  if (Value term = op.getKeyTerm())
    if (failed(verifyTerm({"key_term", term}, keyHeads, scores[3])))
      return failure();
  // C13
  if (std::optional<ArrayRef<double>> variances = op.getVariances()) {
    // Terms alone give components to one product.
    bool isShared = key.type().getRank() == 4 && !op.getShifts();
    int64_t expected = isShared ? 1 : components;
    if (static_cast<int64_t>(variances->size()) != expected)
      return op->emitOpError("expected ")
             << expected << " 'variances', one per component, but got "
             << variances->size();
    if (!llvm::all_of(*variances, [](double variance) {
          return variance > 0 && std::isnormal(float(variance)) &&
                 std::isnormal(float(1 / variance));
        }))
      return op->emitOpError(
          "expected 'variances' to be positive and normal numbers in f32, and "
          "so their inverses");
  }
  // C15
  if (op.getMaximum() && (!op.hasComponents() || op.getPrior()))
    return op->emitOpError(
        "expected 'maximum' over components and without 'prior'");
  // C14
  Value prior = op.getPrior();
  if (!prior)
    return success();
  if (!op.hasComponents())
    return op->emitOpError("expected 'prior' over components");
  SmallVector<int64_t> shape = {op.getNumQueryHeads(), components, scores[3]};
  shape.resize(cast<RankedTensorType>(prior.getType()).getRank());
  return verifyShape(op, {"prior", prior}, shape);
}

/// C16 to C18: the mixer before the softmax.
static LogicalResult verifyPremix(AttentionOpInterface op) {
  int64_t queryHeads = op.getNumQueryHeads(), heads = op.getNumHeads();
  Value w1 = op.getW1(), b1 = op.getB1(), w2 = op.getW2(), b2 = op.getB2();
  // C17
  if (!w1 != !b1 || !w1 != !w2 || !w1 != !b2)
    return op->emitOpError(
        "expected 'w1', 'b1', 'w2' and 'b2' together or not at all");
  // C18
  if (op.getReluPerKey() && !op.getPremixer())
    return op->emitOpError("expected 'relu_per_key' with a linear mixer");
  if (!op.hasPremix())
    return success();
  if (ShapedType::isDynamic(heads) || heads == 0)
    return op->emitOpError("expected a mixer of scores to have one column or "
                           "more, and a static number of them");
  // C16
  if (Value mixer = op.getPremixer())
    return verifyShape(op, {"premixer", mixer}, {queryHeads, heads});
  int64_t hidden = cast<RankedTensorType>(w1.getType()).getDimSize(1);
  if (ShapedType::isDynamic(hidden))
    return op->emitOpError("expected 'w1' to have static columns");
  return success(succeeded(verifyShape(op, {"w1", w1}, {queryHeads, hidden})) &&
                 succeeded(verifyShape(op, {"b1", b1}, {hidden})) &&
                 succeeded(verifyShape(op, {"w2", w2}, {hidden, heads})) &&
                 succeeded(verifyShape(op, {"b2", b2}, {heads})));
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
  Party query{"query", op.getQuery()}, key{"key", op.getKey()},
      value{"value", op.getValue()};
  if (failed(verifyProducts(op, query, key, value)) || failed(verifyPremix(op)))
    return failure();
  SmallVector<int64_t> scores = {query.type().getDimSize(0), op.getNumHeads(),
                                 query.type().getDimSize(2),
                                 key.type().getDimSize(op.getKeyLengthDim())};
  return success(succeeded(verifyClauses(op, scores)) &&
                 succeeded(verifyComponents(op, key, scores)) &&
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

LogicalResult GenericOp::verify() {
  // C21
  if (getPremixer() && getW1())
    return emitOpError("expected 'premix' or 'premix_mlp', but got both");
  if (getMixer() && getMixSource())
    return emitOpError("expected 'postmix' or 'postmix_by_row', but got both");
  return verifyAttention(cast<AttentionOpInterface>(getOperation()));
}
