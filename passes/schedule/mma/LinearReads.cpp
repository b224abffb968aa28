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
  tile = {block.takeParts(block.sizes.panels, chunk, block.sizes.queryParts)};
  shared = block.takeSharedNumbers(features, 1);
  if (block.sizes.landsInFeatures(op.getQuery())) {
    auto type = tile::SharedType::getPadded(chunk, chunk,
                                            op.getQueryType().getElementType());
    auto rests = tile.low.getDefiningOp<tile::SharedTileOp>();
    rows = tile::SharedTileOp::create(block.b, type, rests.getOffset());
  } else if (block.sizes.copies(op.getQuery())) {
    rows = block.takeRows(op.getQuery());
  }
}

void LinearQueries::beginQueries(Value head, Value first, Value end) {
  if (!rows)
    return;
  block.beginCopy(block.matrixOf(op.getQuery(), {block.batch, head}), first,
                  end, rows);
  tile::MmaCommitOp::create(block.b);
}

void LinearQueries::emitQueries(Value head, Value first, Value end) {
  ImplicitLocOpBuilder &b = block.b;
  IndexMath at(b);
  Value count = at.min(at.sub(end, first), chunk);
  auto rowOf = [&](Value row) {
    return [&, row](Value column) {
      if (rows)
        return block.readTile(rows, row, column);
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
  block.emitFeatures(
      tile, count, features.isPointwise(),
      [&](Value row, Value feature, int64_t numbers) {
        Value common;
        if (shared)
          common = tile::SharedReadOp::create(b, features.getSharedType(),
                                              shared, at.value(0), row);
        LinearBlock::Values all;
        for (int64_t i = 0; i < numbers; ++i)
          all.push_back(features.emit(rowOf(row), at.add(feature, i), common));
        return all;
      });
}

Value LinearQueries::emitReads(const PartsAndOnes &state, Value sums) {
  for (int64_t panel = 0; panel < block.sizes.panels; ++panel)
    sums = block.emitProduct(block.panelOf(tile, panel), /*isTurned=*/false,
                             block.panelOf(state, panel),
                             /*isTransposed=*/false, sums);
  return sums;
}

Value LinearQueries::emitReadAgain(const PartsAndOnes &state, Value row,
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
  Values emitState(Value feature, Value column);
  void emitResults(const PartsAndOnes &state, Value first, Value all);

  LinearReadOp op;
  LinearQueries queries;
  /// Whether the batch row has no key that counts.
  Value isEmpty;
};

} // namespace

/// Numbers of the state that the block's head reads, in a group of columns from
/// `column` on: columns of values, or of ones, the first of which are totals.
ReadBlock::Values ReadBlock::emitState(Value feature, Value column) {
  constexpr int64_t group = LinearSizes::group;
  SmallVector<Type> types(group, b.getF32Type());
  Value states = buffers.bufferOf(op.getStates());
  int64_t columns = cast<MemRefType>(states.getType()).getDimSize(2);
  Value own = at.add(firstColumn, column);
  Value isRow = isBelow(feature, b.getIndexAttr(op.getRows()));
  Value isSum = both(isBelow(column, at.value(sizes.columns)),
                     isBelow(own, b.getIndexAttr(columns)));
  Value isTotal = at.compare(arith::CmpIPredicate::eq, column, sizes.columns);
  auto ofHead = [&](Value source) {
    Value row = at.add(at.mul(source, op.getRows()), feature);
    Values sums = numbersIf(isSum, types, [&] {
      Values numbers;
      for (int64_t i = 0; i < group; ++i)
        numbers.push_back(read(op.getStates(), {batch, row, at.add(own, i)}));
      return numbers;
    });
    Value total = numberIf(isTotal, b.getF32Type(),
                           [&] { return read(op.getTotals(), {batch, row}); });
    sums[0] = arith::SelectOp::create(b, isTotal, total, sums[0]);
    return sums;
  };
  auto heads = int64_t(op.getHeads());
  return numbersIf(isRow, types, [&] {
    if (!op.getPremixer())
      return ofHead(
          at.div(head, op.getQuery().getType().getDimSize(1) / heads));
    Values sums(group, number(0));
    for (int64_t k = 0; k < heads; ++k) {
      Value weight = read(op.getPremixer(), {at.value(k), head});
      for (auto [sum, own] : llvm::zip_equal(sums, ofHead(at.value(k))))
        sum = arith::AddFOp::create(b, sum,
                                    arith::MulFOp::create(b, weight, own));
    }
    return sums;
  });
}

/// The results of the queries from `first` on, of `all`, whose features are
/// there.
void ReadBlock::emitResults(const PartsAndOnes &state, Value first, Value all) {
  Value sums = queries.emitReads(state, zeros(sizes.width()));
  Quotient quotient = {op.getEps().convertToDouble(),
                       op.getOutputScale().convertToDouble()};
  Value results = emitQuotients(sums, quotient);
  results = arith::SelectOp::create(b, isEmpty, zeros(sizes.width()), results);
  Value target =
      KernelBuffers::matrixAt(b, kernel.getOutputs()[0], {batch, head});
  emitStore(results, target, first, all);
  emitRowsAgain(results, target, first, at.sub(all, first), quotient,
                [&](Value row, Value column) {
                  return queries.emitReadAgain(state, row, column);
                });
}

void ReadBlock::emit(tile::GridOp grid) {
  emitItem(grid);
  queries.takeTiles();
  PartsAndOnes state = {takeParts(sizes.panels, sizes.width(), sizes.parts())};
  Value all = sizeOf(op.getQuery(), 2);
  Value begin = at.mul(grid.getItem()[0], LinearSizes::readQueries);
  Value end = at.min(at.add(begin, LinearSizes::readQueries), all);
  queries.beginQueries(head, begin, end);
  emitNumbers(state,
              [&](Value row, Value column) { return emitState(row, column); });
  Value count =
      memref::LoadOp::create(b, buffers.bufferOf(op.getCounts()), batch);
  isEmpty = arith::CmpIOp::create(
      b, arith::CmpIPredicate::sle, count,
      arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
  forEach(begin, end, chunk, [&](Value first) {
    emitWaitForCopies();
    queries.emitQueries(head, first, end);
    emitBarrier();
    queries.beginQueries(head, at.add(first, chunk), end);
    emitResults(state, first, all);
  });
  tile::MmaWaitOp::create(b, 0, /*own=*/true);
}

void mma::scheduleLinearRead(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<LinearReadOp>(kernel.getAnchor());
  LinearSizes sizes = LinearSizes::ofReads(op, sharedBytes);
  constexpr int64_t each = LinearSizes::readQueries;
  Value query = kernel.getOperandOf(op.getQuery());
  auto sizeOf = [&](int64_t dim) {
    return b.createOrFold<memref::DimOp>(query, dim);
  };
  auto grid = tile::GridOp::create(
      b,
      ValueRange{at.div(at.add(sizeOf(2), each - 1), each),
                 at.value(op.getQuery().getType().getDimSize(1) *
                          sizes.columnBlocks()),
                 sizeOf(0)},
      LinearSizes::threads);
  ReadBlock(b, kernel, op, sizes).emit(grid);
  kernel.erase();
}
