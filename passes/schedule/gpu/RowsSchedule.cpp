// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the schedule for rows on GPUs: rows.

#include "passes/schedule/RowLoops.h"
#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/Rows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

namespace {

/// Norms, softmax of rows, sums, and chains of pointwise ops: `linalg` ops that
/// no plan is made for, whose loops are rows and lanes.
class Rows final : public Schedule {
public:
  explicit Rows(TargetAttr target)
      : Schedule("rows", "ops that each row of a tensor goes through"),
        gpu(describeGpu(target)) {}

  bool isPlanned() const override { return false; }
  bool isFor(Operation *op) const override {
    return isa<linalg::LinalgOp>(op) && !canBePlanned(op);
  }
  std::string whyNot(Operation *op) const override;
  std::string whyNotFused(ArrayRef<Operation *> members,
                          Operation *op) const override;
  bool givesAllResults() const override { return true; }
  Prediction predict(const Workload &work, const PlanCase &,
                     const PlanSizes &) const override;
  double flopsOfPeak(const Workload &) const override { return gpu.peak(); }
  double secondsOfCall() const override { return secondsOfLaunch; }
  void emit(KernelOp kernel, const PlanCase &) const override {
    scheduleRows(kernel);
  }

private:
  const GpuModel &gpu;
};

} // namespace

/// Why the loops of `op`, the first `rows` of which are those of a kernel, are
/// not rows and one lane, or nothing.
static std::string whyNotLanes(const RowLoops &loops) {
  linalg::LinalgOp op = loops.getOp();
  if (loops.rows == 0)
    return "it has no rows";
  // Ops that add up rows may add up other loops, too.
  if (!loops.outer.empty() || (!loops.turns.empty() && !loops.reducesLanes()))
    return "it has loops that are neither rows nor lanes";
  AffineMap result = AffineMap::getMultiDimIdentityMap(
      loops.rows + (loops.lane && !loops.reducesLanes()), op.getContext());
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = loops.mapOf(init);
    if (map.getResults() != result.getResults())
      return "its results lie in another order";
    Type type = getElementTypeOrSelf(init.get());
    if (loops.reducesLanes() && !isa<FloatType>(type) && !type.isInteger(32))
      return "what it adds up is neither a float nor i32";
  }
  for (Operation &inner : op.getBlock()->without_terminator())
    if (isa<tensor::ExtractOp>(inner))
      return "it picks elements at computed places";
  return "";
}

std::string Rows::whyNot(Operation *op) const {
  if (std::string why = whyNoRows(op); !why.empty())
    return why;
  RowLoops loops = RowLoops::of(cast<linalg::LinalgOp>(op));
  return loops.lane ? whyNotLanes(loops) : "it has no lanes";
}

/// Where `op` reads what `members` made, or one tensor as they do, lanes are
/// the same in number.
std::string Rows::whyNotFused(ArrayRef<Operation *> members,
                              Operation *op) const {
  if (std::string why = whyNotInRow(members, op); !why.empty())
    return why;
  unsigned rows = RowLoops::of(cast<linalg::LinalgOp>(members.front())).rows;
  RowLoops loops = RowLoops::of(cast<linalg::LinalgOp>(op), rows);
  if (std::string why = whyNotLanes(loops); !why.empty())
    return why;
  AffineMap whole =
      AffineMap::getMultiDimIdentityMap(rows + 1, op->getContext());
  bool hasSameLanes = !loops.lane;
  for (OpOperand *input : loops.getOp().getDpsInputOperands()) {
    if (!llvm::is_contained(members, input->get().getDefiningOp()))
      continue;
    AffineMap map = loops.mapOf(*input);
    if (map.getNumResults() == rows)
      continue;
    if (map.getResults() != whole.getResults())
      return "it reads elements of other lanes";
    hasSameLanes = true;
  }
  for (Operation *member : members)
    for (OpOperand &one : member->getOpOperands())
      for (OpOperand &other : op->getOpOperands()) {
        auto type = dyn_cast<RankedTensorType>(one.get().getType());
        hasSameLanes |=
            type && type.getRank() == rows + 1 && one.get() == other.get();
      }
  return hasSameLanes ? "" : "its rows may be of another length";
}

/// Inputs and results move once; a lane does an operation at a time.
Prediction Rows::predict(const Workload &work, const PlanCase &,
                         const PlanSizes &) const {
  double clocks = (work.plainMultiplyAdds + work.plainOther) / gpu.others +
                  work.plainExps / gpu.exps;
  return {secondsOfLaunch +
              std::max(clocks / double(gpu.multiprocessors) / gpu.hertz,
                       work.movedBytes / gpu.memoryRate),
          0};
}

std::unique_ptr<Schedule> gpus::makeRows(TargetAttr target) {
  return std::make_unique<Rows>(target);
}
