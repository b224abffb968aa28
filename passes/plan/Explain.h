// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why plans are as they are, as text and as JSON.

#ifndef MIXATTN_PASSES_PLAN_EXPLAIN_H
#define MIXATTN_PASSES_PLAN_EXPLAIN_H

#include "passes/plan/Planner.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace mixattn {

/// The memory that a call takes in addition to arguments and results.
struct CallMemory {
  /// The bytes as an expression of the dims.
  std::string formula;
  /// The bytes of the parts that buffers share one after the other, at the
  /// given sizes; none where these leave a dim open.
  std::optional<std::vector<int64_t>> parts;
  /// The bytes of parameters that callers may keep packed.
  int64_t packed = 0;

  /// The bytes of all parts.
  int64_t getBytes() const {
    return std::accumulate(parts->begin(), parts->end(), int64_t(0));
  }
};

/// The memory of the entries by name.
using EntryMemory = std::map<std::string, CallMemory>;

/// Every candidate of every attention of the entries of `module`, which is
/// planned, with times at the sizes that are known or in `given`; plan.md
/// explains the columns.
std::string explain(mlir::ModuleOp module, const GivenSizes &given,
                    const PlanTarget &target, const EntryMemory &memory);

/// The same for programs: the JSON object of plan.md.
std::string explainAsJson(mlir::ModuleOp module, const GivenSizes &given,
                          const PlanTarget &target, const EntryMemory &memory);

/// `[queries at_most 8 : decode {block = 64}, else : online {width = 64}]`.
std::string toText(PlanAttr plan);

/// The predicted time of `chosen`, and how much more the next best takes.
std::string whyChosen(const Planner &planner, const PlanCase &chosen,
                      TargetAttr target);

/// Why nothing but the plain path is possible, by candidate.
std::string whyUnfused(const Planner &planner);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_EXPLAIN_H
