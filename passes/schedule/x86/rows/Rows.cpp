// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows schedule: a grid of blocks of rows.

#include "passes/schedule/x86/rows/Rows.h"

#include "passes/schedule/x86/rows/RowKernel.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"

using namespace mlir;
using namespace mixattn;

void mixattn::scheduleRows(KernelOp kernel, int64_t lanes, bool asksAhead) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  RowKernel code(b, kernel, lanes);
  auto quotientUp = [&](Value size, auto part) {
    return at.div(at.sub(at.add(size, part), 1), part);
  };
  SmallVector<Value> sizes;
  Value rows = at.value(1);
  for (unsigned loop = 0; loop < code.getNumRowLoops(); ++loop)
    sizes.push_back(code.getRows(loop));
  // Turned rows are counted in squares.
  bool isTurned = code.hasTurnedRows();
  Value end = isTurned ? sizes.back() : Value();
  if (isTurned)
    sizes.back() = quotientUp(end, lanes);
  for (Value size : sizes)
    rows = at.mul(rows, size);
  // So many turns hide what an item costs.
  constexpr int64_t turnsOfItem = 4096;
  constexpr int64_t fewestLanes = 256, mostLanes = 2048;
  Value turns = code.countTurns();
  if (isTurned)
    turns = at.mul(turns, lanes);
  Value tall = at.max(at.div(at.value(turnsOfItem), at.max(turns, 1)), 1);
  Value blocks = quotientUp(rows, tall);
  Value width, parts = at.value(1), lanesOfItem;
  if (code.hasSeparateLanes()) {
    width = code.countLanes();
    // The more turns a lane has, the fewer lanes.
    Value fitting = at.div(at.mul(width, turnsOfItem), at.max(turns, 1));
    lanesOfItem = at.mul(at.div(fitting, fewestLanes), fewestLanes);
    lanesOfItem = at.min(at.max(lanesOfItem, fewestLanes), mostLanes);
    parts = quotientUp(width, lanesOfItem);
  }
  emitGrid(b, at.mul(blocks, parts),
           at.compare(arith::CmpIPredicate::sgt, at.mul(rows, turns),
                      thresholds::fewTurns),
           code.countScratch(),
           [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
             IndexMath at(b);
             RowKernel code(b, kernel, lanes);
             if (asksAhead)
               code.askAhead();
             Value from, to;
             if (width) {
               from = at.mul(at.rem(item, parts), lanesOfItem);
               to = at.min(at.add(from, lanesOfItem), width);
             }
             Value first = at.mul(at.div(item, parts), tall);
             Value last = at.min(at.add(first, tall), rows);
             auto loop = scf::ForOp::create(b, first, last, at.value(1));
             OpBuilder::InsertionGuard guard(b);
             b.setInsertionPointToStart(loop.getBody());
             SmallVector<Value> row(sizes.size());
             Value rest = loop.getInductionVar();
             for (unsigned i = sizes.size(); i > 1; --i) {
               row[i - 1] = at.rem(rest, sizes[i - 1]);
               rest = at.div(rest, sizes[i - 1]);
             }
             if (!row.empty())
               row[0] = rest;
             if (!isTurned)
               return code.emit(row, scratch.memory, from, to);
             row.back() = at.mul(row.back(), lanes);
             code.emitTurned(row, end, scratch.memory, from, to);
           });
  kernel.erase();
}
