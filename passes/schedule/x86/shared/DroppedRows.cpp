// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the results of queries whose weights are all dropped.

#include "passes/schedule/x86/shared/DroppedRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

void mixattn::emitDroppedRows(ImplicitLocOpBuilder &b, AttentionOpInterface op,
                              KernelBuffers &buffers, Value target, Value batch,
                              Value first, Value count) {
  if (!op.getKeep())
    return;
  IndexMath at(b);
  auto type = cast<MemRefType>(target.getType());
  KeyRange range = emitKeyRange(b, op, buffers, first, count, batch);
  auto loop = scf::ForOp::create(b, first, at.add(first, count), at.value(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value query = loop.getInductionVar();
  Value keepsNone = emitKeepsNone(b, op, range, query);
  auto choice = scf::IfOp::create(b, keepsNone, /*withElseRegion=*/false);
  b.setInsertionPointToStart(choice.thenBlock());
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  auto row = scf::ForOp::create(b, at.value(0), at.value(type.getDimSize(1)),
                                at.value(1));
  b.setInsertionPointToStart(row.getBody());
  memref::StoreOp::create(b, zero, target,
                          ValueRange{query, row.getInductionVar()});
}
