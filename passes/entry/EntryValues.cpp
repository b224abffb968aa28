// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the loops that check an argument's values.

#include "passes/entry/EntryValues.h"

#include "dialect/attn/OperandConditions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace mixattn;
using arith::CmpIPredicate;

namespace {

/// Emits the checks of one buffer. Loops carry whether all that they have seen
/// holds, an i1, and then what a message says of the first that does not.
class ValueChecker {
public:
  ValueChecker(ImplicitLocOpBuilder &b, Value buffer, Require require)
      : b(b), buffer(buffer), require(require),
        type(cast<MemRefType>(buffer.getType())) {}

  void checkRange(Value low, Value high);
  void checkSigns();
  void checkHeads(double bound);
  void checkCoordinates(ArrayRef<Value> extents);
  void checkWindows(Value extent);
  void checkNonEmpty();

private:
  using Values = SmallVector<Value>;

  /// The values carried out of a loop over 0 to `count` - 1.
  Values forEach(Value count, ValueRange init,
                 function_ref<Values(Value, ValueRange)> step);
  /// The values carried out of loops over all elements, whose indices `step`
  /// gets; those of the first dims may be given.
  Values forEachElement(ValueRange first, ValueRange init,
                        function_ref<Values(ValueRange, ValueRange)> step);
  /// The values that a loop carries on: whether all holds, and `details` of the
  /// first that does not.
  Values carry(ValueRange carried, Value holds, ValueRange details);

  void checkAscent();
  void checkEnds(Value extent);
  void checkDisjoint();
  /// Checks that the indices in `columns` lie in 0 to their extent - 1.
  void checkIndices(unsigned columns, ArrayRef<Value> extents);

  Value i1(bool value) {
    return arith::ConstantOp::create(b, b.getBoolAttr(value));
  }
  Value i64(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value size(int64_t dim) { return memref::DimOp::create(b, buffer, dim); }
  Value toI64(Value index) {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  }
  Value compare(CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// An element, an integer of any width, as i64.
  Value readInteger(ValueRange place);
  Value readInteger(Value row, int64_t column) {
    return readInteger({row, index(column)});
  }
  /// Whether a float is above `bound`, or at least that; false for NaN.
  Value compareFloat(ValueRange place, arith::CmpFPredicate predicate,
                     double bound);

  ImplicitLocOpBuilder &b;
  Value buffer;
  Require require;
  MemRefType type;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

ValueChecker::Values
ValueChecker::forEach(Value count, ValueRange init,
                      function_ref<Values(Value, ValueRange)> step) {
  auto loop = scf::ForOp::create(b, index(0), count, index(1), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next = step(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(b, next);
  return loop.getResults();
}

ValueChecker::Values ValueChecker::forEachElement(
    ValueRange first, ValueRange init,
    function_ref<Values(ValueRange, ValueRange)> step) {
  if (static_cast<int64_t>(first.size()) == type.getRank())
    return step(first, init);
  return forEach(size(first.size()), init, [&](Value at, ValueRange carried) {
    Values place(first);
    place.push_back(at);
    return forEachElement(place, carried, step);
  });
}

ValueChecker::Values ValueChecker::carry(ValueRange carried, Value holds,
                                         ValueRange details) {
  Values next = {both(carried[0], holds)};
  for (auto [last, detail] : llvm::zip_equal(carried.drop_front(), details))
    next.push_back(select(carried[0], detail, last));
  return next;
}

Value ValueChecker::readInteger(ValueRange place) {
  Value value = memref::LoadOp::create(b, buffer, place);
  if (value.getType() == b.getI64Type())
    return value;
  return arith::ExtSIOp::create(b, b.getI64Type(), value);
}

Value ValueChecker::compareFloat(ValueRange place,
                                 arith::CmpFPredicate predicate, double bound) {
  Value value = memref::LoadOp::create(b, buffer, place);
  Type wide = b.getF32Type();
  if (value.getType().getIntOrFloatBitWidth() < 32)
    value = arith::ExtFOp::create(b, wide, value);
  Value limit =
      arith::ConstantOp::create(b, b.getFloatAttr(value.getType(), bound));
  return arith::CmpFOp::create(b, predicate, value, limit);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void ValueChecker::checkRange(Value low, Value high) {
  Values seen = forEachElement(
      {}, {i1(true), i64(0)}, [&](ValueRange place, ValueRange carried) {
        Value value = readInteger(place);
        Value above = compare(CmpIPredicate::sge, value, low);
        Value below = compare(CmpIPredicate::sle, value, high);
        return carry(carried, both(above, below), value);
      });
  require(seen[0], "expected values from %lld to %lld, but got %lld",
          {low, high, seen[1]});
}

void ValueChecker::checkSigns() {
  Values seen = forEachElement(
      {}, {i1(true), i64(0)}, [&](ValueRange place, ValueRange carried) {
        Value holds = compareFloat(place, arith::CmpFPredicate::OGE, 0.0);
        // The element's number, in rows.
        Value number = index(0);
        for (auto [dim, at] : llvm::enumerate(place)) {
          number = arith::MulIOp::create(b, number, size(dim));
          number = arith::AddIOp::create(b, number, at);
        }
        return carry(carried, holds, toI64(number));
      });
  require(seen[0], "expected values of 0 or more, but element %lld is not",
          seen[1]);
}

void ValueChecker::checkHeads(double bound) {
  // A head without elements weighs nothing.
  Value isEmpty = i1(false);
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    isEmpty = either(isEmpty, compare(CmpIPredicate::eq, size(dim), index(0)));
  Values seen =
      forEach(size(0), {i1(true), i64(0)}, [&](Value head, ValueRange carried) {
        Values any = forEachElement(
            head, isEmpty, [&](ValueRange place, ValueRange above) -> Values {
              return {either(
                  above[0],
                  compareFloat(place, arith::CmpFPredicate::OGT, bound))};
            });
        return carry(carried, any[0], toI64(head));
      });
  if (bound == 0.0)
    require(seen[0], "expected a value above 0 for head %lld, but got none",
            seen[1]);
  else
    require(seen[0], "expected a value above -inf for head %lld, but got none",
            seen[1]);
}

void ValueChecker::checkIndices(unsigned columns, ArrayRef<Value> extents) {
  Values init = {i1(true), i64(0), i64(0), i64(0)};
  Values seen = forEach(size(0), init, [&](Value row, ValueRange carried) {
    Values next(carried);
    for (unsigned column = 0; column < columns; ++column) {
      Value value = readInteger(row, column);
      Value last = arith::SubIOp::create(
          b, extents.size() == 1 ? extents[0] : extents[column], i64(1));
      Value holds = both(compare(CmpIPredicate::sge, value, i64(0)),
                         compare(CmpIPredicate::sle, value, last));
      Value before = arith::MulIOp::create(b, row, size(1));
      Value number = arith::AddIOp::create(b, before, index(column));
      next = carry(next, holds, {last, value, toI64(number)});
    }
    return next;
  });
  require(seen[0],
          "expected values from 0 to %lld, but got %lld at element %lld",
          ArrayRef(seen).drop_front());
}

void ValueChecker::checkAscent() {
  Values seen =
      forEach(size(0), {i1(true), i64(0)}, [&](Value row, ValueRange carried) {
        Value isFirst = compare(CmpIPredicate::eq, row, index(0));
        Value before =
            select(isFirst, row, arith::SubIOp::create(b, row, index(1)));
        // The first column that differs decides.
        Value above = isFirst;
        for (int64_t column = type.getDimSize(1); column-- > 0;) {
          Value next = readInteger(row, column);
          Value last = readInteger(before, column);
          Value same = compare(CmpIPredicate::eq, next, last);
          above = either(compare(CmpIPredicate::sgt, next, last),
                         both(same, above));
        }
        return carry(carried, above, toI64(row));
      });
  require(seen[0],
          "expected rows to ascend, but row %lld is not above the row before",
          seen[1]);
}

void ValueChecker::checkCoordinates(ArrayRef<Value> extents) {
  checkIndices(extents.size(), extents);
  checkAscent();
}

/// A window's rows are at least one, and end within the rows that there are.
void ValueChecker::checkEnds(Value extent) {
  Values lengths = forEach(
      size(0), {i1(true), i64(0), i64(0)}, [&](Value row, ValueRange carried) {
        Value length = readInteger(row, 2);
        Value holds = compare(CmpIPredicate::sge, length, i64(1));
        return carry(carried, holds, {length, toI64(row)});
      });
  require(lengths[0],
          "expected windows of 1 row or more, but got %lld in row %lld",
          ArrayRef(lengths).drop_front());
  Values ends =
      forEach(size(0), {i1(true), i64(0)}, [&](Value row, ValueRange carried) {
        Value rest = arith::SubIOp::create(b, extent, readInteger(row, 1));
        Value holds = compare(CmpIPredicate::sle, readInteger(row, 2), rest);
        return carry(carried, holds, toI64(row));
      });
  Value last = arith::SubIOp::create(b, extent, i64(1));
  require(ends[0],
          "expected windows that end by row %lld, but that of row %lld does "
          "not",
          {last, ends[1]});
}

void ValueChecker::checkDisjoint() {
  // Besides, the end of all windows so far: one that begins there or later
  // overlaps none of them.
  Values init = {i1(true), i64(0), i64(0), i64(0)};
  Values seen = forEach(size(0), init, [&](Value row, ValueRange carried) {
    Value first = readInteger(row, 1);
    Value end = arith::AddIOp::create(b, first, readInteger(row, 2));
    Value isLast = compare(CmpIPredicate::sge, first, carried[3]);
    Value others = select(isLast, index(0), row);
    Values next = forEach(
        others, carried.take_front(3), [&](Value other, ValueRange carried) {
          Value begin = readInteger(other, 1);
          Value stop = arith::AddIOp::create(b, begin, readInteger(other, 2));
          Value holds = either(compare(CmpIPredicate::sge, begin, end),
                               compare(CmpIPredicate::sge, first, stop));
          return carry(carried, holds, {toI64(other), toI64(row)});
        });
    next.push_back(arith::MaxSIOp::create(b, carried[3], end));
    return next;
  });
  require(seen[0],
          "expected disjoint windows, but those of rows %lld and %lld overlap",
          {seen[1], seen[2]});
}

void ValueChecker::checkWindows(Value extent) {
  checkIndices(2, extent);
  checkEnds(extent);
  checkDisjoint();
}

void ValueChecker::checkNonEmpty() {
  Value holds = i1(true);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    holds = both(holds, compare(CmpIPredicate::ne, size(dim), index(0)));
  require(holds, "expected elements, but got none", {});
}

void mixattn::emitValueChecks(ImplicitLocOpBuilder &b, Value buffer,
                              ArrayAttr range, DictionaryAttr holds,
                              BoundOf boundOf, Require require) {
  ValueChecker checker(b, buffer, require);
  if (range)
    checker.checkRange(boundOf(range[0]), boundOf(range[1]));
  if (!holds)
    return;
  SmallVector<Value> extents;
  if (auto bounds = holds.getAs<ArrayAttr>("extents"))
    extents = llvm::map_to_vector(bounds, boundOf);
  switch (*parseConditionKind(holds.getAs<StringAttr>("kind").getValue())) {
  case ConditionKind::Prior:
    checker.checkSigns();
    return checker.checkHeads(0.0);
  case ConditionKind::LogPrior:
    return checker.checkHeads(-std::numeric_limits<double>::infinity());
  case ConditionKind::Coordinates:
    return checker.checkCoordinates(extents);
  case ConditionKind::Windows:
    return checker.checkWindows(extents.front());
  case ConditionKind::NonEmpty:
    return checker.checkNonEmpty();
  }
}
