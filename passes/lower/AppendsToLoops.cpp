// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-appends-to-loops: writes new rows into caches, an element a step.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"
#include "passes/body/IndexMath.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mixattn {
#define GEN_PASS_DEF_APPENDSTOLOOPSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Copies the element of the rows at `place` to where its position lies in the
/// cache. One beyond the cache, and one before it, is copied nowhere.
static void copyElement(AppendOp op, ImplicitLocOpBuilder &b,
                        ValueRange place) {
  IndexMath at(b);
  int64_t along = op.getPositionDim();
  Value start = memref::LoadOp::create(b, op.getStart(), place.front());
  start = arith::IndexCastOp::create(b, b.getIndexType(), start);
  Value room = b.createOrFold<memref::DimOp>(op.getCache(), along);
  Value position = at.add(start, place[along]);
  Value isWritten;
  if (op.getRing()) {
    // Of more rows than a ring has room for the last ones stay.
    Value left = at.sub(b.createOrFold<memref::DimOp>(op.getRows(), along),
                        place[along]);
    isWritten = at.compare(arith::CmpIPredicate::ule, left, room);
    position = at.rem(position, room);
  } else {
    isWritten = at.compare(arith::CmpIPredicate::ult, position, room);
  }
  SmallVector<Value> target(place);
  target[along] = position;
  auto inside = scf::IfOp::create(b, isWritten, /*withElseRegion=*/false);
  b.setInsertionPointToStart(inside.thenBlock());
  Value element = memref::LoadOp::create(b, op.getRows(), place);
  memref::StoreOp::create(b, element, op.getCache(), target);
}

static void emitLoops(AppendOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  IndexMath at(b);
  SmallVector<Value> sizes;
  for (int64_t dim = 0;
       dim < cast<MemRefType>(op.getRows().getType()).getRank(); ++dim)
    sizes.push_back(b.createOrFold<memref::DimOp>(op.getRows(), dim));
  SmallVector<Value> zeros(sizes.size(), at.value(0));
  SmallVector<Value> ones(sizes.size(), at.value(1));
  scf::ParallelOp::create(b, zeros, sizes, ones,
                          [&](OpBuilder &, Location, ValueRange place) {
                            ImplicitLocOpBuilder inner(op.getLoc(), op);
                            Block *body = place.front().getParentBlock();
                            inner.setInsertionPointToStart(body);
                            copyElement(op, inner, place);
                          });
  op.erase();
}

namespace {

struct AppendsToLoopsPass
    : mixattn::impl::AppendsToLoopsPassBase<AppendsToLoopsPass> {
  void runOnOperation() override {
    SmallVector<AppendOp> ops;
    getOperation()->walk([&](AppendOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    llvm::for_each(ops, emitLoops);
  }
};

} // namespace
