// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that follow from places and sizes: they lie in no memory.
#include "lib/Import/OnnxTensor.h"
#include "lib/Import/SizeText.h"
#include "lib/Import/ops/Number.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

/// Arguments that only say how large the result is, which the file says, too.
static void skipSizes(OpCall &op) {
  op.sizes("size");
  op.sizes("stride");
  if (op.has("self"))
    op.tensor("self");
}

static OpWriter everywhere(double number) {
  return [number](OpCall &op) {
    skipSizes(op);
    const GraphValue &result = op.result();
    op.give(op.build.filled(result.dtype, result.sizes, number));
  };
}

/// The same number everywhere, which may follow from a size.
static OpWriter fillWith(const char *argument) {
  return [argument](OpCall &op) {
    if (op.has("size"))
      op.sizes("size");
    if (op.has("self"))
      op.tensor("self");
    Built number = op.operand(argument);
    const GraphValue &result = op.result();
    Built right = op.build.convert(number, result.dtype);
    if (!right)
      return;
    if (right.constant)
      return op.give(
          op.build.filled(result.dtype, result.sizes, *right.constant));
    op.give(op.build.pointwise(
        result.dtype, result.sizes, right,
        [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; }));
  };
}

/// How many numbers lie from start on, `step` apart, before end; unknown where
/// that is no polynomial.
static SizePolynomial countOf(const SizePolynomial &start,
                              const SizePolynomial &end, int64_t step) {
  // As far up as down the other way.
  SizePolynomial span = step < 0 ? start - end : end - start;
  if (step == 0 || step == INT64_MIN)
    return SizePolynomial::unknown();
  int64_t by = std::abs(step);
  if (std::optional<int64_t> number = span.asNumber())
    return int64_t(
        llvm::divideCeil(std::max<int64_t>(*number, 0), uint64_t(by)));
  return floorQuotient(span + (by - 1), by);
}

/// An argument that is a whole number or follows from sizes; none of others.
static std::optional<SizePolynomial> wholeOf(OpCall &op, const char *name,
                                             int64_t otherwise) {
  if (!op.has(name))
    return SizePolynomial(otherwise);
  Built number = op.operand(name);
  if (number.integers && number.integers->size() == 1)
    return number.integers->front();
  constexpr double most = 1 << 30;
  if (number.constant && std::abs(*number.constant) <= most &&
      std::trunc(*number.constant) == *number.constant)
    return SizePolynomial(int64_t(*number.constant));
  return std::nullopt;
}

/// How many floats a range has whose bounds are constants or follow from sizes.
static SizePolynomial countFloats(OpCall &op) {
  auto from = wholeOf(op, "start", 0), to = wholeOf(op, "end", 0),
       by = wholeOf(op, "step", 1);
  if (from && to && by && by->asNumber())
    return countOf(*from, *to, *by->asNumber());
  double start = op.number("start", 0), end = op.number("end", 0),
         step = op.number("step", 1);
  double count = std::ceil((end - start) / step);
  constexpr double most = 1 << 30;
  return count >= 0 && count < most ? SizePolynomial(int64_t(count))
                                    : SizePolynomial::unknown();
}

/// start, start + step, … below end.
static void arange(OpCall &op) {
  const GraphValue &result = op.result();
  DType inside = computedAs(result.dtype);
  SizePolynomial count = SizePolynomial::unknown();
  if (!isFloat(result.dtype)) {
    auto from = wholeOf(op, "start", 0), to = wholeOf(op, "end", 0),
         by = wholeOf(op, "step", 1);
    if (from && to && by && by->asNumber())
      count = countOf(*from, *to, *by->asNumber());
  } else {
    count = result.sizes.size() == 1 ? result.sizes[0]
            : result.isTyped         ? count
                                     : countFloats(op);
    op.operand("end");
  }
  if (!count.isKnown()) {
    op.build.fail(makeError("expected an arange whose length is a polynomial "
                            "of dims"));
    return;
  }
  auto numberOr = [&](const char *name, double otherwise) {
    Built number = op.has(name) ? op.operand(name)
                                : op.build.filled(DType::F64, {}, otherwise);
    if (number.rank())
      number = op.build.reshape(number, {});
    number.isNumber = true;
    return op.build.convert(number, inside);
  };
  Built start = numberOr("start", 0), step = numberOr("step", 1);
  if (!start || !step || !start.element || !step.element)
    return;
  Type type = op.build.typeOf(inside);
  bool isPlain = start.constant == 0 && step.constant == 1;
  DType dtype = result.dtype;
  op.give(op.build.generated(
      dtype, {count}, [=](OpBuilder &b, Location loc, ValueRange indices) {
        Value index =
            arith::IndexCastOp::create(b, loc, b.getI64Type(), indices[0]);
        Value place = convertNumber(b, loc, index, DType::I64, inside);
        if (isPlain)
          return convertNumber(b, loc, place, inside, dtype);
        Value first = start.element(b, loc, {}),
              each = step.element(b, loc, {});
        Value sum;
        if (isa<FloatType>(type))
          sum = arith::AddFOp::create(
              b, loc, first, arith::MulFOp::create(b, loc, place, each));
        else
          sum = arith::AddIOp::create(
              b, loc, first, arith::MulIOp::create(b, loc, place, each));
        return convertNumber(b, loc, sum, inside, dtype);
      }));
}

/// 1 on the main diagonal, 0 elsewhere.
static void identity(OpCall &op) {
  op.size("n", 0);
  op.size("m", 0);
  const GraphValue &result = op.result();
  DType dtype = result.dtype;
  if (result.sizes.size() != 2)
    return;
  op.give(op.build.generated(
      dtype, result.sizes, [dtype](OpBuilder &b, Location loc, ValueRange own) {
        Value isOn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           own[0], own[1]);
        return convertNumber(b, loc, isOn, DType::I1, dtype);
      }));
}

/// ONNX's EyeLike: a diagonal of ones, `k` above the main one.
static void identityLike(OpCall &op) {
  Built like = op.tensor("self");
  int64_t above = op.integer("k", 0);
  Result<DType> named = op.has("dtype") ? dtypeOfOnnx(op.integer("dtype", 0))
                                        : Result<DType>(like.dtype);
  if (!like)
    return;
  if (!named || like.rank() != 2)
    return void(
        op.build.fail(named ? makeError("expected a matrix, but got shape {}",
                                        toText(like.sizes))
                            : named.error()));
  DType dtype = *named;
  op.give(op.build.generated(
      dtype, like.sizes, [=](OpBuilder &b, Location loc, ValueRange own) {
        Value step = arith::ConstantIndexOp::create(b, loc, above);
        Value column = arith::AddIOp::create(b, loc, own[0], step);
        Value isOn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           column, own[1]);
        return convertNumber(b, loc, isOn, DType::I1, dtype);
      }));
}

/// As many floats from start to end, both among them.
static void linspace(OpCall &op) {
  DType dtype = op.floatType();
  double start = op.number("start", 0), end = op.number("end", 1);
  op.size("steps", 0);
  const SizeList &sizes = op.result().sizes;
  if (sizes.size() != 1 || op.build.failure())
    return;
  Built place = op.build.generated(
      DType::I64, sizes, [](OpBuilder &b, Location loc, ValueRange own) {
        return arith::IndexCastOp::create(b, loc, b.getI64Type(), own[0])
            .getResult();
      });
  op.give(combine(op.build, {place, op.build.number(sizes[0])}, DType::F64,
                  dtype, bodyOf([=](ArrayRef<Number> n) {
                    // A single one is the start.
                    Number steps = largest(n[1] - 1, 1);
                    return start + n[0] * ((end - start) / steps);
                  })));
}

/// Elements of which it is not said what they are: zeros.
static void unknownNumbers(OpCall &op) {
  op.sizes("physical_layout");
  everywhere(0)(op);
}

/// The numbers of the last two dims on one side of a diagonal, zeros elsewhere.
static OpWriter triangle(bool isLower) {
  return [isLower](OpCall &op) {
    Built tensor = op.tensor("self");
    SizePolynomial diagonal = op.size("diagonal", 0);
    if (!tensor || op.build.failure())
      return;
    int64_t rank = tensor.rank();
    if (rank < 2) {
      op.build.fail(makeError("expected a matrix, but got shape {}",
                              toText(tensor.sizes)));
      return;
    }
    auto side = isLower ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge;
    std::optional<int64_t> number = diagonal.asNumber();
    Value shift = number ? Value() : op.build.indexOf(diagonal);
    // Whether the place is kept: column - row <= diagonal, or >=.
    Built keeps = op.build.generated(
        DType::I1, tensor.sizes,
        [=](OpBuilder &b, Location loc, ValueRange indices) -> Value {
          Value column = indices[rank - 1], row = indices[rank - 2];
          if (shift)
            return arith::CmpIOp::create(
                b, loc, side, column,
                arith::AddIOp::create(b, loc, row, shift));
          Value bound = arith::ConstantIndexOp::create(b, loc, *number);
          Value distance = arith::SubIOp::create(b, loc, column, row);
          return arith::CmpIOp::create(b, loc, side, distance, bound);
        });
    if (tensor.dtype == DType::I1 && tensor.constant == 1)
      return op.give(keeps);
    Built zero = op.build.filled(tensor.dtype, {}, 0);
    op.give(op.build.pointwise(
        tensor.dtype, tensor.sizes, {keeps, tensor, zero},
        [](OpBuilder &b, Location loc, ValueRange numbers) {
          return arith::SelectOp::create(b, loc, numbers[0], numbers[1],
                                         numbers[2])
              .getResult();
        }));
  };
}

/// Trilu: the lower or the upper triangle, as an attribute says.
static void eitherTriangle(OpCall &op) {
  triangle(!op.flag("upper", true))(op);
}

/// One number everywhere, by default 0, of a shape that is given.
static void constantOfShape(OpCall &op) {
  SizeList sizes = op.sizes("shape");
  if (!op.has("value"))
    return op.give(op.build.filled(DType::F32, sizes, 0));
  Built value = op.tensor("value");
  if (value.constant)
    op.give(op.build.filled(value.dtype, sizes, *value.constant));
  else
    op.build.fail(makeError("expected one number as 'value', but got shape {}",
                            toText(value.sizes)));
}

void mixattn::addConstants(OpTable &table) {
  table["onnx.Range"] = fromOnnx({"start", "end", "step"}, {}, arange);
  table["onnx.EyeLike"] = fromOnnx({"self"}, {}, identityLike);
  table["onnx.Trilu"] = fromOnnx({"self", "diagonal"}, {}, eitherTriangle);
  table["onnx.ConstantOfShape"] = fromOnnx({"shape"}, {}, constantOfShape);
  for (const char *name : {"aten.zeros", "aten.zeros_like", "aten.new_zeros"})
    table[name] = everywhere(0);
  for (const char *name : {"aten.ones", "aten.ones_like", "aten.new_ones"})
    table[name] = everywhere(1);
  for (const char *name : {"aten.full", "aten.full_like", "aten.new_full"})
    table[name] = fillWith("fill_value");
  table["aten.fill"] = fillWith("value");
  table["aten.scalar_tensor"] = fillWith("s");
  for (const char *name : {"aten.empty", "aten.empty_like", "aten.new_empty",
                           "aten.empty_permuted", "aten.empty_strided",
                           "aten.new_empty_strided", "aten.zero"})
    table[name] = unknownNumbers;
  table["aten.eye"] = identity;
  table["aten.linspace"] = linspace;
  table["aten.arange"] = arange;
  table["aten.tril"] = triangle(true);
  table["aten.triu"] = triangle(false);
}
