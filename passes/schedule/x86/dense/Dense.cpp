// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dense schedule: the sizes of tiles, and what they go through.

#include "passes/schedule/x86/dense/Dense.h"

#include "passes/schedule/EmbeddedPanels.h"
#include "passes/schedule/x86/dense/DenseGrid.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

/// `op`, lanes of other loops than its innermost taken for batches where a
/// vector of `lanes` would reach from one turn of them into the next.
static Contraction limitLanes(Contraction op, int64_t lanes) {
  int64_t innermost = op.dimOf(op.lanes.back()).size();
  if (ShapedType::isDynamic(innermost) || innermost % lanes != 0) {
    op.batches.append(op.lanes.begin(), op.lanes.end() - 1);
    op.lanes = {op.lanes.back()};
  }
  return op;
}

/// Tiles of `op` whose sums fill the registers, `vectors` a row; by AMX, of a
/// row of squares.
static TileSizes fillRegisters(const CpuModel &cpu, const Contraction &op,
                               int64_t vectors) {
  // More of them wait for more broadcasts than there are multiply-adds.
  constexpr int64_t mostRows = 16;
  TileSizes sizes = TileSizes::of(cpu);
  sizes.width = vectors * sizes.lanes;
  if (DenseTile::isAmxOf(op, sizes)) {
    sizes.rows = DenseTile::amxRows;
    return sizes;
  }
  sizes.rows = std::min(cpu.mostRowsInRegisters(vectors), mostRows);
  return sizes;
}

/// The most vectors of a tile's row. A piece of a wide panel, and the left rows
/// that AMX multiplies it with, leave the first cache: two squares side by side
/// read less in a turn, but where there are few terms, the left rows.
static int64_t mostVectors(const CpuModel &cpu, const Contraction &op,
                           std::optional<int64_t> depth) {
  constexpr int64_t fewTerms = 128, amxVectors = 2;
  bool areFew = depth && *depth <= fewTerms;
  return DenseTile::isAmxOf(op, TileSizes::of(cpu)) && !areFew
             ? amxVectors
             : cpu.widestTile() / cpu.lanes;
}

/// The width of tiles that fit as many lanes, if their number is `known`, of so
/// many terms.
static TileSizes fitWidth(const CpuModel &cpu, const Contraction &op,
                          std::optional<int64_t> known,
                          std::optional<int64_t> depth) {
  TileSizes usual = fillRegisters(cpu, op, mostVectors(cpu, op, depth));
  if (!known)
    return usual;
  // The time of a multiply-add, relative to the widest tile's, and so the time
  // of all lanes, those included that there are not.
  constexpr double oneVector = 1.25, few = 1.02;
  TileSizes best = usual;
  double shortest = std::numeric_limits<double>::max();
  for (int64_t vectors = usual.vectors(); vectors > 0; --vectors) {
    TileSizes sizes = fillRegisters(cpu, op, vectors);
    // A third square of AMX has none to share a left square with.
    if (DenseTile::isAmxOf(op, sizes) && vectors == 3)
      continue;
    double factor = vectors == 1                 ? oneVector
                    : vectors == usual.vectors() ? 1
                                                 : few;
    double time = factor * double(llvm::alignTo(*known, sizes.width));
    if (time < shortest) {
      best = sizes;
      shortest = time;
    }
  }
  return best;
}

/// The lanes of the panels of f32 that `kernel` may have.
static std::optional<int64_t> findPanelWidth(KernelOp kernel) {
  Value panels = kernel.getPanels();
  if (!panels)
    return std::nullopt;
  auto type = cast<MemRefType>(panels.getType());
  if (!type.getElementType().isF32())
    return std::nullopt;
  return type.getDimSize(2);
}

/// Tiles of one row, whose time is that of reading `right`: as wide as leaves
/// all threads as much of it, or as its panels of `panelWidth` lanes.
static TileSizes fitRow(const CpuModel &cpu, const Contraction &op,
                        const DenseOperand &right,
                        std::optional<int64_t> panelWidth) {
  // Sums fill half of the registers.
  int64_t widest = cpu.registers / 2;
  TileSizes sizes = TileSizes::of(cpu);
  sizes.rows = 1;
  sizes.hasPairs = sizes.hasAmx = false;
  std::optional<int64_t> known = right.getKnownSize(op.lanes),
                         depth = right.getKnownSize(op.depths);
  int64_t bits = right.getElementType().getIntOrFloatBitWidth();
  int64_t secondCaches = 8 * cpu.threads * cpu.l2;
  bool leaves = !known || !depth || *known * *depth * bits > secondCaches;
  if (leaves && bits == 32 && cpu.readsSlowly()) {
    // Panels are read from end to end. Rows, where there are none, are read
    // fastest in narrow parts that ask for 4 KiB ahead, into the first cache.
    constexpr int64_t partVectors = 4, rowsAhead = 16;
    sizes.ahead = rowsAhead;
    if (panelWidth) {
      sizes.width = *panelWidth;
      return sizes;
    }
    widest = std::min(widest, partVectors);
  } else if (leaves) {
    // Hardware reads ahead within pages: it does so best in narrow parts, and
    // guesses wrong where rows are no whole pages. Numbers that are widened
    // take as long as they are read: more instructions would not pay.
    constexpr int64_t partBits = 8 * 512, pageBits = 8 * 4096, rowsAhead = 8;
    widest = std::min(widest, partBits / bits / cpu.lanes);
    bool arePages = known && *known * bits % pageBits == 0;
    sizes.ahead = arePages || bits < 32 ? 0 : rowsAhead;
  }
  // The time to begin a tile, in vectors.
  constexpr int64_t begin = 1;
  sizes.width = widest * cpu.lanes;
  if (!known)
    return sizes;
  int64_t shortest = std::numeric_limits<int64_t>::max();
  for (int64_t vectors = widest; vectors > 0; --vectors) {
    int64_t tiles = llvm::divideCeil(*known, vectors * cpu.lanes);
    int64_t time =
        int64_t(llvm::divideCeil(tiles, cpu.threads)) * (vectors + begin);
    if (time < shortest) {
      sizes.width = vectors * cpu.lanes;
      shortest = time;
    }
  }
  return sizes;
}

std::optional<PanelLayout> mixattn::findPanels(KernelOp kernel,
                                               const CpuModel &cpu) {
  Contraction op = limitLanes(*findContraction(kernel.getAnchor()), cpu.lanes);
  DenseOperand right(kernel.getOperandOf(op.right), op.rightMap),
      target(kernel.getOutputs()[0], op.resultMap);
  // Few rows read what lies in rows of lanes.
  std::optional<int64_t> rows = target.getKnownSize(op.rows);
  bool hasRows = right.isEven(op.depths) && right.isContiguous(op.lanes);
  int64_t few = right.getElementType().isF32() ? DenseTile::fewRows : 1;
  // An artifact holds its parameters in either order: panels are read from end
  // to end, where each row is on other pages.
  bool isFree = right.getElementType().isF32() &&
                findEmbedded(kernel.getOperandOf(op.right)) != nullptr;
  if (rows && *rows <= few && hasRows && !isFree)
    return std::nullopt;
  // Panels have no more terms than there are, and AMX reads whole steps.
  if (DenseTile::isAmxOf(op, TileSizes::of(cpu)) &&
      *right.getKnownSize(op.depths) % tile::amxTerms != 0)
    return std::nullopt;
  PanelLayout layout;
  auto addDims = [&](ArrayRef<unsigned> loops, auto &dims) {
    for (unsigned loop : loops)
      dims.push_back(*findLoop(op.rightMap, loop));
  };
  addDims(op.depths, layout.terms);
  addDims(op.lanes, layout.lanes);
  addDims(op.batches, layout.batches);
  layout.width = fitWidth(cpu, op, right.getKnownSize(op.lanes),
                          right.getKnownSize(op.depths))
                     .width;
  layout.arePairs = DenseTile::arePairsOf(op, TileSizes::of(cpu));
  return layout;
}

void mixattn::scheduleDense(KernelOp kernel, const CpuModel &cpu) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  Contraction op = limitLanes(*findContraction(kernel.getAnchor()), cpu.lanes);
  Scratch nothing;
  DenseTile shape(b, kernel, op, TileSizes::of(cpu), nothing);
  Value rows = shape.sizeOf(op.rows), lanes = shape.sizeOf(op.lanes);
  DenseOperand right(kernel.getOperandOf(op.right), op.rightMap);
  TileSizes sizes = fitWidth(cpu, op, getConstantIntValue(lanes),
                             getConstantIntValue(shape.sizeOf(op.depths)));
  // Panels of known sizes are there in each call: rows of f32 are not kept for
  // calls of one row. These take no pairs.
  bool areKept = false;
  if (Value panels = kernel.getPanels()) {
    auto type = cast<MemRefType>(panels.getType());
    int64_t numbers = type.getElementType().isBF16() ? 2 : 1;
    areKept = type.hasStaticShape() && numbers == 1;
    sizes = fillRegisters(cpu, op, type.getDimSize(2) / numbers / cpu.lanes);
  }
  std::optional<int64_t> known = getConstantIntValue(rows);
  if (known && !DenseTile::isAmxOf(op, sizes))
    sizes.rows = std::min(sizes.rows, *known);
  TileSizes row = fitRow(cpu, op, right, findPanelWidth(kernel));
  if (!shape.hasRowsOfLanes() || areKept || (known && *known > 1)) {
    DenseGrid(b, kernel, op, cpu, sizes).emit();
  } else if (known) {
    DenseGrid(b, kernel, op, cpu, row).emit();
  } else {
    auto choice = scf::IfOp::create(
        b, IndexMath(b).compare(arith::CmpIPredicate::sle, rows, 1),
        /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    DenseGrid(b, kernel, op, cpu, row).emit();
    b.setInsertionPointToStart(choice.elseBlock());
    DenseGrid(b, kernel, op, cpu, sizes).emit();
  }
  kernel.erase();
}
