// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of one op of a graph.

#ifndef MIXATTN_PASSES_PLAN_OP_COST_H
#define MIXATTN_PASSES_PLAN_OP_COST_H

#include "passes/entry/Sizes.h"
#include "passes/plan/Cost.h"

namespace mixattn {

/// The stages of an attention, in order, those that cost something; their
/// bytes are 0. The full rectangle of queries and keys counts: masks save
/// nothing. What only an unused result needs costs nothing.
StageCosts countAttention(AttentionOpInterface op, const Sizes &sizes);

/// The stages of an op that shares scores among their components.
StageCosts countShares(ScoreOpInterface op, const Sizes &sizes);

/// The stages of a linear attention, as above.
StageCosts countLinearAttention(LinearAttentionOpInterface op,
                                const Sizes &sizes);

/// The cost of an op that is a sum over its operands; none for others.
std::optional<Cost> countSums(mlir::Operation *op, const Sizes &sizes);

/// The cost of an op, and that of its stages where it has any.
struct OpCost {
  Cost cost;
  StageCosts stages;
};

/// The cost of `op`, run once: an attention by its stages, a linalg op by its
/// maps and body, an elementwise op by its element, another op of the tensor
/// dialect by the bytes that it moves. None where `op` makes no tensor or only
/// gives one another shape; unknown counts where this does not know `op`.
std::optional<OpCost> countOp(mlir::Operation *op, const Sizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_OP_COST_H
