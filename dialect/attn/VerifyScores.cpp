// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies what ops that score queries against keys have in common.

#include "dialect/attn/OperandConditions.h"
#include "dialect/attn/VerifyShapes.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;
using namespace mixattn::detail;

/// C1 to C3, C5 and C6: how query and key fit.
static LogicalResult verifyProducts(ScoreOpInterface op, const Party &query,
                                    const Party &key) {
  for (const Party &party : {query, key})
    if (failed(verifyStatic(op, party, 1, "heads")) ||
        failed(verifyStatic(op, party, party.type().getRank() - 1, "features")))
      return failure();
  unsigned keyFeatures = key.type().getRank() - 1;
  return success(succeeded(verifyElementTypes(op, query, key)) &&
                 succeeded(verifyDimsAgree(op, "batch", query, 0, key, 0)) &&
                 succeeded(verifyDimsAgree(op, "feature size", query, 3, key,
                                           keyFeatures)) &&
                 succeeded(verifyHeadsDivide(
                     op, key, "'query'", query.type().getDimSize(1), query)));
}

/// C12 to C14, C22 and C23: components and terms.
static LogicalResult verifyComponents(ScoreOpInterface op, const Party &key,
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
          op->emitOpError("expected 'shifts' only for keys without components");
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
    // Terms alone give components to one product, of one variance or several.
    bool isShared = key.type().getRank() == 4 && !op.getShifts();
    int64_t expected = isShared ? 1 : components;
    int64_t given = variances->size();
    if (given != expected && given != components)
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

LogicalResult mixattn::detail::verifyScores(ScoreOpInterface op) {
  SmallVector<int64_t> scores = {op.getBatchDim().size(), op.getNumQueryHeads(),
                                 op.getQueriesDim().size(),
                                 op.getKeysDim().size()};
  // C9, C26
  for (auto [name, each] : {std::pair("lengths", op.getLengths()),
                            std::pair("start", op.getStart())})
    if (each &&
        failed(verifyShape(op, {name, each}, ArrayRef(scores).take_front())))
      return failure();
  if (op.getGivenScores())
    return success();
  Party query{"query", op.getQuery()}, key{"key", op.getKey()};
  return success(succeeded(verifyProducts(op, query, key)) &&
                 succeeded(verifyComponents(op, key, scores)));
}
