// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds numbers that are not finite, a vector of a row at a time.

#include "passes/schedule/x86/shared/FiniteRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

FiniteRows::Bits FiniteRows::bitsOf(Value matrix) {
  auto element =
      cast<FloatType>(cast<MemRefType>(matrix.getType()).getElementType());
  unsigned width = element.getWidth();
  auto numbers = VectorType::get({sizes.lanes * 32 / int64_t(width)}, element);
  auto integers = numbers.clone(b.getIntegerType(width));
  auto splat = [&](const APInt &number) -> Value {
    return arith::ConstantOp::create(b,
                                     DenseElementsAttr::get(integers, number));
  };
  APInt infinity =
      APFloat::getInf(element.getFloatSemantics()).bitcastToAPInt();
  return {numbers, integers, splat(APInt::getSignedMaxValue(width)),
          splat(infinity)};
}

/// The lanes at [`row`, `column`] of `matrix`, and 0 where `isThere`, a mask,
/// is not set.
Value FiniteRows::loadRow(const Bits &bits, Value matrix, Value row,
                          Value column, Value isThere) {
  SmallVector<Value> place = {row, column};
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(bits.numbers));
  return vector::MaskedLoadOp::create(b, bits.numbers, matrix, place, isThere,
                                      zero);
}

Value FiniteRows::emitMagnitude(const Bits &bits, Value numbers) {
  Value integers = arith::BitcastOp::create(b, bits.integers, numbers);
  return arith::AndIOp::create(b, integers, bits.magnitude);
}

/// A mask of the first `rest` lanes.
static Value lanesBefore(ImplicitLocOpBuilder &b, VectorType type, Value rest) {
  return vector::CreateMaskOp::create(
      b, VectorType::get(type.getShape(), b.getI1Type()), rest);
}

Value FiniteRows::emitAreFinite(Value matrix, Value first, Value count) {
  Bits bits = bitsOf(matrix);
  int64_t columns = cast<MemRefType>(matrix.getType()).getDimSize(1);
  int64_t lanes = bits.numbers.getDimSize(0), whole = columns / lanes * lanes;
  auto larger = [&](Value most, Value numbers) -> Value {
    return arith::MaxSIOp::create(b, most, emitMagnitude(bits, numbers));
  };
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(bits.integers));
  auto rows =
      scf::ForOp::create(b, at.value(0), count, at.value(1), ValueRange{none});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(rows.getBody());
    Value row = at.add(first, rows.getInductionVar());
    auto parts = scf::ForOp::create(b, at.value(0), at.value(whole),
                                    at.value(lanes), rows.getRegionIterArgs());
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(parts.getBody());
      Value numbers = vector::LoadOp::create(
          b, bits.numbers, matrix, ValueRange{row, parts.getInductionVar()});
      scf::YieldOp::create(
          b, ValueRange{larger(parts.getRegionIterArg(0), numbers)});
    }
    Value most = parts.getResult(0);
    if (whole < columns) {
      Value rest = lanesBefore(b, bits.numbers, at.value(columns - whole));
      most = larger(most, loadRow(bits, matrix, row, at.value(whole), rest));
    }
    scf::YieldOp::create(b, most);
  }
  Value isOther = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                        rows.getResult(0), bits.limit);
  Value any =
      vector::ReductionOp::create(b, vector::CombiningKind::OR, isOther);
  return arith::XOrIOp::create(
      b, any, arith::ConstantOp::create(b, b.getBoolAttr(true)));
}

void FiniteRows::emitFinite(Value source, Value first, Value count,
                            Value target) {
  Bits bits = bitsOf(source);
  int64_t columns = cast<MemRefType>(source.getType()).getDimSize(1);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(bits.numbers));
  forEach(0, count, 1, [&](Value row) {
    forEach(0, columns, bits.numbers.getDimSize(0), [&](Value column) {
      Value isThere = lanesBefore(b, bits.numbers, at.sub(columns, column));
      Value numbers =
          loadRow(bits, source, at.add(first, row), column, isThere);
      Value isFinite =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                emitMagnitude(bits, numbers), bits.limit);
      vector::MaskedStoreOp::create(
          b, target, ValueRange{row, column}, isThere,
          arith::SelectOp::create(b, isFinite, numbers, zero));
    });
  });
}

void FiniteRows::forEachOther(Value matrix, Value first, Value count,
                              function_ref<void(Value, Value, Value)> inside) {
  auto type = cast<MemRefType>(matrix.getType());
  forEach(0, count, 1, [&](Value row) {
    forEach(0, type.getDimSize(1), 1, [&](Value column) {
      Value number = memref::LoadOp::create(
          b, matrix, ValueRange{at.add(first, row), column});
      if (!type.getElementType().isF32())
        number = arith::ExtFOp::create(b, b.getF32Type(), number);
      Value difference = sub(number, number);
      Value isOther = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO,
                                            difference, difference);
      auto onlyIf = scf::IfOp::create(b, isOther, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(onlyIf.thenBlock());
      inside(number, row, column);
    });
  });
}
