// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-report-values: a GPU tells of arguments whose values are not what the
// entry asks.

#include "dialect/attn/OperandConditions.h"
#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/body/IndexMath.h"
#include "passes/entry/Entries.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <limits>

namespace mixattn {
#define GEN_PASS_DEF_REPORTVALUESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;
using arith::CmpIPredicate;

/// The buffers that the kernels of `entry` report on.
static DenseSet<Value> findReported(func::FuncOp entry) {
  DenseSet<Value> reported;
  entry.walk([&](tile::ReportOp report) {
    Value buffer = report.getBuffer();
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    reported.insert(buffer);
  });
  return reported;
}

namespace {

/// Emits the grids that report on one argument.
class Reporter {
public:
  Reporter(func::FuncOp entry, BlockArgument argument)
      : entry(entry), argument(argument),
        type(cast<MemRefType>(argument.getType())),
        b(ImplicitLocOpBuilder::atBlockBegin(entry.getLoc(),
                                             &entry.getBody().front())),
        at(b) {}

  void reportRange(ArrayAttr range);
  void reportHolds(DictionaryAttr holds);

private:
  using IsBad = function_ref<Value(Value item)>;

  /// A grid of `count` blocks of one thread, which report where `isBad` of
  /// their item holds.
  void forEach(Value count, IsBad isBad);
  void forEachElement(function_ref<Value(ValueRange place)> isBad);
  /// Whether `holds` holds for some number below `count`: one after the other
  /// up to the first.
  Value any(Value count, IsBad holds);

  void reportHeads(double bound);
  void reportCoordinates(ArrayAttr extents);
  void reportWindows(Attribute extent);
  /// Whether the index in `column` of `row` is not in 0 to `extent` - 1.
  Value isOutside(Value row, int64_t column, Attribute extent);

  Value sizeOf(Value buffer, int64_t dim) {
    return b.createOrFold<memref::DimOp>(buffer, dim);
  }
  Value sizeOf(int64_t dim) { return sizeOf(argument, dim); }
  Value i64(int64_t number) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(number));
  }
  Value compare(CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value sum(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  /// An element, an integer of any width, as i64.
  Value readInteger(ValueRange place);
  Value readInteger(Value row, int64_t column) {
    return readInteger({row, at.value(column)});
  }
  /// Whether a float is to `bound` as `predicate` says.
  Value compareFloat(ValueRange place, arith::CmpFPredicate predicate,
                     double bound);
  /// An i64 of an integer or the name of a dim.
  Value boundOf(Attribute bound);

  func::FuncOp entry;
  BlockArgument argument;
  MemRefType type;
  ImplicitLocOpBuilder b;
  IndexMath at;
};

} // namespace

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

void Reporter::forEach(Value count, IsBad isBad) {
  auto grid = tile::GridOp::create(b, ValueRange{count}, /*threads=*/1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&grid.getBody().front());
  tile::ReportOp::create(b, isBad(grid.getItem()[0]), argument);
}

void Reporter::forEachElement(function_ref<Value(ValueRange place)> isBad) {
  SmallVector<Value> sizes;
  Value count = at.value(1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    sizes.push_back(sizeOf(dim));
    count = at.mul(count, sizes.back());
  }
  forEach(count, [&](Value rest) {
    SmallVector<Value> place(sizes.size());
    for (size_t dim = sizes.size(); dim-- > 0;) {
      place[dim] = dim == 0 ? rest : at.rem(rest, sizes[dim]);
      rest = at.div(rest, sizes[dim]);
    }
    return isBad(place);
  });
}

Value Reporter::any(Value count, IsBad holds) {
  Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
  SmallVector<Value> init = {at.value(0), no};
  SmallVector<Type> types = {b.getIndexType(), b.getI1Type()};
  SmallVector<Location> locations(2, b.getLoc());
  auto loop = scf::WhileOp::create(b, types, init);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
  Value isLeft = at.compare(CmpIPredicate::slt, before->getArgument(0), count);
  Value isOpen = arith::SelectOp::create(b, before->getArgument(1), no, isLeft);
  scf::ConditionOp::create(b, isOpen, before->getArguments());
  Block *body = b.createBlock(&loop.getAfter(), {}, types, locations);
  Value number = body->getArgument(0), found = holds(number);
  scf::YieldOp::create(b, ValueRange{at.add(number, 1), found});
  return loop.getResult(1);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Reporter::boundOf(Attribute bound) {
  if (auto number = dyn_cast<IntegerAttr>(bound))
    return i64(number.getInt());
  for (BlockArgument each : entry.getArguments()) {
    auto names =
        entry.getArgAttrOfType<ArrayAttr>(each.getArgNumber(), "attn.dims");
    auto shape = cast<MemRefType>(each.getType());
    for (int64_t dim = 0; names && dim < shape.getRank(); ++dim)
      if (shape.isDynamicDim(dim) &&
          names[shape.getDynamicDimIndex(dim)] == bound)
        return arith::IndexCastOp::create(b, b.getI64Type(), sizeOf(each, dim));
  }
  llvm_unreachable("bounds are names of dims of arguments");
}

Value Reporter::readInteger(ValueRange place) {
  Value number = memref::LoadOp::create(b, argument, place);
  if (number.getType() == b.getI64Type())
    return number;
  return arith::ExtSIOp::create(b, b.getI64Type(), number);
}

Value Reporter::compareFloat(ValueRange place, arith::CmpFPredicate predicate,
                             double bound) {
  Value value = memref::LoadOp::create(b, argument, place);
  if (value.getType().getIntOrFloatBitWidth() < 32)
    value = arith::ExtFOp::create(b, b.getF32Type(), value);
  Value limit =
      arith::ConstantOp::create(b, b.getFloatAttr(value.getType(), bound));
  return arith::CmpFOp::create(b, predicate, value, limit);
}

Value Reporter::isOutside(Value row, int64_t column, Attribute extent) {
  Value index = readInteger(row, column);
  return either(compare(CmpIPredicate::slt, index, i64(0)),
                compare(CmpIPredicate::sge, index, boundOf(extent)));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

void Reporter::reportRange(ArrayAttr range) {
  forEachElement([&](ValueRange place) {
    Value number = readInteger(place);
    Value isBelow = compare(CmpIPredicate::slt, number, boundOf(range[0]));
    Value isAbove = compare(CmpIPredicate::sgt, number, boundOf(range[1]));
    return either(isBelow, isAbove);
  });
}

/// Each head, the first dim, has a value above `bound`. One without elements
/// weighs nothing.
void Reporter::reportHeads(double bound) {
  SmallVector<Value> sizes;
  Value count = at.value(1);
  for (int64_t dim = 1; dim < type.getRank(); ++dim) {
    sizes.push_back(sizeOf(dim));
    count = at.mul(count, sizes.back());
  }
  forEach(sizeOf(0), [&](Value head) -> Value {
    Value isAbove = any(count, [&](Value rest) {
      SmallVector<Value> place(type.getRank(), head);
      for (int64_t dim = type.getRank() - 1; dim > 0; --dim) {
        Value size = sizes[dim - 1];
        place[dim] = dim == 1 ? rest : at.rem(rest, size);
        rest = at.div(rest, size);
      }
      return compareFloat(place, arith::CmpFPredicate::OGT, bound);
    });
    Value hasElements = at.compare(CmpIPredicate::ne, count, 0);
    Value none = arith::CmpIOp::create(
        b, CmpIPredicate::eq, isAbove,
        arith::ConstantOp::create(b, b.getBoolAttr(false)));
    return both(hasElements, none);
  });
}

/// Rows are within the extents, and each is above the one before: the first
/// column that differs decides.
void Reporter::reportCoordinates(ArrayAttr extents) {
  forEach(sizeOf(0), [&](Value row) {
    Value isFirst = at.compare(CmpIPredicate::eq, row, 0);
    Value last = at.max(at.sub(row, 1), 0);
    Value isAbove = isFirst, isBad;
    for (int64_t column = extents.size(); column-- > 0;) {
      Value before = readInteger(last, column);
      Value own = readInteger(row, column);
      isAbove = either(compare(CmpIPredicate::sgt, own, before),
                       both(compare(CmpIPredicate::eq, own, before), isAbove));
      Value isOut = isOutside(row, column, extents[column]);
      isBad = isBad ? either(isBad, isOut) : isOut;
    }
    Value isSorted = either(isFirst, isAbove);
    Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
    return either(isBad, compare(CmpIPredicate::ne, isSorted, yes));
  });
}

/// Windows (column, first row, length) are within the rows, have one at least,
/// and none in common with a window before.
void Reporter::reportWindows(Attribute extent) {
  forEach(sizeOf(0), [&](Value row) -> Value {
    Value isOut = either(isOutside(row, 0, extent), isOutside(row, 1, extent));
    Value first = readInteger(row, 1), length = readInteger(row, 2);
    Value rest = arith::SubIOp::create(b, boundOf(extent), first);
    Value isWrong = either(compare(CmpIPredicate::slt, length, i64(1)),
                           compare(CmpIPredicate::sgt, length, rest));
    Value overlaps = any(row, [&](Value other) {
      Value begin = readInteger(other, 1), size = readInteger(other, 2);
      return both(compare(CmpIPredicate::slt, begin, sum(first, length)),
                  compare(CmpIPredicate::slt, first, sum(begin, size)));
    });
    return either(either(isOut, isWrong), overlaps);
  });
}

void Reporter::reportHolds(DictionaryAttr holds) {
  auto extents = holds.getAs<ArrayAttr>("extents");
  switch (*parseConditionKind(holds.getAs<StringAttr>("kind").getValue())) {
  case ConditionKind::Prior:
    // NaN is not 0 or more either.
    forEachElement([&](ValueRange place) {
      return compareFloat(place, arith::CmpFPredicate::ULT, 0.0);
    });
    return reportHeads(0.0);
  case ConditionKind::LogPrior:
    return reportHeads(-std::numeric_limits<double>::infinity());
  case ConditionKind::Coordinates:
    return reportCoordinates(extents);
  case ConditionKind::Windows:
    return reportWindows(extents[0]);
  case ConditionKind::NonEmpty:
    return forEach(at.value(1), [&](Value) {
      Value isEmpty = arith::ConstantOp::create(b, b.getBoolAttr(false));
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        isEmpty =
            either(isEmpty, at.compare(CmpIPredicate::eq, sizeOf(dim), 0));
      return isEmpty;
    });
  }
}

namespace {

struct ReportValuesPass
    : mixattn::impl::ReportValuesPassBase<ReportValuesPass> {
  void runOnOperation() override {
    for (func::FuncOp entry : getEntries(getOperation())) {
      DenseSet<Value> reported = findReported(entry);
      for (BlockArgument argument : entry.getArguments()) {
        unsigned number = argument.getArgNumber();
        auto range = entry.getArgAttrOfType<ArrayAttr>(number, "attn.range");
        if (range && !reported.contains(argument))
          Reporter(entry, argument).reportRange(range);
        if (auto holds =
                entry.getArgAttrOfType<DictionaryAttr>(number, "attn.holds"))
          Reporter(entry, argument).reportHolds(holds);
      }
    }
  }
};

} // namespace
