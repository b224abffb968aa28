// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of dense layers: dense, and of its panels, pack.

#include "passes/schedule/x86/dense/DenseSchedule.h"

#include "dialect/attn/Contraction.h"
#include "passes/schedule/x86/dense/Dense.h"
#include "passes/schedule/x86/dense/DenseGrid.h"
#include "passes/schedule/x86/dense/Producers.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/StageSchedule.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

namespace {

class Dense : public CpuSchedule {
public:
  explicit Dense(const CpuModel &cpu)
      : Dense(cpu, "dense",
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

protected:
  using CpuSchedule::CpuSchedule;

  /// The time of a grid of blocks of rows, `blocks` for each turn of the loops
  /// that no plan names, whose items do `more` cycles in addition to products
  /// of theirs, and move `moved` bytes less.
  Prediction predictGrid(const Workload &work, const PlanSizes &sizes,
                         double blocks, double more, double moved) const;
};

/// The same, but ops before the contraction are in its kernel.
class RowsDense final : public Dense {
public:
  explicit RowsDense(const CpuModel &cpu)
      : Dense(cpu, "rows_dense",
              "dense, with the ops before that make the rows of the left side "
              "for it alone: once for all panels of an item") {}

  bool isFor(Operation *op) const override {
    return Dense::isFor(op) && !findRowProducers(op).empty();
  }
  SmallVector<Operation *> findProducers(Operation *op) const override {
    return findRowProducers(op);
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
};

} // namespace

std::unique_ptr<Schedule> x86::makeDense(TargetAttr target) {
  return std::make_unique<Dense>(describeCpu(target));
}

std::unique_ptr<Schedule> x86::makeRowsDense(TargetAttr target) {
  return std::make_unique<RowsDense>(describeCpu(target));
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
Prediction Dense::predictGrid(const Workload &work, const PlanSizes &sizes,
                              double blocks, double more, double moved) const {
  using namespace calibration;
  double columns = double(sizes.batch), rows = double(sizes.queries),
         depth = double(sizes.keys), lanes = double(cpu.lanes);
  // Of all loops besides these three.
  double times = std::max(1.0, work.plainMultiplyAdds);
  TileSizes tile = TileSizes::of(cpu);
  double tiles = times * blocks * std::ceil(columns / double(cpu.widestTile()));
  double slots = times * rows * std::ceil(columns / lanes) * depth;
  double reached = usesAmx(work) ? amxDenseShare : denseShare;
  double cycles = slots * productSlots(work) / (cpu.multiplyAdds * reached);
  if (rows > double(DenseTile::fewRows))
    cycles += packedVector * times * blocks * columns * depth / lanes;
  cycles += more;
  double bytes = work.movedBytes * columns * rows * depth - moved;
  double readers = double(cpu.threads);
  cycles = std::max(cycles, bytes / readRate(bytes, bytes, readers));
  double perThread =
      double(DenseTile::mostRowsOf(tile) + DenseTile::usualPiece) *
      double(tile.width) * 4;
  return {share(cycles, tiles, cycles / std::max(1.0, tiles), false),
          perThread};
}

/// Where ops make the left side, their kernel's time is added.
Prediction Dense::predict(const Workload &work, const PlanCase &,
                          const PlanSizes &sizes) const {
  TileSizes tile = TileSizes::of(cpu);
  double blocks = std::ceil(double(sizes.queries) /
                            double(DenseTile::mostRowsOf(tile)));
  Prediction made = predictGrid(work, sizes, blocks, 0, 0);
  if (const std::optional<RowCounts> &before = work.before) {
    double numbers =
        before->outerRows * double(sizes.queries) * double(sizes.keys);
    made.seconds +=
        secondsOfRows(numbers * before->operations, numbers * before->exps,
                      numbers * before->movedBytes);
  }
  return made;
}

/// Each item makes the rows of its block again.
Prediction RowsDense::predict(const Workload &work, const PlanCase &plan,
                              const PlanSizes &sizes) const {
  if (!work.before)
    return Dense::predict(work, plan, sizes);
  TileSizes tile = TileSizes::of(cpu);
  const RowCounts &before = *work.before;
  double rows = before.outerRows * double(sizes.queries),
         depth = double(sizes.keys),
         columns = before.outerLanes * double(sizes.batch);
  double bytesOfTerm = work.isBf16 && hasPairs(work) ? 2 : 4;
  double most = std::clamp(
      double(DenseGridSizes::bytesOfRows(cpu)) / (depth * bytesOfTerm),
      double(DenseGridSizes::fewestRows), double(DenseTile::mostRowsOf(tile)));
  double wanted = double(DenseGridSizes::turns * cpu.threads);
  double blocks =
      std::max(std::ceil(rows / most),
               std::min(wanted, std::ceil(rows / double(DenseGridSizes::fewestRows))));
  double panels = std::ceil(columns / double(cpu.widestTile()));
  double parts = std::min(panels, std::ceil(wanted / blocks));
  // Lanes that are no whole vectors are divided into batches (limitLanes).
  if (sizes.batch % cpu.lanes != 0)
    parts *= before.outerLanes;
  double numbers = rows * depth;
  double more = parts * cyclesOfRows(numbers * before.operations,
                                     numbers * before.exps);
  double written = numbers * double(work.bits) / 8;
  Prediction made =
      predictGrid(work, sizes, blocks / before.outerRows, more,
                  2 * written - numbers * before.movedBytes);
  made.bytes += most * depth * bytesOfTerm;
  return made;
}
