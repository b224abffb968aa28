// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, logic and choices.
#include "lib/Import/ops/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

/// Compares in the type that both operands promote to; NaN is unequal to all.
static OpWriter comparison(arith::CmpFPredicate floats,
                           arith::CmpIPredicate integers) {
  return [=](OpCall &op) {
    Built x = op.operand("self"), y = op.operand("other");
    DType dtype = promote({x, y});
    auto predicate = integers;
    // A bool is one bit, whose sign is not meant.
    if (dtype == DType::I1)
      dtype = DType::I8;
    op.give(
        combine(op.build, {x, y}, dtype, DType::I1,
                [=](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
                  if (isa<FloatType>(numbers[0].getType()))
                    return arith::CmpFOp::create(b, loc, floats, numbers[0],
                                                 numbers[1]);
                  return arith::CmpIOp::create(b, loc, predicate, numbers[0],
                                               numbers[1]);
                }));
  };
}

/// Logic of bools, or of the bits of integers.
template <typename Op> static OpWriter bits(bool isLogical) {
  return [isLogical](OpCall &op) {
    Built x = op.operand("self"), y = op.operand("other");
    DType dtype = isLogical ? DType::I1 : op.result().dtype;
    op.give(
        combine(op.build, {x, y}, dtype, op.result().dtype,
                [](OpBuilder &b, Location loc, ValueRange numbers) {
                  return Op::create(b, loc, numbers[0], numbers[1]).getResult();
                }));
  };
}

static OpWriter complement(bool isLogical) {
  return [isLogical](OpCall &op) {
    DType dtype = isLogical ? DType::I1 : op.result().dtype;
    op.give(combine(
        op.build, op.tensor("self"), dtype, op.result().dtype,
        [](OpBuilder &b, Location loc, ValueRange numbers) {
          Value ones = arith::ConstantOp::create(
              b, loc, b.getIntegerAttr(numbers[0].getType(), -1));
          return arith::XOrIOp::create(b, loc, numbers[0], ones).getResult();
        }));
  };
}

/// `yes` where `condition`, else `no`.
static Built choose(OpCall &op, const Built &condition, const Built &yes,
                    const Built &no) {
  if (!condition || !yes || !no)
    return {};
  if (condition.dtype != DType::I1)
    return op.build.fail(makeError("expected a condition of type bool, but got "
                                   "{}",
                                   nameOf(condition.dtype)));
  DType dtype = op.result().dtype;
  std::vector<Built> operands = {condition, op.build.convert(yes, dtype),
                                 op.build.convert(no, dtype)};
  return op.build.pointwise(dtype, op.build.broadcast(operands), operands,
                            [](OpBuilder &b, Location loc, ValueRange numbers) {
                              return arith::SelectOp::create(b, loc, numbers[0],
                                                             numbers[1],
                                                             numbers[2])
                                  .getResult();
                            });
}

static void where(OpCall &op) {
  Built condition = op.tensor("condition"), yes = op.operand("self"),
        no = op.operand("other");
  op.give(choose(op, condition, yes, no));
}

static void maskedFill(OpCall &op) {
  Built tensor = op.tensor("self"), mask = op.tensor("mask"),
        value = op.operand("value");
  op.give(choose(op, mask, value, tensor));
}

template <typename FloatOp, typename IntegerOp> static OpWriter extremum() {
  return [](OpCall &op) {
    DType dtype = op.result().dtype;
    op.give(combine(
        op.build, {op.operand("self"), op.operand("other")}, dtype, dtype,
        [](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
          if (isa<FloatType>(numbers[0].getType()))
            return FloatOp::create(b, loc, numbers[0], numbers[1]);
          return IntegerOp::create(b, loc, numbers[0], numbers[1]);
        }));
  };
}

void mixattn::addComparisons(OpTable &table) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  table["aten.eq"] = comparison(F::OEQ, I::eq);
  table["aten.ne"] = comparison(F::UNE, I::ne);
  table["aten.lt"] = comparison(F::OLT, I::slt);
  table["aten.le"] = comparison(F::OLE, I::sle);
  table["aten.gt"] = comparison(F::OGT, I::sgt);
  table["aten.ge"] = comparison(F::OGE, I::sge);
  table["aten.logical_and"] = bits<arith::AndIOp>(true);
  table["aten.logical_or"] = bits<arith::OrIOp>(true);
  table["aten.logical_not"] = complement(true);
  table["aten.bitwise_and"] = table["aten.__and__"] =
      bits<arith::AndIOp>(false);
  table["aten.bitwise_or"] = table["aten.__or__"] = bits<arith::OrIOp>(false);
  table["aten.bitwise_xor"] = table["aten.__xor__"] =
      bits<arith::XOrIOp>(false);
  table["aten.bitwise_not"] = complement(false);
  table["aten.where"] = where;
  table["aten.masked_fill"] = maskedFill;
  table["aten.maximum"] = extremum<arith::MaximumFOp, arith::MaxSIOp>();
  table["aten.minimum"] = extremum<arith::MinimumFOp, arith::MinSIOp>();
}
