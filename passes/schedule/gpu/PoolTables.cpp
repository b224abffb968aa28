// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of a pool on a GPU, which grids make before its rows are computed.

#include "passes/schedule/gpu/PoolTables.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

/// Threads of a block.
static constexpr int64_t threads = 128;

Value gpus::readPlace(ImplicitLocOpBuilder &b, Value buffer, Value row,
                      int64_t column) {
  Value place = arith::ConstantIndexOp::create(b, column);
  Value element = memref::LoadOp::create(b, buffer, ValueRange{row, place});
  Type i64 = b.getI64Type();
  return element.getType() == i64
             ? element
             : arith::ExtSIOp::create(b, i64, element).getResult();
}

/// Whether `buffer` is an argument whose values a kernel of the entry looks at.
static bool isLookedAt(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  return function && function.getArgAttr(argument.getArgNumber(), "attn.holds");
}

namespace {

class PoolLookup {
public:
  PoolLookup(ImplicitLocOpBuilder &b, KernelOp kernel)
      : b(b), at(b), kernel(kernel),
        op(cast<StructuredPoolOp>(kernel.getAnchor())) {}

  Value emitColumns();
  Value emitOrder();

private:
  /// The rows of a window, i64, from the first to before the end. There are
  /// none where it says something beyond the rows.
  struct Window {
    Value column, first, end;
  };

  Value sizeOf(Value operand, int64_t dim) {
    return b.createOrFold<memref::DimOp>(kernel.getOperandOf(operand), dim);
  }
  Value allocate(Value count) {
    auto type = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
    return memref::AllocOp::create(b, type, count);
  }
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value wide(Value index) {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  void write(Value value, Value table, Value place) {
    memref::StoreOp::create(
        b, arith::TruncIOp::create(b, b.getI32Type(), value), table, place);
  }
  /// A grid of a thread for each of `count` numbers.
  void forEach(Value count, function_ref<void(Value)> inside);
  /// The number that `inside` makes of each of `count` ones, in their order,
  /// and of `init`.
  Value fold(Value count, Value init,
             function_ref<Value(Value place, Value before)> inside);
  Window readWindow(Value window);
  void writeWindows(Value columns);

  ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  StructuredPoolOp op;
};

} // namespace

void PoolLookup::forEach(Value count, function_ref<void(Value)> inside) {
  auto grid = tile::GridOp::create(
      b, ValueRange{at.div(at.add(count, threads - 1), threads)}, threads);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&grid.getBody().front());
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value place = at.add(at.mul(grid.getItem()[0], threads), thread);
  auto choice =
      scf::IfOp::create(b, at.compare(arith::CmpIPredicate::slt, place, count),
                        /*withElseRegion=*/false);
  b.setInsertionPointToStart(choice.thenBlock());
  inside(place);
}

Value PoolLookup::fold(Value count, Value init,
                       function_ref<Value(Value, Value)> inside) {
  auto loop = scf::ForOp::create(b, at.value(0), count, at.value(1), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      b, inside(loop.getInductionVar(), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

PoolLookup::Window PoolLookup::readWindow(Value window) {
  Value windows = kernel.getOperandOf(op.getWindows());
  Value column = readPlace(b, windows, window, 0);
  Value first = readPlace(b, windows, window, 1);
  Value size = readPlace(b, windows, window, 2);
  Value rows = wide(sizeOf(op.getValue(), 2));
  Value isThere = both(compare(arith::CmpIPredicate::ult, column, rows),
                       compare(arith::CmpIPredicate::ult, first, rows));
  Value shown =
      arith::MinSIOp::create(b, size, arith::SubIOp::create(b, rows, first));
  first = select(isThere, first, number(0));
  shown = select(isThere, shown, number(0));
  return {column, first, arith::AddIOp::create(b, first, shown)};
}

void PoolLookup::writeWindows(Value columns) {
  auto grid =
      tile::GridOp::create(b, ValueRange{sizeOf(op.getWindows(), 0)}, threads);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&grid.getBody().front());
  Window window = readWindow(grid.getItem()[0]);
  auto index = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), value);
  };
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto loop = scf::ForOp::create(b, at.add(index(window.first), thread),
                                 index(window.end), at.value(threads));
  b.setInsertionPointToStart(loop.getBody());
  write(window.column, columns, loop.getInductionVar());
}

Value PoolLookup::emitColumns() {
  Value columns = allocate(sizeOf(op.getValue(), 2));
  bool isDisjoint = isLookedAt(kernel.getOperandOf(op.getWindows()));
  forEach(sizeOf(op.getValue(), 2), [&](Value place) {
    Value row = wide(place);
    auto next = [&](Value each, Value before) {
      Window window = readWindow(each);
      Value isInside =
          both(compare(arith::CmpIPredicate::sge, row, window.first),
               compare(arith::CmpIPredicate::slt, row, window.end));
      return select(isInside, window.column, before);
    };
    Value column =
        isDisjoint ? row : fold(sizeOf(op.getWindows(), 0), row, next);
    write(column, columns, place);
  });
  if (isDisjoint)
    writeWindows(columns);
  return columns;
}

/// An error has as many before it as have a lower head and row, or the same and
/// are given first.
Value PoolLookup::emitOrder() {
  Value triples = kernel.getOperandOf(op.getErrorIndex());
  if (isLookedAt(triples))
    return {};
  Value count = sizeOf(op.getErrorIndex(), 0);
  Value order = allocate(count);
  forEach(count, [&](Value own) {
    Value head = readPlace(b, triples, own, 0);
    Value row = readPlace(b, triples, own, 1);
    Value before = fold(count, at.value(0), [&](Value each, Value sum) {
      Value itsHead = readPlace(b, triples, each, 0);
      Value itsRow = readPlace(b, triples, each, 1);
      auto isLess = arith::CmpIPredicate::slt;
      Value isFirst = both(compare(arith::CmpIPredicate::eq, itsRow, row),
                           compare(isLess, each, own));
      isFirst = arith::OrIOp::create(b, isFirst, compare(isLess, itsRow, row));
      isFirst = both(isFirst, compare(arith::CmpIPredicate::eq, itsHead, head));
      isFirst =
          arith::OrIOp::create(b, isFirst, compare(isLess, itsHead, head));
      return select(isFirst, at.add(sum, 1), sum);
    });
    write(wide(own), order, before);
  });
  return order;
}

PoolTables gpus::emitPoolTables(ImplicitLocOpBuilder &b, KernelOp kernel) {
  auto op = cast<StructuredPoolOp>(kernel.getAnchor());
  PoolLookup lookup(b, kernel);
  PoolTables tables;
  if (op.getWindows())
    tables.columns = lookup.emitColumns();
  if (op.getErrorIndex())
    tables.order = lookup.emitOrder();
  return tables;
}
