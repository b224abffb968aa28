// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of dense layers: dense, and of its panels, pack.

#include "passes/schedule/x86/dense/DenseSchedule.h"

#include "dialect/attn/Contraction.h"
#include "passes/schedule/DenseConsumers.h"
#include "passes/schedule/x86/dense/Dense.h"
#include "passes/schedule/x86/dense/DenseGrid.h"
#include "passes/schedule/x86/dense/Producers.h"
#include "passes/schedule/x86/shared/StageSchedule.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

  /// Cycles of all products, and of packing the right side for `blocks` blocks
  /// of rows in each turn of the loops that no plan names.
  double cyclesOf(const Workload &work, const PlanSizes &sizes,
                  double blocks) const;
  /// The time of `cycles` in which `bytes` move, in `items` of equal length.
  Prediction predictItems(double cycles, double bytes, double items) const;
  double mostHeldRows(double bytesOfRow) const;
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
  if (!product->beginsWithZeros())
    return "it adds to a tensor that is not filled with 0";
  return hasEmptyOperand(op) ? "one of its operands has no elements" : "";
}

double Dense::cyclesOf(const Workload &work, const PlanSizes &sizes,
                       double blocks) const {
  const Calibration &costs = cpu.costs;
  double columns = double(sizes.batch), rows = double(sizes.queries),
         depth = double(sizes.keys), lanes = double(cpu.lanes);
  // Of all loops besides these three.
  double times = std::max(1.0, work.plainMultiplyAdds);
  double slots = times * rows * std::ceil(columns / lanes) * depth;
  double reached = usesAmx(work) ? costs.amxDenseShare : costs.denseShare;
  double cycles = slots * productSlots(work) / (cpu.multiplyAdds * reached);
  if (rows > double(DenseTile::fewRows))
    cycles += costs.packedVector * times * blocks * columns * depth / lanes;
  return cycles;
}

/// Arithmetic, or reading of both sides, whichever takes longer.
Prediction Dense::predictItems(double cycles, double bytes,
                               double items) const {
  double readers = double(cpu.threads);
  cycles = std::max(cycles, bytes / readRate(bytes, bytes, readers));
  TileSizes tile = TileSizes::of(cpu);
  double perThread =
      double(DenseTile::mostRowsOf(tile) + DenseTile::usualPiece) *
      double(tile.width) * 4;
  return {share(cycles, items, cycles / std::max(1.0, items), false),
          perThread};
}

/// The most left rows that a kernel holds, as DenseGrid divides them.
double Dense::mostHeldRows(double bytesOfRow) const {
  return std::clamp(double(DenseGridSizes::bytesOfRows(cpu)) / bytesOfRow,
                    double(DenseGridSizes::fewestRows),
                    double(DenseTile::mostRowsOf(TileSizes::of(cpu))));
}

/// Where other ops make the left side, their kernel's time is added.
Prediction Dense::predict(const Workload &work, const PlanCase &,
                          const PlanSizes &sizes) const {
  double rows = double(sizes.queries), columns = double(sizes.batch),
         depth = double(sizes.keys);
  double times = std::max(1.0, work.plainMultiplyAdds);
  double blocks =
      std::ceil(rows / double(DenseTile::mostRowsOf(TileSizes::of(cpu))));
  double tiles = times * blocks * std::ceil(columns / double(cpu.widestTile()));
  Prediction made =
      predictItems(cyclesOf(work, sizes, blocks),
                   work.movedBytes * columns * rows * depth, tiles);
  // Left rows of 16 bits are held as f32.
  if (work.bits == 16 && !hasPairs(work))
    made.bytes += std::min(rows, mostHeldRows(depth * 4)) * depth * 4;
  if (const std::optional<RowCounts> &before = work.before) {
    double numbers = before->outerRows * rows * depth;
    made.seconds +=
        secondsOfRows(numbers * before->operations, numbers * before->exps,
                      numbers * before->movedBytes);
  }
  return made;
}

/// Blocks are divided as DenseGrid does it. Each item makes the rows of its own
/// again; items are dealt to the threads in rounds.
Prediction RowsDense::predict(const Workload &work, const PlanCase &plan,
                              const PlanSizes &sizes) const {
  if (!work.before)
    return Dense::predict(work, plan, sizes);
  const RowCounts &before = *work.before;
  double rows = before.outerRows * double(sizes.queries),
         depth = double(sizes.keys),
         columns = before.outerLanes * double(sizes.batch),
         threads = double(cpu.threads);
  double bytesOfTerm = hasPairs(work) ? 2 : 4;
  double fewest = double(DenseGridSizes::fewestRows);
  double blocks = std::ceil(rows / mostHeldRows(depth * bytesOfTerm));
  if (rows > double(DenseGridSizes::mostRowsAgain(cpu, columns * bytesOfTerm)))
    blocks = std::max(blocks,
                      std::min(double(DenseGridSizes::itemsOf(cpu.threads)),
                               std::ceil(rows / fewest)));
  double panels = std::ceil(columns / double(cpu.widestTile()));
  double few = double(DenseGridSizes::fewItemsOf(cpu.threads));
  double parts = std::min(panels, std::ceil(few / blocks));
  if (parts == 1)
    blocks = std::ceil(blocks / threads) * threads;
  double step =
      usesAmx(work)
          ? double(DenseTile::amxRows)
          : double(cpu.mostRowsInRegisters(cpu.widestTile() / cpu.lanes));
  double blockRows = std::ceil(rows / blocks / step) * step;
  blocks = std::ceil(rows / blockRows);
  // Lanes that are no whole vectors are divided into batches (limitLanes).
  if (sizes.batch % cpu.lanes != 0)
    parts *= before.outerLanes;
  double numbers = rows * depth;
  double cycles =
      cyclesOf(work, sizes, blocks / before.outerRows) +
      parts * cyclesOfRows(numbers * before.operations, numbers * before.exps);
  // Items of the last block are shorter: so are rounds of such alone.
  double items = blocks * parts, rounds = std::ceil(items / threads);
  double others = items - (rounds - 1) * threads;
  double shortRounds =
      parts < others ? 0 : 1 + std::floor((parts - others) / threads);
  double lastRows = rows - (blocks - 1) * blockRows;
  double rowsOfThread =
      ((rounds - shortRounds) * blockRows + shortRounds * lastRows) / parts;
  cycles *= std::max(1.0, rowsOfThread * threads / rows);
  double bytes =
      work.movedBytes * double(sizes.batch) * double(sizes.queries) * depth +
      numbers * before.movedBytes - 2 * numbers * double(work.bits) / 8;
  Prediction made = predictItems(cycles, bytes, threads);
  made.bytes += blockRows * depth * bytesOfTerm;
  return made;
}
