// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of the dense schedule.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_GRID_H
#define MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_GRID_H

#include "passes/schedule/x86/dense/DenseRows.h"

namespace mixattn {

/// How a grid divides its result.
struct DenseGridSizes {
  /// Items of `threads` threads, so that all of them end at about the same
  /// time.
  static int64_t itemsOf(int64_t threads) { return 4 * threads; }
  /// The same where more of them make rows more often.
  static int64_t fewItemsOf(int64_t threads) {
    return threads == 1 ? 1 : 2 * threads;
  }
  /// Rows of a tile below which packing the right side shows.
  static constexpr int64_t fewestRows = 48;
  /// The part of the second cache that left rows of a tile may fill where the
  /// kernel holds them: all panels read them.
  static int64_t bytesOfRows(const CpuModel &cpu) { return cpu.l2 / 2; }
  /// The same where AMX reads rows as they lie.
  static int64_t bytesOfReadRows(const CpuModel &cpu) { return cpu.l2 / 8 * 3; }
  /// The most rows that the kernel makes again for other panels of `bytes` a
  /// term, in place of reading the panels again for other rows: the longest
  /// that this waits, in cycles of making a number, which is an estimate.
  static int64_t mostRowsAgain(const CpuModel &cpu, double bytes) {
    return int64_t(bytes / cpu.l3Rate * (1 - cpu.costs.hiddenReads));
  }
  /// The part that all left rows, or all panels, of AMX's products may fill to
  /// stay there; and the rows of a tile where all panels do.
  static int64_t bytesOfAll(const CpuModel &cpu) { return cpu.l2 / 4 * 3; }
  static constexpr int64_t fewRows = 64;
};

/// Emits a grid of tiles of one size. An item is a tile: a block of rows, and a
/// panel of lanes. Where the kernel holds the rows of its left side, an item is
/// a block of rows and several panels, as few items as leave all threads some:
/// each makes, or copies, the rows of its block.
class DenseGrid {
public:
  DenseGrid(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
            const Contraction &op, const CpuModel &cpu, const TileSizes &sizes);

  void emit();

private:
  /// Whether AMX multiplies rows that lie in memory.
  bool readsByAmx() const { return DenseTile::isAmxOf(op, sizes) && !held; }
  static constexpr int64_t bytesOfTerm = 2;
  mlir::Value keepsPanels();
  mlir::Value makesAgain();
  mlir::Value quotientUp(mlir::Value size, IndexMath::Index part);
  void divide();
  std::pair<mlir::Value, mlir::Value> findPlace(mlir::Value item);
  void emitItem(mlir::Value item, Scratch &scratch);
  void emitPanel(mlir::Value panel, llvm::function_ref<void(bool packs)> emit);

  mlir::ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  Contraction op;
  const CpuModel &cpu;
  TileSizes sizes;
  /// Takes no scratch, but counts what a tile takes.
  Scratch counted;
  DenseTile shape;
  std::optional<DenseRows> held;
  /// All rows and lanes.
  mlir::Value rows, lanes;
  /// The turns of each loop of the batch, and of all together.
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> batches;
  mlir::Value times;
  /// Blocks of rows, and rows of one; panels, and panels of an item; items of a
  /// block.
  mlir::Value blocks, blockRows, panels, group, parts;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_GRID_H
