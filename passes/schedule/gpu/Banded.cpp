// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools whose weights are given, on a GPU: rows of a warp in their order.

#include "passes/schedule/gpu/Banded.h"

#include "passes/body/NeverUnroll.h"
#include "passes/body/ScoreBody.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/gpu/BandedRows.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  /// Whether the lane's features are two side by side, which one load reads and
  /// one store writes.
  bool arePairs() const { return numColumns() == 2 && features % 2 == 0; }
  /// Blocks that a multiprocessor holds: the more, the more rows are on their
  /// way to it. With five of them ptxas spills nothing up to a half width of 3,
  /// or of 7 where a lane has one feature (test/emulator/rows-banded.test).
  int64_t residentBlocks() const {
    constexpr int64_t mostCarried = 14, many = 5;
    return 2 * reach * numColumns() <= mostCarried ? many : 1;
  }
  Value length() {
    return b.createOrFold<memref::DimOp>(buffers.bufferOf(op.getValue()), 2);
  }
  /// The lane's features of `row` as memory holds them, and as f32.
  Values loadRow(Value row);
  Values valuesOf(ValueRange loaded);
  Values readRow(Value row) { return valuesOf(loadRow(row)); }
  Values loadRows(Value first, Value end, BandedRows &rows);
  Values emitBand(BandedRows &rows, ArrayRef<Value> values);
  Values emitBandSums(BandedRows &rows, ArrayRef<Value> values,
                      bool checksWeights);
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

Values BandedBlock::loadRow(Value row) {
  Values loaded;
  Value buffer = buffers.bufferOf(op.getValue());
  if (arePairs()) {
    auto pair = VectorType::get({2}, op.getValue().getType().getElementType());
    return {vector::LoadOp::create(
        b, pair, buffer, ValueRange{batch, valueHead, row, own.front()})};
  }
  for (Value feature : own)
    loaded.push_back(memref::LoadOp::create(
        b, buffer, ValueRange{batch, valueHead, row, feature}));
  return loaded;
}

Values BandedBlock::valuesOf(ValueRange loaded) {
  Values values;
  for (Value each : loaded) {
    if (!arePairs()) {
      values.push_back(toF32(b, b.getLoc(), each));
      continue;
    }
    for (int64_t i : {0, 1})
      values.push_back(
          toF32(b, b.getLoc(), vector::ExtractOp::create(b, each, i)));
  }
  return values;
}

/// The rows that a step reads first, as memory holds them, of those before
/// `end` and of the band's right end: those at that end, or those of the rows'
/// columns.
Values BandedBlock::loadRows(Value first, Value end, BandedRows &rows) {
  Values loaded;
  Value last = at.sub(at.min(at.add(end, reach), length()), 1);
  for (int64_t u = 0; u < step; ++u)
    llvm::append_range(loaded,
                       loadRow(tables.columns
                                   ? rows.columnOf(u)
                                   : at.min(at.add(first, reach + u), last)));
  return loaded;
}

/// sum_t band[h,i,t] value[b,h',i+t-w,d]. What has no weight adds nothing: 0
/// times a value that is no number, or infinite, makes the sum NaN. Where the
/// warp has such a sum, which is rare, it adds up again and looks at weights.
Values BandedBlock::emitBand(BandedRows &rows, ArrayRef<Value> values) {
  if (!op.getBand())
    return Values(values);
  Values sums = emitBandSums(rows, values, /*checksWeights=*/false);
  Value all = sums.front();
  for (Value sum : ArrayRef(sums).drop_front())
    all = arith::AddFOp::create(b, all, sum);
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, all, all);
  Value areNaN = vector::BroadcastOp::create(
      b, VectorType::get({2}, b.getI1Type()), isNaN);
  auto choice = scf::IfOp::create(b, ValueRange(sums).getTypes(),
                                  tile::AnyOp::create(b, areNaN),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  // Lanes exchange weights again: registers would not hold all of them.
  BandedRows again(rows);
  again.dropSigns();
  scf::YieldOp::create(b, emitBandSums(again, values, /*checksWeights=*/true));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, sums);
  return Values(choice.getResults());
}

/// Where it `checksWeights`, a value without weight counts as 0.
Values BandedBlock::emitBandSums(BandedRows &rows, ArrayRef<Value> values,
                                 bool checksWeights) {
  int64_t columns = numColumns();
  Values sums;
  for (int64_t u = 0; u < step; ++u) {
    Values own(columns, rows.number(0));
    for (int64_t t = 0; t <= 2 * reach; ++t) {
      Value weight = rows.weightOf(u, t);
      for (int64_t c = 0; c < columns; ++c)
        own[c] = rows.addWeighted(weight, values[(u + t) * columns + c], own[c],
                                  checksWeights);
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
    if (arePairs()) {
      Value both = vector::FromElementsOp::create(
          b, VectorType::get({2}, b.getF32Type()),
          ValueRange{rows.emitNormalised(u, sums[next]),
                     rows.emitNormalised(u, sums[next + 1])});
      next += 2;
      auto choice =
          scf::IfOp::create(b, arith::AndIOp::create(b, isRow, isOwn.front()),
                            /*withElse=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      vector::StoreOp::create(
          b, arith::TruncFOp::create(b, VectorType::get({2}, type), both),
          target, ValueRange{batch, head, row, own.front()});
      continue;
    }
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
  // Reads of a step are on their way while the one before computes. Columns are
  // known in their own step.
  bool isAhead = !tables.columns;
  Values weights = rows.readWeights(first), ahead;
  if (isAhead)
    ahead = loadRows(first, end, rows);
  size_t numWeights = weights.size(), numAhead = ahead.size();
  llvm::append_range(inits, weights);
  llvm::append_range(inits, ahead);
  llvm::append_range(inits, rows.emitFirstError(first));
  auto loop = scf::ForOp::create(b, first, end, at.value(step), inits);
  neverUnroll(loop);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar(), nextRow = at.add(row, step);
  ValueRange carried = loop.getRegionIterArgs();
  Values values(carried.take_front(kept));
  carried = carried.drop_front(kept);
  rows.begin(row, carried.take_front(numWeights));
  carried = carried.drop_front(numWeights);
  Values loaded(carried.take_front(numAhead));
  carried = carried.drop_front(numAhead);
  weights = rows.readWeights(nextRow);
  if (isAhead)
    ahead = loadRows(nextRow, end, rows);
  else
    loaded = loadRows(row, end, rows);
  llvm::append_range(values, valuesOf(loaded));
  Values sums = emitBand(rows, values);
  Values errors = rows.emitErrors(
      carried, sums, [&](Value column) { return readRow(column); });
  emitStores(row, end, rows, sums);
  Values next(ArrayRef(values).take_back(kept));
  llvm::append_range(next, weights);
  llvm::append_range(next, ahead);
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
  grid.setResident(residentBlocks());
  b.setInsertionPointToStart(&grid.getBody().front());
  batch = grid.getItem()[2];
  head = at.div(grid.getItem()[1], pieces);
  valueHead = at.div(head, op.getValueGroup());
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  lane = at.rem(thread, lanes);
  Value firstFeature = at.mul(at.rem(grid.getItem()[1], pieces), blockFeatures);
  for (int64_t c = 0; c < numColumns(); ++c) {
    Value feature = at.add(firstFeature, arePairs() ? at.add(at.mul(lane, 2), c)
                                                    : at.add(lane, c * lanes));
    isOwn.push_back(at.compare(arith::CmpIPredicate::slt, feature, features));
    own.push_back(at.min(feature, features - (arePairs() ? 2 - c : 1)));
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
