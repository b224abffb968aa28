// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts of an attention that predictions need.

#ifndef MIXATTN_PASSES_PLAN_WORKLOAD_H
#define MIXATTN_PASSES_PLAN_WORKLOAD_H

#include "dialect/attn/Plan.h"
#include "passes/plan/BlockClocks.h"
#include "passes/plan/OpCost.h"

namespace mixattn {

/// Sizes of an attention, by PlanSize.
struct PlanSizes {
  int64_t batch, queries, keys;

  int64_t &operator[](PlanSize size) {
    return size == PlanSize::Batch     ? batch
           : size == PlanSize::Queries ? queries
                                       : keys;
  }
  friend bool operator==(const PlanSizes &a, const PlanSizes &b) {
    return a.batch == b.batch && a.queries == b.queries && a.keys == b.keys;
  }
};

/// Counts of one pair of a query and a key of softmax attention, all heads
/// together.
struct PairCounts {
  /// Multiply-adds of scores and of pooled values.
  double scores = 0, pool = 0;
  /// Multiply-adds of mixers before and after the softmax.
  double premix = 0, postmix = 0;
  double exps = 0, other = 0;
  /// Elements of operands that have one for each pair; numbers drawn by Philox.
  double reads = 0, draws = 0;

  double products() const { return scores + pool; }
};

/// Counts of the ops that make the rows of a contraction's left side, for each
/// number of these. What they read and write moves; that is the left side, too.
struct RowCounts {
  double operations = 0, exps = 0, movedBytes = 0;
  /// How many of the contraction's rows, and of its lanes, there are for each
  /// turn of the loops that reports call rows and columns.
  double outerRows = 1, outerLanes = 1;
};

/// An attention whose sizes are open.
struct Workload {
  enum class Kind { Softmax, Linear, Pool, Contraction, Rows };

  Kind kind = Kind::Softmax;
  /// The op that was read; none of several.
  mlir::Operation *op = nullptr;
  /// Heads of queries, results, keys (with components) and values.
  int64_t queryHeads = 1, heads = 1, keyHeads = 1, valueHeads = 1;
  /// Features of queries and keys as they are read, and of values.
  int64_t keyFeatures = 1, valueFeatures = 1;
  /// Features that linear attention makes of a query or key.
  int64_t features = 1;
  /// Bits of a value; keys are taken to have as many.
  int64_t bits = 32;
  /// Whether they are bf16, which schedules of tiles multiply in pairs where
  /// there is an instruction for it.
  bool isBf16 = false;
  /// Groups of heads that know nothing of each other.
  int64_t groups = 1;
  bool isCausal = false;
  /// Whether weights are a result.
  bool returnsWeights = false;
  /// Keys around its own position that a query sees, or none.
  std::optional<int64_t> band;
  /// The same of those whose weights are kept after the softmax.
  std::optional<int64_t> kept;
  PairCounts pair;
  /// The counts of the plain path for a pair of a query and a key, or for a
  /// query where there are no pairs.
  double plainMultiplyAdds = 0, plainOther = 0, plainExps = 0;
  /// Bytes of operands and results for each of those.
  double movedBytes = 0;
  /// The ops that make a contraction's left side, if it may make them itself.
  std::optional<RowCounts> before;
  /// Clocks of blocks that a GPU's schedules have counted, by plan. They depend
  /// on no size, and predictions are made at many sizes.
  mutable std::vector<std::pair<PlanCase, llvm::SmallVector<BlockClocks, 1>>>
      counted;

  /// Keys that are computed for a query on average, where a tile of queries
  /// takes whole blocks and each of which one of them sees a key.
  double visibleKeys(const PlanSizes &sizes, int64_t tile, int64_t block) const;
  /// The same of the keys whose weights one of the queries keeps; 0 where no
  /// weights are dropped.
  double keptKeys(const PlanSizes &sizes, int64_t tile, int64_t block) const;
  /// Bytes of a key and its value, all heads together.
  double bytesOfKey() const {
    return double(keyHeads * keyFeatures + valueHeads * valueFeatures) *
           double(bits) / 8;
  }
  /// The pairs, queries or calls that the counts of the plain path are of.
  double units(const PlanSizes &sizes) const;
  /// Floating-point operations of the two products, as speed is told in.
  double usefulFlops(const PlanSizes &sizes) const;
};

/// Reads `op`, an attention that can be planned, with `nominal` sizes of the
/// function around it: numbers all of them.
Workload readWorkload(mlir::Operation *op, const Sizes &nominal);

/// Counts `producers`, which make the left side of `op`, a contraction
/// (Schedule::findProducers).
RowCounts countRows(mlir::Operation *op,
                    llvm::ArrayRef<mlir::Operation *> producers,
                    const Sizes &nominal);

/// Reads `members`, ops that rows go through, as one: counts are of a call.
Workload readRows(llvm::ArrayRef<mlir::Operation *> members,
                  const Sizes &nominal);

/// The dims that are the sizes of `op`, which reports call batch, queries and
/// keys: for a pool its batch and rows, for a contraction columns, rows and the
/// depth of its sums.
std::array<OperandDim, 3> getPlanDims(mlir::Operation *op);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_WORKLOAD_H
