// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of a pool that are made before its rows are computed.

#include "passes/schedule/x86/pool/PoolTables.h"

#include "passes/schedule/x86/shared/TileCode.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

class PoolLookup : public TileCode {
public:
  PoolLookup(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes)
      : TileCode(b, sizes), kernel(kernel),
        op(cast<StructuredPoolOp>(kernel.getAnchor())),
        length(sizeOf(op.getValue(), 2)) {}

  Value emitColumns();
  /// The errors are counted, then dealt in the order in which they come.
  std::pair<Value, Value> emitOrder(Value pieces);

private:
  Value bufferOf(Value operand) { return kernel.getOperandOf(operand); }
  Value sizeOf(Value operand, int64_t dim) {
    return b.createOrFold<memref::DimOp>(bufferOf(operand), dim);
  }
  Value allocate(Value count) {
    auto type = MemRefType::get({ShapedType::kDynamic}, b.getIndexType());
    return memref::AllocOp::create(b, type, count);
  }
  Value read(Value buffer, Value place) {
    return memref::LoadOp::create(b, buffer, place);
  }
  void write(Value number, Value buffer, Value place) {
    memref::StoreOp::create(b, number, buffer, place);
  }
  Value isBelow(Value number, Value end) {
    return at.compare(arith::CmpIPredicate::ult, number, end);
  }
  /// Runs `inside` for each error that lies in the rows, with its piece.
  void forEachError(Value pieces, function_ref<void(Value, Value)> inside);

  KernelOp kernel;
  StructuredPoolOp op;
  Value length;
};

} // namespace

Value mixattn::readIndex(ImplicitLocOpBuilder &b, Value buffer, Value row,
                         int64_t column) {
  Value place = arith::ConstantIndexOp::create(b, column);
  Value element = memref::LoadOp::create(b, buffer, ValueRange{row, place});
  return arith::IndexCastOp::create(b, b.getIndexType(), element);
}

Value PoolLookup::emitColumns() {
  Value columns = allocate(length), windows = bufferOf(op.getWindows());
  forEach(0, length, 1, [&](Value row) { write(row, columns, row); });
  forEach(0, sizeOf(op.getWindows(), 0), 1, [&](Value window) {
    Value column = readIndex(b, windows, window, 0);
    Value first = readIndex(b, windows, window, 1);
    Value size = readIndex(b, windows, window, 2);
    Value isThere = arith::AndIOp::create(b, isBelow(column, length),
                                          isBelow(first, length));
    Value shown = at.min(size, at.sub(length, first));
    shown = arith::SelectOp::create(b, isThere, shown, at.value(0));
    forEach(0, shown, 1,
            [&](Value step) { write(column, columns, at.add(first, step)); });
  });
  return columns;
}

void PoolLookup::forEachError(Value pieces,
                              function_ref<void(Value, Value)> inside) {
  Value triples = bufferOf(op.getErrorIndex());
  Value heads = at.value(op.getHeadsDim().size());
  forEach(0, sizeOf(op.getErrorIndex(), 0), 1, [&](Value error) {
    Value head = readIndex(b, triples, error, 0);
    Value row = readIndex(b, triples, error, 1);
    Value isThere = isBelow(head, heads);
    for (Value place : {row, readIndex(b, triples, error, 2)})
      isThere = arith::AndIOp::create(b, isThere, isBelow(place, length));
    auto choice = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(choice.thenYield());
    inside(error, at.add(at.mul(head, pieces), at.div(row, sizes.block)));
  });
}

std::pair<Value, Value> PoolLookup::emitOrder(Value pieces) {
  Value all = at.mul(pieces, op.getHeadsDim().size()), zero = at.value(0);
  Value ends = allocate(at.add(all, 1));
  Value order = allocate(sizeOf(op.getErrorIndex(), 0));
  forEach(0, at.add(all, 1), 1, [&](Value piece) { write(zero, ends, piece); });
  forEachError(pieces, [&](Value, Value piece) {
    Value next = at.add(piece, 1);
    write(at.add(read(ends, next), 1), ends, next);
  });
  // Each piece's own count becomes where it begins, and as it takes its errors
  // where it ends.
  auto begins = scf::ForOp::create(b, at.value(1), at.add(all, 1), at.value(1),
                                   ValueRange{zero});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(begins.getBody());
    Value piece = begins.getInductionVar(), begin = begins.getRegionIterArg(0);
    Value next = at.add(begin, read(ends, piece));
    write(begin, ends, piece);
    scf::YieldOp::create(b, next);
  }
  forEachError(pieces, [&](Value error, Value piece) {
    Value next = at.add(piece, 1);
    Value place = read(ends, next);
    write(error, order, place);
    write(at.add(place, 1), ends, next);
  });
  return {order, ends};
}

PoolTables mixattn::emitPoolTables(ImplicitLocOpBuilder &b, KernelOp kernel,
                                   const TileSizes &sizes, Value pieces) {
  auto op = cast<StructuredPoolOp>(kernel.getAnchor());
  PoolLookup lookup(b, kernel, sizes);
  PoolTables tables;
  if (op.getWindows())
    tables.columns = lookup.emitColumns();
  if (op.getErrorIndex())
    std::tie(tables.order, tables.ends) = lookup.emitOrder(pieces);
  return tables;
}
