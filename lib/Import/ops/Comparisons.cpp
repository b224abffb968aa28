// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, logic and choices.
#include "lib/Import/LargestSize.h"
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Sizes.h"

#include <cmath>

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

/// Whether all operands and the result are integers or truth values, which have
/// bits; else the op fails.
static bool haveBits(OpCall &op, ArrayRef<Built> operands) {
  std::vector<DType> types = {op.result().dtype};
  for (const Built &each : operands)
    types.push_back(each.dtype);
  for (DType dtype : types)
    if (isFloat(dtype))
      op.build.fail(makeError("expected bits of integers or of truth values, "
                              "but got {}",
                              nameOf(dtype)));
  return !op.build.failure();
}

/// Logic of bools, or of the bits of integers.
template <typename Op> static OpWriter bits(bool isLogical) {
  return [isLogical](OpCall &op) {
    Built x = op.operand("self"), y = op.operand("other");
    if (!isLogical && !haveBits(op, {x, y}))
      return;
    DType dtype = isLogical ? DType::I1 : op.result().dtype;
    op.give(
        combine(op.build, {x, y}, dtype, op.result().dtype,
                [](OpBuilder &b, Location loc, ValueRange numbers) {
                  return Op::create(b, loc, numbers[0], numbers[1]).getResult();
                }));
  };
}

/// Bits moved; by as many as there are, or more, none is left but the sign's.
template <typename Op> static OpWriter shift() {
  return [](OpCall &op) {
    Built x = op.operand("self"), y = op.operand("other");
    if (!haveBits(op, {x, y}))
      return;
    DType dtype = op.result().dtype;
    int64_t width = 8 * int64_t(bytesOf(dtype));
    bool keepsSign = std::is_same_v<Op, arith::ShRSIOp>;
    op.give(combine(
        op.build, {x, y}, dtype, dtype, bodyOf([=](ArrayRef<Number> n) {
          Number isFar =
              (n[1] < 0).by<arith::OrIOp>(Value(double(width - 1) < n[1]));
          Number most = n[1].like(double(width - 1));
          Number moved = n[0].by<Op>(Value(choose(isFar, most, n[1])));
          return keepsSign ? moved : choose(isFar, n[0].like(0), moved);
        })));
  };
}

static OpWriter complement(bool isLogical) {
  return [isLogical](OpCall &op) {
    Built x = op.tensor("self");
    if (!isLogical && !haveBits(op, x))
      return;
    DType dtype = isLogical ? DType::I1 : op.result().dtype;
    op.give(combine(
        op.build, x, dtype, op.result().dtype,
        [](OpBuilder &b, Location loc, ValueRange numbers) {
          Value ones = arith::ConstantOp::create(
              b, loc, b.getIntegerAttr(numbers[0].getType(), -1));
          return arith::XOrIOp::create(b, loc, numbers[0], ones).getResult();
        }));
  };
}

/// `yes` where `condition`, else `no`, both of that type.
static Built choose(OpCall &op, const Built &condition, const Built &yes,
                    const Built &no, DType dtype) {
  if (!condition || !yes || !no)
    return {};
  if (condition.dtype != DType::I1)
    return op.build.fail(makeError("expected a condition of type bool, but got "
                                   "{}",
                                   nameOf(condition.dtype)));
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

/// The same of integers that follow from sizes, which spread to `sizes`.
static std::optional<SizeList> chooseListed(const Built &condition,
                                            const Built &yes, const Built &no,
                                            const SizeList &sizes) {
  std::optional<SizeList> truths = spreadIntegers(condition, sizes),
                          left = spreadIntegers(yes, sizes),
                          right = spreadIntegers(no, sizes);
  if (!truths || !left || !right)
    return std::nullopt;
  for (auto [truth, a, b] : llvm::zip_equal(*truths, *left, *right)) {
    std::optional<int64_t> known = truth.asNumber();
    if (!known)
      return std::nullopt;
    a = *known ? a : b;
  }
  return left;
}

static void where(OpCall &op) {
  Built condition = op.tensor("condition"), yes = op.operand("self"),
        no = op.operand("other");
  SizeList sizes = op.build.broadcast({condition, yes, no});
  if (op.build.failure())
    return;
  DType dtype = promote({yes, no});
  if (condition.dtype == DType::I1)
    if (std::optional<SizeList> chosen =
            chooseListed(condition, yes, no, sizes))
      return op.give(op.build.listed(dtype, sizes, *chosen));
  // Floats of Python have PyTorch's default type.
  if (yes.isNumber && no.isNumber && isFloat(dtype))
    dtype = DType::F32;
  op.give(choose(op, condition, yes, no, dtype));
}

static void maskedFill(OpCall &op) {
  Built tensor = op.tensor("self"), mask = op.tensor("mask"),
        value = op.operand("value");
  op.give(choose(op, mask, value, tensor, tensor.dtype));
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

/// The other truth value, of what follows from sizes as well.
static void negation(OpCall &op) {
  Built x = op.tensor("self");
  if (!x || !x.integers)
    return complement(true)(op);
  SizeList others;
  for (const SizePolynomial &each : *x.integers)
    others.push_back(1 - each);
  op.give(op.build.listed(DType::I1, x.sizes, others));
}

/// A question about floats, to which integers all give the same answer.
static OpWriter question(bool ofIntegers, NumberFunction answer) {
  return [=](OpCall &op) {
    Built x = op.tensor("self");
    if (!x)
      return;
    if (!isFloat(x.dtype))
      return op.give(op.build.filledInteger(DType::I1, x.sizes, ofIntegers));
    op.give(combine(op.build, x, x.dtype, DType::I1, bodyOf(answer)));
  };
}

static Number isNaNOf(ArrayRef<Number> x) { return isNaN(x[0]); }

static Number isInfinite(ArrayRef<Number> x) {
  return isEqual(absolute(x[0]), x[0].like(INFINITY));
}

static Number isFinite(ArrayRef<Number> x) {
  return absolute(x[0]) < x[0].like(INFINITY);
}

/// ONNX's IsInf, of one sign alone where asked for.
static void isInf(OpCall &op) {
  bool below = op.flag("detect_negative", true),
       above = op.flag("detect_positive", true);
  question(false, [=](ArrayRef<Number> x) {
    Number high = above ? x[0] : x[0].like(0),
           low = below ? -x[0] : x[0].like(0);
    return isEqual(largest(high, low), x[0].like(INFINITY));
  })(op);
}

/// Whether |x - y| <= atol + rtol |y|, or both are the same infinity.
static void isClose(OpCall &op) {
  Built x = op.tensor("self"), y = op.tensor("other");
  double relative = op.number("rtol", 1e-5),
         absolutely = op.number("atol", 1e-8);
  bool equalsNaN = op.flag("equal_nan", false);
  if (!x || !y)
    return;
  DType dtype = isFloat(x.dtype) ? x.dtype : DType::F64;
  op.give(combine(
      op.build, {x, y}, dtype, DType::I1, bodyOf([=](ArrayRef<Number> n) {
        Number distance = absolute(n[0] - n[1]);
        Number limit = absolutely + relative * absolute(n[1]);
        Number isNear = both(distance.compare(arith::CmpFPredicate::OLE,
                                              arith::CmpIPredicate::sle, limit),
                             isFinite({n[1]}));
        Number result = either(isNear, isEqual(n[0], n[1]));
        if (equalsNaN)
          result = either(result, both(isNaN(n[0]), isNaN(n[1])));
        return result;
      })));
}

/// One size from several, or nothing where it is no polynomial.
using SizesFold = SizePolynomial (*)(std::vector<SizePolynomial> sizes,
                                     DimBounds &bounds);

/// The list that `fold` makes of lists of sizes, place by place, or nothing.
static std::optional<Built> foldAll(OpCall &op, ArrayRef<Built> lists,
                                    SizesFold fold) {
  SizeList shape = op.build.broadcast(lists), result;
  if (op.build.failure())
    return std::nullopt;
  std::vector<SizeList> all;
  for (const Built &each : lists) {
    std::optional<SizeList> spread = spreadIntegers(each, shape);
    if (!spread || isFloat(each.dtype))
      return std::nullopt;
    all.push_back(std::move(*spread));
  }
  DimBounds bounds;
  for (size_t place = 0; place < all[0].size(); ++place) {
    std::vector<SizePolynomial> sizes;
    for (const SizeList &each : all)
      sizes.push_back(each[place]);
    result.push_back(fold(std::move(sizes), bounds));
    if (!result.back().isKnown())
      return std::nullopt;
  }
  requireBounds(op.build, bounds);
  return op.build.listed(lists[0].dtype, shape, result);
}

/// The largest, the smallest or the sum of all operands at each place.
template <typename FloatOp, typename IntegerOp, SizesFold fold = nullptr>
static void ofAll(OpCall &op) {
  std::vector<Built> tensors = op.tensors("tensors");
  if (tensors.empty())
    return void(op.build.fail(makeError("expected operands, but got none")));
  if (fold != nullptr && !op.build.failure())
    if (std::optional<Built> folded = foldAll(op, tensors, fold))
      return op.give(*folded);
  DType dtype = op.result().dtype;
  op.give(combine(op.build, tensors, dtype, dtype,
                  [](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
                    Value so = numbers[0];
                    for (Value next : numbers.drop_front())
                      so = isa<FloatType>(so.getType())
                               ? Value(FloatOp::create(b, loc, so, next))
                               : Value(IntegerOp::create(b, loc, so, next));
                    return so;
                  }));
}

/// The mean of all operands at each place.
static void meanOfAll(OpCall &op) {
  std::vector<Built> tensors = op.tensors("tensors");
  if (tensors.empty())
    return void(op.build.fail(makeError("expected operands, but got none")));
  DType dtype = op.floatType();
  op.give(
      combine(op.build, tensors, dtype, dtype, bodyOf([](ArrayRef<Number> n) {
                Number sum = n[0];
                for (const Number &next : n.drop_front())
                  sum = sum + next;
                return sum / double(n.size());
              })));
}

/// ONNX's spellings.
static void addOnnxComparisons(OpTable &table) {
  // Comparisons of sizes, by the sign of their difference.
  auto compared = [&](const char *same, bool (*holds)(int)) {
    SizeFold fold = [holds](const SizePolynomial &x, const SizePolynomial &y) {
      std::optional<int> sign = signOf(x - y);
      return sign ? SizePolynomial(holds(*sign)) : SizePolynomial::unknown();
    };
    return fromOnnx({"self", "other"}, {}, foldedBy(fold, true, table[same]));
  };
  table["onnx.Equal"] = compared("aten.eq", [](int sign) { return sign == 0; });
  table["onnx.Less"] = compared("aten.lt", [](int sign) { return sign < 0; });
  table["onnx.LessOrEqual"] =
      compared("aten.le", [](int sign) { return sign <= 0; });
  table["onnx.Greater"] =
      compared("aten.gt", [](int sign) { return sign > 0; });
  table["onnx.GreaterOrEqual"] =
      compared("aten.ge", [](int sign) { return sign >= 0; });
  auto logic = [](SizeFold fold, OpWriter writer) {
    return fromOnnx({"self", "other"}, {}, foldedBy(fold, true, writer));
  };
  // Truth values are 0 and 1.
  using S = const SizePolynomial &;
  table["onnx.And"] =
      logic([](S x, S y) { return x * y; }, bits<arith::AndIOp>(true));
  table["onnx.Or"] =
      logic([](S x, S y) { return x + y - x * y; }, bits<arith::OrIOp>(true));
  table["onnx.Xor"] = logic([](S x, S y) { return x + y - 2 * (x * y); },
                            bits<arith::XOrIOp>(true));
  table["onnx.Not"] = fromOnnx({"self"}, {}, negation);
  table["onnx.IsNaN"] = fromOnnx({"self"}, {}, question(false, isNaNOf));
  table["onnx.IsInf"] = fromOnnx({"self"}, {}, isInf);
  table["onnx.Where"] = fromOnnx({"condition", "self", "other"}, {}, where);
  table["onnx.Max"] = fromOnnxList(
      "tensors", {}, ofAll<arith::MaximumFOp, arith::MaxSIOp, largestSize>);
  table["onnx.Sum"] =
      fromOnnxList("tensors", {}, ofAll<arith::AddFOp, arith::AddIOp>);
  table["onnx.Mean"] = fromOnnxList("tensors", {}, meanOfAll);
  auto ofBits = [](OpWriter writer) {
    return fromOnnx({"self", "other"}, {}, writer);
  };
  table["onnx.BitwiseAnd"] = ofBits(bits<arith::AndIOp>(false));
  table["onnx.BitwiseOr"] = ofBits(bits<arith::OrIOp>(false));
  table["onnx.BitwiseXor"] = ofBits(bits<arith::XOrIOp>(false));
  table["onnx.BitwiseNot"] = fromOnnx({"self"}, {}, complement(false));
  table["onnx.Min"] = fromOnnxList(
      "tensors", {}, ofAll<arith::MinimumFOp, arith::MinSIOp, smallestSize>);
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
  table["aten.logical_xor"] = bits<arith::XOrIOp>(true);
  table["aten.logical_not"] = complement(true);
  table["aten.isnan"] = question(false, isNaNOf);
  table["aten.isinf"] = question(false, isInfinite);
  table["aten.isfinite"] = question(true, isFinite);
  table["aten.isclose"] = isClose;
  for (const char *name : {"aten.bitwise_left_shift", "aten.__lshift__"})
    table[name] = shift<arith::ShLIOp>();
  for (const char *name : {"aten.bitwise_right_shift", "aten.__rshift__"})
    table[name] = shift<arith::ShRSIOp>();
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
  addOnnxComparisons(table);
}
