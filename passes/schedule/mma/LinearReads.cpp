// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of queries of linear attention, which read states of all keys.

#include "passes/schedule/mma/LinearReads.h"

#include "passes/schedule/mma/Linear.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

static constexpr int64_t chunk = LinearSizes::chunk;

void LinearQueries::takeTiles() {
  tile = block.takeTile(block.sizes.panels, chunk);
  shared = block.takeSharedNumbers(features, 1);
}

void LinearQueries::emitQueries(Value head, Value first, Value count) {
  ImplicitLocOpBuilder &b = block.b;
  IndexMath at(b);
  auto rowOf = [&](Value row) {
    return [&, row](Value column) {
      return block.read(op.getQuery(),
                        {block.batch, head, at.add(first, row), column});
    };
  };
  if (shared) {
    block.forEach(
        block.thread, at.value(chunk), LinearSizes::threads, [&](Value row) {
          Value common = block.numberIf(
              block.isBelow(row, count), features.getSharedType(),
              [&] { return features.emitShared(rowOf(row)); });
          tile::SharedWriteOp::create(b, common, shared, at.value(0), row);
        });
    block.emitBarrier();
  }
  block.emitFeatures(tile, count, [&](Value row, Value feature) {
    Value common;
    if (shared)
      common = tile::SharedReadOp::create(b, features.getSharedType(), shared,
                                          at.value(0), row);
    return features.emit(rowOf(row), feature, common);
  });
}

Value LinearQueries::emitReads(const Halves &state, Value sums) {
  for (int64_t panel = 0; panel < block.sizes.panels; ++panel)
    sums = block.emitProduct(block.panelOf(tile, panel), /*isTurned=*/false,
                             block.panelOf(state, panel),
                             /*isTransposed=*/false, sums);
  return sums;
}

Value LinearQueries::emitReadAgain(const Halves &state, Value row,
                                   Value column) {
  ImplicitLocOpBuilder &b = block.b;
  Value end = arith::ConstantIndexOp::create(b, block.sizes.features);
  return block.emitSum(end, [&](Value feature) -> Value {
    return arith::MulFOp::create(b, block.featureAt(tile, row, feature),
                                 block.numberAt(state, feature, column));
  });
}

namespace {

/// Emits what a chunk of queries of one head reads.
class ReadBlock : public LinearBlock {
public:
  ReadBlock(ImplicitLocOpBuilder &b, KernelOp kernel, LinearReadOp op,
            const LinearSizes &sizes)
      : LinearBlock(b, kernel, sizes), op(op), queries(*this, op) {}

  void emit(tile::GridOp grid);

private:
  Value emitState(Value feature, Value column);

  LinearReadOp op;
  LinearQueries queries;
};

} // namespace

/// A number of the state that the block's head reads, or of its totals.
Value ReadBlock::emitState(Value feature, Value column) {
  Value isTotal = at.compare(arith::CmpIPredicate::eq, column, sizes.columns);
  Value isThere = both(isBelow(feature, b.getIndexAttr(op.getRows())),
                       isBelow(column, b.getIndexAttr(sizes.columns + 1)));
  auto ofHead = [&](Value source) {
    Value row = at.add(at.mul(source, op.getRows()), feature);
    auto choice = scf::IfOp::create(b, b.getF32Type(), isTotal,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, read(op.getTotals(), {batch, row}));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(
        b, read(op.getStates(), {batch, row, at.add(firstColumn, column)}));
    return choice.getResult(0);
  };
  auto heads = int64_t(op.getHeads());
  return numberIf(isThere, b.getF32Type(), [&]() -> Value {
    if (!op.getPremixer())
      return ofHead(
          at.div(head, op.getQuery().getType().getDimSize(1) / heads));
    Value sum = number(0);
    for (int64_t k = 0; k < heads; ++k) {
      Value term = arith::MulFOp::create(
          b, read(op.getPremixer(), {at.value(k), head}), ofHead(at.value(k)));
      sum = arith::AddFOp::create(b, sum, term);
    }
    return sum;
  });
}

void ReadBlock::emit(tile::GridOp grid) {
  emitItem(grid);
  queries.takeTiles();
  Halves state = takeTile(sizes.panels, sizes.width());
  Value all = sizeOf(op.getQuery(), 2);
  Value first = at.mul(grid.getItem()[0], chunk);
  queries.emitQueries(head, first, at.min(at.sub(all, first), chunk));
  emitNumbers(state,
              [&](Value row, Value column) { return emitState(row, column); });
  emitBarrier();
  Value sums = queries.emitReads(state, zeros(sizes.width()));
  Quotient quotient = {op.getEps().convertToDouble(),
                       op.getOutputScale().convertToDouble()};
  Value results = emitQuotients(sums, quotient);
  Value count =
      memref::LoadOp::create(b, buffers.bufferOf(op.getCounts()), batch);
  Value isEmpty = arith::CmpIOp::create(
      b, arith::CmpIPredicate::sle, count,
      arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
  results = arith::SelectOp::create(b, isEmpty, zeros(sizes.width()), results);
  Value target =
      KernelBuffers::matrixAt(b, kernel.getOutputs()[0], {batch, head});
  emitStore(results, target, first, all);
  emitRowsAgain(results, target, first, at.sub(all, first), quotient,
                [&](Value row, Value column) {
                  return queries.emitReadAgain(state, row, column);
                });
}

void mma::scheduleLinearRead(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<LinearReadOp>(kernel.getAnchor());
  LinearSizes sizes = LinearSizes::of(LinearReadsOpInterface(op));
  Value query = kernel.getOperandOf(op.getQuery());
  auto sizeOf = [&](int64_t dim) {
    return b.createOrFold<memref::DimOp>(query, dim);
  };
  auto grid = tile::GridOp::create(
      b,
      ValueRange{at.div(at.add(sizeOf(2), chunk - 1), chunk),
                 at.value(op.getQuery().getType().getDimSize(1) *
                          sizes.columnBlocks()),
                 sizeOf(0)},
      LinearSizes::threads);
  ReadBlock(b, kernel, op, sizes).emit(grid);
  kernel.erase();
}
