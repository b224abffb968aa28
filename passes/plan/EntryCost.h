// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a call of an entry.

#ifndef MIXATTN_PASSES_PLAN_ENTRY_COST_H
#define MIXATTN_PASSES_PLAN_ENTRY_COST_H

#include "passes/plan/OpCost.h"

#include <vector>

namespace mixattn {

/// One op of an entry.
struct EntryOpCost {
  mlir::Operation *op;
  /// Elements of the parameters that it reads.
  SizePolynomial parameters;
  OpCost cost;
};

/// An entry, as passes/plan/cost.md counts.
struct EntryCost {
  /// In the order of the graph, in loops as often as they turn.
  std::vector<EntryOpCost> ops;
  /// The sum over the ops.
  Cost total;
  /// Elements of all arguments that are parameters.
  SizePolynomial parameters;
  /// Bytes of the arguments and results, once each.
  SizePolynomial transferred;
};

/// Counts `entry`, whose calls are inlined and whose dims are named; dims in
/// `given` count as that size.
EntryCost countEntry(mlir::func::FuncOp entry, const GivenSizes &given = {});

/// Bytes of the arguments and results of `entry`, once each.
SizePolynomial countBytes(mlir::func::FuncOp entry, const Sizes &sizes);

/// Multiplications and additions of the two products of an attention, where
/// every component's product counts, and of all sums of products of the
/// dialect's other ops and of contractions; 0 of the rest.
SizePolynomial countFlops(mlir::Operation *op, const Sizes &sizes);

/// The sum of these over all ops of `entry`.
SizePolynomial countFlops(mlir::func::FuncOp entry, const Sizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_ENTRY_COST_H
