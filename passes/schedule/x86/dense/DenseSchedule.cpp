// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the schedule for dense layers: dense.

#include "passes/schedule/x86/dense/DenseSchedule.h"

#include "passes/schedule/x86/dense/Dense.h"
#include "passes/schedule/x86/shared/CpuSchedule.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

namespace {

class Dense final : public CpuSchedule {
public:
  explicit Dense(const CpuModel &cpu)
      : CpuSchedule(cpu, "dense",
                    "tiles of a contraction's result, which pointwise ops go "
                    "through before they are stored") {}

  bool isFor(Operation *op) const override { return isa<linalg::MatmulOp>(op); }
  std::string whyNot(Operation *op) const override;
  std::string whyNotFused(Operation *anchor,
                          Operation *consumer) const override {
    return mixattn::whyNotFused(anchor, consumer);
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    scheduleDense(kernel, sizesOf(plan));
  }
};

} // namespace

std::unique_ptr<Schedule> x86::makeDense(TargetAttr target) {
  return std::make_unique<Dense>(describeCpu(target));
}

std::string Dense::whyNot(Operation *op) const {
  auto product = dyn_cast<linalg::MatmulOp>(op);
  if (!product)
    return "it is no product of two matrices";
  if (product.hasUserDefinedMaps())
    return "an operand is transposed or repeated";
  for (Value operand : op->getOperands())
    if (Type type = getElementTypeOrSelf(operand); !type.isF32())
      return llvm::formatv("its operands are of f32, but one is {0}", type);
  auto fill = product.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    return "it adds to a tensor that is not 0";
  return hasEmptyOperand(op) ? "one of its operands has no elements" : "";
}

/// Products, and packing of the right side for each tile of rows.
Prediction Dense::predict(const Workload &work, const PlanCase &,
                          const PlanSizes &sizes) const {
  double columns = double(sizes.batch), rows = double(sizes.queries),
         depth = double(sizes.keys), lanes = double(cpu.lanes);
  constexpr double rowsOfTile = 64;
  double tiles = std::ceil(rows / rowsOfTile) *
                 std::ceil(columns / double(cpu.widestTile()));
  double slots = rows * columns * depth / lanes;
  double packed = std::ceil(rows / rowsOfTile) * columns * depth / lanes;
  double cycles = slots / cpu.multiplyAdds + 2 * packed;
  return {share(cycles, tiles, cycles / std::max(1.0, tiles), false), 0};
}
