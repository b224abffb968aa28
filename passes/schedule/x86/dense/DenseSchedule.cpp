// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of dense layers: dense, and of its panels, pack.

#include "passes/schedule/x86/dense/DenseSchedule.h"

#include "dialect/attn/Contraction.h"
#include "passes/schedule/x86/dense/Dense.h"
#include "passes/schedule/x86/dense/DenseTile.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/StageSchedule.h"

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
  std::string whyNotFused(ArrayRef<Operation *> members,
                          Operation *op) const override {
    return mixattn::whyNotFused(members, op);
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  std::optional<PanelLayout> findPanels(KernelOp kernel) const override {
    return mixattn::findPanels(kernel, cpu);
  }
  void emit(KernelOp kernel, const PlanCase &) const override {
    scheduleDense(kernel, cpu);
  }
};

} // namespace

std::unique_ptr<Schedule> x86::makeDense(TargetAttr target) {
  return std::make_unique<Dense>(describeCpu(target));
}

std::unique_ptr<Schedule> x86::makePanels(TargetAttr target) {
  return std::make_unique<StageSchedule<PanelsOp>>(
      describeCpu(target), llvm::StringLiteral("pack"),
      llvm::StringLiteral("pieces of panels of a contraction's right side"),
      schedulePanels);
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

/// Products and packing of the right side, or reading of both sides, whichever
/// takes longer.
Prediction Dense::predict(const Workload &work, const PlanCase &,
                          const PlanSizes &sizes) const {
  using namespace calibration;
  double columns = double(sizes.batch), rows = double(sizes.queries),
         depth = double(sizes.keys), lanes = double(cpu.lanes);
  // Of all loops besides these three.
  double times = std::max(1.0, work.plainMultiplyAdds);
  TileSizes tile = TileSizes::of(cpu);
  double blocks = std::ceil(rows / double(DenseTile::mostRowsOf(tile)));
  double tiles = times * blocks * std::ceil(columns / double(cpu.widestTile()));
  double slots = times * rows * std::ceil(columns / lanes) * depth;
  double reached = usesAmx(work) ? amxDenseShare : denseShare;
  double cycles = slots * productSlots(work) / (cpu.multiplyAdds * reached);
  if (rows > double(DenseTile::fewRows))
    cycles += packedVector * times * blocks * columns * depth / lanes;
  double bytes = work.movedBytes * columns * rows * depth;
  double readers = double(cpu.threads);
  cycles = std::max(cycles, bytes / readRate(bytes, bytes, readers));
  double perThread =
      double(DenseTile::mostRowsOf(tile) + DenseTile::usualPiece) *
      double(tile.width) * 4;
  return {share(cycles, tiles, cycles / std::max(1.0, tiles), false),
          perThread};
}
