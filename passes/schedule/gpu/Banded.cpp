// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools whose weights are given, on a GPU: rows of a warp in their order.

#include "passes/schedule/gpu/Banded.h"

#include "passes/body/ScoreBody.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/gpu/BandedRows.h"
#include "passes/schedule/gpu/NeverUnroll.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

using Values = SmallVector<Value>;

static constexpr int64_t warps = bandedWarps, warpRows = bandedRows;

namespace {

/// Emits the code of a block of threads.
class BandedBlock {
public:
  BandedBlock(ImplicitLocOpBuilder &b, KernelOp kernel,
              const PoolTables &tables)
      : b(b), at(b), kernel(kernel),
        op(cast<StructuredPoolOp>(kernel.getAnchor())), tables(tables),
        buffers(ValueRange(kernel.getInputs())),
        features(op.getValue().getType().getDimSize(3)),
        blockFeatures(std::min(features, mostBandedFeatures)),
        reach(op.getBand() ? op.getHalfWidth() : 0) {}

  void emit();

private:
  static constexpr int64_t lanes = BandedRows::lanes, step = BandedRows::step;

  int64_t numColumns() const { return (blockFeatures + lanes - 1) / lanes; }
  Value length() {
    return b.createOrFold<memref::DimOp>(buffers.bufferOf(op.getValue()), 2);
  }
  /// The lane's values of `row`, one for each of its features.
  Values readRow(Value row);
  Values readRows(Value first, BandedRows &rows);
  Values emitBand(BandedRows &rows, ArrayRef<Value> values);
  void emitStores(Value first, Value end, BandedRows &rows,
                  ArrayRef<Value> sums);
  void emitWarp(Value first, Value end);

  ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  StructuredPoolOp op;
  PoolTables tables;
  KernelBuffers buffers;
  int64_t features, blockFeatures;
  /// Rows that a band reads before and after a row.
  int64_t reach;
  Value batch, head, valueHead, lane;
  /// The lane's features, and those of them that there are.
  Values own, isOwn;
};

} // namespace

Values BandedBlock::readRow(Value row) {
  Values values;
  Value buffer = buffers.bufferOf(op.getValue());
  for (Value feature : own)
    values.push_back(
        toF32(b, b.getLoc(),
              memref::LoadOp::create(
                  b, buffer, ValueRange{batch, valueHead, row, feature})));
  return values;
}

/// Values of the rows that a step reads first: those at the band's right end,
/// or those of the rows' columns.
Values BandedBlock::readRows(Value first, BandedRows &rows) {
  Values values;
  Value last = at.sub(length(), 1);
  for (int64_t u = 0; u < step; ++u)
    llvm::append_range(values,
                       readRow(tables.columns
                                   ? rows.columnOf(u)
                                   : at.min(at.add(first, reach + u), last)));
  return values;
}

/// sum_t band[h,i,t] value[b,h',i+t-w,d]. What has no weight adds nothing.
Values BandedBlock::emitBand(BandedRows &rows, ArrayRef<Value> values) {
  int64_t columns = numColumns();
  if (!op.getBand())
    return Values(values);
  Values sums;
  for (int64_t u = 0; u < step; ++u) {
    Values own(columns, rows.number(0));
    for (int64_t t = 0; t <= 2 * reach; ++t) {
      Value weight = rows.weightOf(u, t);
      for (int64_t c = 0; c < columns; ++c)
        own[c] =
            rows.addWeighted(weight, values[(u + t) * columns + c], own[c]);
    }
    llvm::append_range(sums, own);
  }
  return sums;
}

void BandedBlock::emitStores(Value first, Value end, BandedRows &rows,
                             ArrayRef<Value> sums) {
  Value target = kernel.getOutputs()[0];
  Type type = cast<MemRefType>(target.getType()).getElementType();
  size_t next = 0;
  for (int64_t u = 0; u < step; ++u) {
    Value row = at.add(first, u);
    Value isRow = at.compare(arith::CmpIPredicate::slt, row, end);
    for (auto [feature, isThere] : llvm::zip(own, isOwn)) {
      Value result = rows.emitNormalised(u, sums[next++]);
      auto choice = scf::IfOp::create(
          b, arith::AndIOp::create(b, isRow, isThere), /*withElse=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      memref::StoreOp::create(b, fromF32(b, b.getLoc(), result, type), target,
                              ValueRange{batch, head, row, feature});
    }
  }
}

void BandedBlock::emitWarp(Value first, Value end) {
  BandedRows rows(b, kernel, tables, head, lane);
  int64_t kept = 2 * reach * numColumns();
  Values inits;
  for (int64_t t = 0; t < 2 * reach; ++t) {
    Value row = at.max(at.sub(at.add(first, t), reach), 0);
    llvm::append_range(inits, readRow(at.min(row, at.sub(length(), 1))));
  }
  llvm::append_range(inits, rows.emitFirstError(first));
  auto loop = scf::ForOp::create(b, first, end, at.value(step), inits);
  neverUnroll(loop);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  rows.begin(row);
  Values values(loop.getRegionIterArgs().take_front(kept));
  llvm::append_range(values, readRows(row, rows));
  Values sums = emitBand(rows, values);
  Values errors =
      rows.emitErrors(loop.getRegionIterArgs().drop_front(kept), sums,
                      [&](Value column) { return readRow(column); });
  emitStores(row, end, rows, sums);
  Values next(ArrayRef(values).take_back(kept));
  llvm::append_range(next, errors);
  // A loop that carries nothing has its end already.
  if (!next.empty())
    scf::YieldOp::create(b, next);
}

void BandedBlock::emit() {
  int64_t pieces = (features + blockFeatures - 1) / blockFeatures;
  constexpr int64_t blockRows = warps * warpRows;
  auto grid = tile::GridOp::create(
      b,
      ValueRange{
          at.div(at.add(length(), blockRows - 1), blockRows),
          at.value(op.getHeadsDim().size() * pieces),
          b.createOrFold<memref::DimOp>(buffers.bufferOf(op.getValue()), 0)},
      warps * lanes);
  b.setInsertionPointToStart(&grid.getBody().front());
  batch = grid.getItem()[2];
  head = at.div(grid.getItem()[1], pieces);
  valueHead = at.div(head, op.getValueGroup());
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  lane = at.rem(thread, lanes);
  Value firstFeature = at.mul(at.rem(grid.getItem()[1], pieces), blockFeatures);
  for (int64_t c = 0; c < numColumns(); ++c) {
    Value feature = at.add(firstFeature, at.add(lane, c * lanes));
    isOwn.push_back(at.compare(arith::CmpIPredicate::slt, feature, features));
    own.push_back(at.min(feature, features - 1));
  }
  Value first = at.add(at.mul(grid.getItem()[0], blockRows),
                       at.mul(at.div(thread, lanes), warpRows));
  Value end = at.min(at.add(first, warpRows), length());
  // Lanes of a warp exchange weights: all of them have rows, or none has.
  auto choice =
      scf::IfOp::create(b, at.compare(arith::CmpIPredicate::slt, first, end),
                        /*withElseRegion=*/false);
  b.setInsertionPointToStart(choice.thenBlock());
  emitWarp(first, end);
}

void gpus::scheduleBanded(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  PoolTables tables = emitPoolTables(b, kernel);
  {
    OpBuilder::InsertionGuard guard(b);
    BandedBlock(b, kernel, tables).emit();
  }
  for (Value buffer : {tables.columns, tables.order})
    if (buffer)
      memref::DeallocOp::create(b, buffer);
  kernel.erase();
}
