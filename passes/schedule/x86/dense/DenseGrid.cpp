// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dense schedule: a grid of tiles of a contraction's result.

#include "passes/schedule/x86/dense/DenseGrid.h"

#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

DenseGrid::DenseGrid(ImplicitLocOpBuilder &b, KernelOp kernel,
                     const Contraction &op, const CpuModel &cpu,
                     const TileSizes &sizes)
    : b(b), at(b), kernel(kernel), op(op), cpu(cpu), sizes(sizes),
      shape(b, kernel, op, sizes, counted), rows(shape.sizeOf(op.rows)),
      lanes(shape.sizeOf(op.lanes)), times(at.value(1)) {
  shape.takeScratch();
  if (shape.isHeld())
    held.emplace(b, kernel, op, sizes, shape);
  for (unsigned loop : op.batches) {
    batches.emplace_back(loop, shape.sizeOf(loop));
    times = at.mul(times, batches.back().second);
  }
  divide();
}

/// `size` in parts of `part`, rounded up. Where a size of the result is 0, so
/// are blocks or panels, of which then others would be parts: these are 1.
Value DenseGrid::quotientUp(Value size, IndexMath::Index part) {
  Value number = at.max(at.value(part), 1);
  return at.div(at.sub(at.add(size, number), 1), number);
}

/// Whether AMX finds all panels in the second cache, which are there; null
/// where it never does.
Value DenseGrid::keepsPanels() {
  if (!readsByAmx())
    return {};
  std::optional<int64_t> terms = getConstantIntValue(shape.sizeOf(op.depths)),
                         known = getConstantIntValue(lanes);
  bool areFew =
      known && terms &&
      *terms * *known * bytesOfTerm <= DenseGridSizes::bytesOfAll(cpu);
  return areFew ? shape.arePanelsThere() : Value();
}

/// Whether parts of the panels rather than blocks of rows leave all threads
/// some, where the kernel makes the rows.
Value DenseGrid::makesAgain() {
  std::optional<int64_t> known = getConstantIntValue(lanes);
  double bytes =
      double(known.value_or(0)) * (DenseTile::arePairsOf(op, sizes) ? 2 : 4);
  return at.compare(arith::CmpIPredicate::sle, rows,
                    DenseGridSizes::mostRowsAgain(cpu, bytes));
}

void DenseGrid::divide() {
  auto number = [&](int64_t value) { return b.getIndexAttr(value); };
  panels = quotientUp(lanes, number(shape.countLanes()));
  Value wanted = at.value(DenseGridSizes::itemsOf(cpu.threads));
  Value mostRows = at.value(DenseTile::mostRowsOf(sizes));
  // Blocks alone divide what the kernel holds.
  Value others = held ? times : at.mul(panels, times);
  if (held)
    mostRows = at.min(
        mostRows, at.max(held->countFitting(DenseGridSizes::bytesOfRows(cpu)),
                         DenseGridSizes::fewestRows));
  // AMX reads left rows from the second cache for each panel. Where all panels
  // stay there, too, sums of fewer rows stay in the first one.
  if (readsByAmx()) {
    Value bytesOfRow = at.mul(at.max(shape.sizeOf(op.depths), 1), bytesOfTerm);
    Value fitting =
        at.div(at.value(DenseGridSizes::bytesOfReadRows(cpu)), bytesOfRow);
    mostRows = at.min(mostRows, at.max(fitting, DenseGridSizes::fewestRows));
  }
  if (Value keeps = keepsPanels())
    mostRows = b.createOrFold<arith::SelectOp>(
        keeps, at.min(mostRows, DenseGridSizes::fewRows), mostRows);
  // Blocks of equal size, enough of them for all threads.
  Value few = at.min(quotientUp(wanted, others),
                     quotientUp(rows, number(DenseGridSizes::fewestRows)));
  // To copy rows again takes little.
  if (held && held->areCopied())
    few = at.value(1);
  else if (held)
    few = b.createOrFold<arith::SelectOp>(makesAgain(), at.value(1), few);
  blocks = at.max(quotientUp(rows, mostRows), few);
  group = at.value(1);
  if (held) {
    Value items = at.value(DenseGridSizes::fewItemsOf(cpu.threads));
    Value most = quotientUp(items, at.mul(blocks, times));
    group = quotientUp(panels, at.min(panels, most));
    // Where panels stay together, each thread has as many blocks.
    Value even = at.mul(quotientUp(blocks, number(cpu.threads)), cpu.threads);
    blocks = b.createOrFold<arith::SelectOp>(
        at.compare(arith::CmpIPredicate::eq, most, 1), even, blocks);
  }
  parts = quotientUp(panels, group);
  blockRows = at.mul(quotientUp(quotientUp(rows, blocks), number(sizes.rows)),
                     sizes.rows);
  blocks = quotientUp(rows, blockRows);
}

/// Which block of rows, and which part of the panels, item `item` of these
/// takes. A thread has items that follow each other: it reads a share of the
/// larger side, and all of the smaller one.
std::pair<Value, Value> DenseGrid::findPlace(Value item) {
  Value areMany = at.compare(arith::CmpIPredicate::sge, rows, lanes);
  // Rows that leave the second cache would come from the shared one for each
  // panel, which AMX waits for: a block of them stays there.
  if (readsByAmx()) {
    Value terms = at.mul(rows, shape.sizeOf(op.depths));
    Value leave = at.compare(arith::CmpIPredicate::sgt, terms,
                             DenseGridSizes::bytesOfAll(cpu) / bytesOfTerm);
    areMany = b.createOrFold<arith::OrIOp>(areMany, leave);
  }
  if (Value keeps = keepsPanels())
    areMany = b.createOrFold<arith::OrIOp>(areMany, keeps);
  auto choose = [&](Value many, Value few) {
    return b.createOrFold<arith::SelectOp>(areMany, many, few);
  };
  Value inner = choose(parts, blocks);
  Value outer = at.div(item, inner), rest = at.rem(item, inner);
  return {choose(outer, rest), choose(rest, outer)};
}

/// Emits a tile of panel `panel` by `emit`, which packs the right side, or has
/// products read it as it lies.
void DenseGrid::emitPanel(Value panel, function_ref<void(bool packs)> emit) {
  if (!shape.canReadRight())
    return emit(true);
  Value areFew =
      at.compare(arith::CmpIPredicate::sle, rows, DenseTile::fewRows);
  Value isWhole =
      at.compare(arith::CmpIPredicate::sle,
                 at.mul(at.add(panel, 1), shape.countLanes()), lanes);
  Value reads = b.createOrFold<arith::AndIOp>(areFew, isWhole);
  if (Value areThere = shape.arePanelsThere())
    reads = b.createOrFold<arith::SelectOp>(
        areThere, at.compare(arith::CmpIPredicate::ne, panel, panel), reads);
  if (std::optional<int64_t> known = getConstantIntValue(reads))
    return emit(*known == 0);
  auto choice = scf::IfOp::create(b, reads, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emit(false);
  b.setInsertionPointToStart(choice.elseBlock());
  emit(true);
}

void DenseGrid::emitItem(Value item, Scratch &scratch) {
  Value ofBatch = at.mul(parts, blocks);
  Value rest = at.div(item, ofBatch);
  auto [block, part] = findPlace(at.rem(item, ofBatch));
  Value row = at.mul(block, blockRows);
  Value before = at.mul(rest, panels);
  Place place;
  for (auto [loop, size] : llvm::reverse(batches)) {
    place[loop] = at.rem(rest, size);
    rest = at.div(rest, size);
  }
  Value left;
  if (held)
    left = held->emit(place, row, at.min(at.sub(rows, row), blockRows),
                      blockRows, scratch.memory, at.value(counted.taken));
  auto emit = [&](Value panel) {
    emitPanel(panel, [&](bool packs) {
      Scratch own = scratch;
      DenseTile tile(b, kernel, op, sizes, own);
      tile.setLeftRows(left);
      Value lane = at.mul(panel, shape.countLanes());
      Value number =
          at.mul(at.add(before, panel), shape.countLanes() / sizes.width);
      tile.emit(place, number, row, lane, blockRows, packs);
    });
  };
  if (!held)
    return emit(part);
  Value first = at.mul(part, group);
  auto loop = scf::ForOp::create(b, first, at.min(at.add(first, group), panels),
                                 at.value(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  emit(loop.getInductionVar());
}

void DenseGrid::emit() {
  Value terms = at.mul(at.mul(rows, shape.sizeOf(op.depths)),
                       at.mul(at.mul(panels, times), shape.countLanes()));
  Value isLarge =
      at.compare(arith::CmpIPredicate::sgt, terms, thresholds::fewProjected);
  Value bytes = at.value(counted.taken);
  if (held)
    bytes = at.add(bytes, held->countBytes(blockRows));
  emitGrid(b, at.mul(at.mul(parts, times), blocks), isLarge, bytes,
           [&](ImplicitLocOpBuilder &, Value item, Scratch &scratch) {
             emitItem(item, scratch);
           });
}
