// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the schedule for dense layers: dense.

#include "passes/schedule/x86/dense/DenseSchedule.h"

#include "dialect/attn/Contraction.h"
#include "passes/schedule/x86/dense/Dense.h"
#include "passes/schedule/x86/shared/CpuSchedule.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

  bool isFor(Operation *op) const override {
    return findContraction(op).has_value();
  }
  std::string whyNot(Operation *op) const override;
  std::string whyNotFused(Operation *anchor,
                          Operation *consumer) const override {
    return mixattn::whyNotFused(anchor, consumer);
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    scheduleDense(kernel, sizesOf(plan), cpu.threads);
  }
};

} // namespace

std::unique_ptr<Schedule> x86::makeDense(TargetAttr target) {
  return std::make_unique<Dense>(describeCpu(target));
}

std::string Dense::whyNot(Operation *op) const {
  std::optional<Contraction> product = findContraction(op);
  if (!product)
    return "it is no contraction";
  for (Value operand : op->getOperands())
    if (Type type = getElementTypeOrSelf(operand);
        !isa<Float32Type, Float16Type, BFloat16Type>(type))
      return llvm::formatv(
          "its operands are of f32, f16 or bf16, but one is {0}", type);
  auto fill = product->op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    return "it adds to a tensor that is not filled with 0";
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
  // Of all loops besides these three.
  double times = std::max(1.0, work.plainMultiplyAdds);
  tiles *= times;
  double slots = times * rows * columns * depth / lanes;
  double packed =
      times * std::ceil(rows / rowsOfTile) * columns * depth / lanes;
  double cycles = slots / cpu.multiplyAdds + 2 * packed;
  return {share(cycles, tiles, cycles / std::max(1.0, tiles), false), 0};
}
