// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost report, as text and as JSON.

#ifndef MIXATTN_PASSES_PLAN_COST_REPORT_H
#define MIXATTN_PASSES_PLAN_COST_REPORT_H

#include "passes/entry/SizePolynomial.h"

#include "mlir/IR/BuiltinOps.h"

namespace mixattn {

/// The costs of the entries of `module`, whose calls are inlined and whose
/// dims are named, for people; passes/plan/cost.md explains the columns. Dims
/// in `given` count as that size.
std::string printCosts(mlir::ModuleOp module, const GivenSizes &given);

/// The same for programs: the JSON object of passes/plan/cost.md.
std::string printCostsAsJson(mlir::ModuleOp module, const GivenSizes &given);

/// The names of all dims of the entries of `module`.
std::vector<std::string> getDimNames(mlir::ModuleOp module);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_COST_REPORT_H
