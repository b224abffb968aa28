// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The banded schedule: pieces of the rows of a pool whose weights are given.

#include "passes/schedule/x86/pool/Banded.h"
#include "passes/schedule/x86/pool/BandedTile.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

/// Multiply-adds of the pool, or copies.
static Value emitWork(IndexMath &at, StructuredPoolOp op, BandedTile &shape) {
  int64_t width = op.getBand() ? 2 * op.getHalfWidth() + 1 : 1;
  Value terms =
      at.mul(shape.sizeOf({op.getValue(), 2}), op.getHeadsDim().size() * width);
  if (op.getErrorIndex())
    terms = at.add(terms, shape.sizeOf({op.getErrorIndex(), 0}));
  return at.mul(at.mul(terms, op.getValue().getType().getDimSize(3)),
                shape.sizeOf({op.getValue(), 0}));
}

void mixattn::scheduleBanded(KernelOp kernel, const TileSizes &sizes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<StructuredPoolOp>(kernel.getAnchor());
  Scratch counted;
  BandedTile shape(b, kernel, sizes, counted);
  shape.emit({}, {}, {}, {}, {});
  Value batches = shape.sizeOf({op.getValue(), 0});
  Value length = shape.sizeOf({op.getValue(), 2});
  Value pieces = at.div(at.add(length, sizes.block - 1), sizes.block);
  PoolTables tables = emitPoolTables(b, kernel, sizes, pieces);

  int64_t heads = op.getHeadsDim().size();
  int64_t piecesOfItem = std::max<int64_t>(1, rowsOfItem / sizes.block);
  Value itemsOfHead = at.div(at.add(pieces, piecesOfItem - 1), piecesOfItem);
  emitGrid(b, at.mul(at.mul(batches, itemsOfHead), heads),
           at.compare(arith::CmpIPredicate::sgt, emitWork(at, op, shape),
                      thresholds::fewPooled),
           at.value(counted.taken),
           [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
             IndexMath at(b);
             Value head = at.div(item, itemsOfHead);
             Value first = at.mul(at.rem(item, itemsOfHead), piecesOfItem);
             Value last = at.min(at.add(first, piecesOfItem), pieces);
             auto loop = scf::ForOp::create(b, first, last, at.value(1));
             OpBuilder::InsertionGuard guard(b);
             b.setInsertionPointToStart(loop.getBody());
             BandedTile(b, kernel, sizes, scratch)
                 .emit(at.div(head, heads), at.rem(head, heads),
                       loop.getInductionVar(), pieces, tables);
           });
  for (Value buffer : {tables.columns, tables.order, tables.ends})
    if (buffer)
      memref::DeallocOp::create(b, buffer);
  kernel.erase();
}
