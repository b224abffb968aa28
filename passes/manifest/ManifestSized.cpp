// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the fields of ops that are no attention as lib/Runtime/manifest.md
// says.

#include "passes/manifest/ManifestSized.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;

static llvm::Error describeOp(StructuredPoolOp op, PutNames putNames,
                              Object &result) {
  result["op"] = "structured_pool";
  if (op.getRowNormalise())
    result["row_normalise"] = true;
  return putNames(result, {{"value", op.getValue()},
                           {"band", op.getBand()},
                           {"windows", op.getWindows()},
                           {"error_index", op.getErrorIndex()},
                           {"error_value", op.getErrorValue()}});
}

static llvm::Error describeOp(ResponsibilitiesOp op, PutNames putNames,
                              Object &result) {
  auto scored = cast<ScoreOpInterface>(op.getOperation());
  result["op"] = "responsibilities";
  if (op.getGaussian())
    result["score"] = "gaussian";
  Array variances;
  for (int64_t r = 0; r < scored.getNumComponents(); ++r)
    variances.push_back(scored.getVariance(r));
  result["variances"] = std::move(variances);
  if (op.getCausal())
    result["causal"] = true;
  if (std::optional<BandAttr> band = op.getBand())
    result["band"] = Array{band->getLower(), band->getUpper()};
  return putNames(result, {{"query", op.getQuery()},
                           {"key", op.getKey()},
                           {"shifts", op.getShifts()},
                           {"prior", op.getPrior()},
                           {"mask", op.getMask()},
                           {"lengths", op.getLengths()}});
}

static llvm::Error describeOp(PriorUpdateOp op, PutNames putNames,
                              Object &result) {
  result["op"] = "prior_update";
  if (op.getPerKey())
    result["per_key"] = true;
  return putNames(result, {{"responsibilities", op.getResponsibilities()}});
}

static llvm::Error describeOp(OrthogonalPenaltyOp op, PutNames putNames,
                              Object &result) {
  result["op"] = "orthogonal_penalty";
  return putNames(result, {{"mixer", op.getMixer()}});
}

llvm::Expected<Object> mixattn::describeSized(SizedOpInterface op,
                                              PutNames putNames) {
  Object result;
  llvm::Error error =
      TypeSwitch<Operation *, llvm::Error>(op)
          .Case<StructuredPoolOp, ResponsibilitiesOp, PriorUpdateOp,
                OrthogonalPenaltyOp>(
              [&](auto op) { return describeOp(op, putNames, result); });
  if (error)
    return error;
  return result;
}
