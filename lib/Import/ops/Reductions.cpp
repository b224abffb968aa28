// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, means, extremes and normalised exponentials along dims.
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Placed.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

/// With the reduced dims as ones, if asked for.
static Built keptIf(OpCall &op, const Built &tensor, ArrayRef<int64_t> dims) {
  return op.flag("keepdim", false) ? op.build.withOnes(tensor, dims) : tensor;
}

static Built divided(GraphBuilder &build, const Built &tensor,
                     const SizePolynomial &count) {
  if (!tensor)
    return {};
  return combine(build, {tensor, build.number(count)}, tensor.dtype,
                 tensor.dtype, [](OpBuilder &b, Location loc, ValueRange x) {
                   return arith::DivFOp::create(b, loc, x[0], x[1]).getResult();
                 });
}

static SizePolynomial countOf(const Built &tensor, ArrayRef<int64_t> dims) {
  SizePolynomial count = 1;
  for (int64_t dim : dims)
    count *= tensor.sizes[dim];
  return count;
}

static OpWriter sumOrMean(bool isMean) {
  return [isMean](OpCall &op) {
    DType dtype = isMean ? op.floatType() : op.result().dtype;
    Built tensor = op.build.convert(op.tensor("self"), dtype);
    SmallVector<int64_t> dims = op.dims("dim", tensor.rank());
    Built result = op.build.sum(tensor, dims);
    if (isMean && result)
      result = divided(op.build, result, countOf(tensor, dims));
    op.give(keptIf(op, result, dims));
  };
}

/// The mean of each channel of a tensor [B, C, ...].
static void meanOfPlaces(OpCall &op) {
  Built tensor = op.build.convert(op.tensor("self"), op.floatType());
  if (!tensor)
    return;
  if (tensor.rank() < 3)
    return void(op.build.fail(makeError("expected a tensor of at least 3 dims, "
                                        "but got shape {}",
                                        toText(tensor.sizes))));
  auto dims = llvm::to_vector(llvm::seq<int64_t>(2, tensor.rank()));
  Built mean =
      divided(op.build, op.build.sum(tensor, dims), countOf(tensor, dims));
  op.give(op.build.withOnes(mean, dims));
}

static OpWriter extremeOf(bool isLargest) {
  return [isLargest](OpCall &op) {
    Built tensor = op.tensor("self");
    SmallVector<int64_t> dims = op.dims("dim", tensor.rank());
    op.give(keptIf(op, op.build.extreme(tensor, dims, isLargest), dims));
  };
}

/// Whether any number along dims is not 0, or all are.
static OpWriter truth(bool isAny) {
  return [isAny](OpCall &op) {
    Built tensor = op.build.convert(op.tensor("self"), DType::I1);
    SmallVector<int64_t> dims;
    if (op.has("dim") && tensor.rank())
      dims = {op.dim("dim", tensor.rank(), 0)};
    else
      dims = llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
    op.give(keptIf(op, op.build.extreme(tensor, dims, isAny), dims));
  };
}

/// Sums, or products, of all elements up to each along a dim, or from it on,
/// with it or without, 16-bit floats in f32: n^2 / 2 additions for n elements,
/// each sum in the order of the elements.
static void running(OpCall &op, bool isProduct) {
  DType dtype = op.result().dtype, wide = computedAs(dtype);
  Built tensor = op.build.convert(op.tensor("self"), wide);
  int64_t dim = op.dim("dim", tensor.rank(), 0), rank = tensor.rank();
  bool isReverse = op.flag("reverse", false);
  bool isExclusive = op.flag("exclusive", false);
  if (!tensor || !rank || dtype == DType::I1)
    return;
  using P = arith::CmpIPredicate;
  P counts = isReverse ? (isExclusive ? P::sgt : P::sge)
                       : (isExclusive ? P::slt : P::sle);
  // The element that is added is the last dim's, the sum's place is its own.
  SizeList all = tensor.sizes;
  all.push_back(tensor.sizes[dim]);
  Built added = withLineLast(op.build, tensor, dim);
  Built isCounted = op.build.generated(
      DType::I1, all, [=](OpBuilder &b, Location loc, ValueRange places) {
        return arith::CmpIOp::create(b, loc, counts, places[rank], places[dim])
            .getResult();
      });
  NumberBody body = bodyOf([=](ArrayRef<Number> n) {
    Number number = choose(n[1], n[0], n[0].like(isProduct));
    return isProduct ? n[2] * number : n[2] + number;
  });
  OpBuilder &b = op.build.builder();
  Type type = op.build.typeOf(wide);
  TypedAttr start = isFloat(wide)
                        ? TypedAttr(b.getFloatAttr(type, isProduct))
                        : TypedAttr(b.getIntegerAttr(type, isProduct));
  op.give(op.build.convert(
      op.build.reduce(wide, all, {rank}, {added, isCounted}, start, body),
      dtype));
}

static void runningSum(OpCall &op) { running(op, false); }

/// Each element less the one before it along a dim.
static void difference(OpCall &op) {
  std::vector<Built> parts;
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank(), -1);
  for (const char *name : {"prepend", "append"})
    if (op.has(name))
      parts.insert(name[0] == 'p' ? parts.begin() : parts.end(),
                   op.tensor(name));
  if (!tensor || !tensor.rank())
    return;
  if (op.integer("n", 1) != 1 || tensor.dtype == DType::I1)
    return void(op.build.fail(
        makeError("expected differences of numbers, taken once")));
  parts.insert(parts.begin() + op.has("prepend"), tensor);
  tensor = op.build.concatenate(parts, dim);
  if (!tensor)
    return;
  SizePolynomial size = tensor.sizes[dim] - 1;
  Built after = op.build.slice(tensor, dim, 1, size),
        before = op.build.slice(tensor, dim, 0, size);
  op.give(combine(op.build, {after, before}, tensor.dtype, tensor.dtype,
                  [](OpBuilder &b, Location loc, ValueRange x) -> Value {
                    if (isa<FloatType>(x[0].getType()))
                      return arith::SubFOp::create(b, loc, x[0], x[1]);
                    return arith::SubIOp::create(b, loc, x[0], x[1]);
                  }));
}

/// log sum exp(x) = m + log sum exp(x - m), m the maximum where that is finite.
static Built logSumOf(GraphBuilder &build, const Built &tensor,
                      ArrayRef<int64_t> dims) {
  if (!tensor)
    return {};
  DType dtype = tensor.dtype, wide = computedAs(dtype);
  Built x = build.convert(tensor, wide);
  Built largest = build.extreme(x, dims, true);
  NumberBody finite = [](OpBuilder &b, Location loc, ValueRange numbers) {
    auto type = cast<FloatType>(numbers[0].getType());
    Value infinity = arith::ConstantOp::create(
        b, loc,
        b.getFloatAttr(type, llvm::APFloat::getInf(type.getFloatSemantics())));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    Value size = math::AbsFOp::create(b, loc, numbers[0]);
    Value isInfinite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                             size, infinity);
    return arith::SelectOp::create(b, loc, isInfinite, zero, numbers[0])
        .getResult();
  };
  if (!largest)
    return {};
  Built shift = build.pointwise(wide, largest.sizes, largest, finite);
  Type type = build.typeOf(wide);
  auto zero = cast<TypedAttr>(build.builder().getZeroAttr(type));
  Built sum = build.reduce(
      wide, x.sizes, dims, {x, build.withOnes(shift, dims)}, zero,
      [](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        Value lower = arith::SubFOp::create(b, loc, numbers[0], numbers[1]);
        Value exponential = math::ExpOp::create(b, loc, lower);
        return arith::AddFOp::create(b, loc, numbers[2], exponential);
      });
  if (!sum)
    return {};
  Built result = build.pointwise(
      wide, sum.sizes, {sum, shift},
      [](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        Value logarithm = math::LogOp::create(b, loc, numbers[0]);
        return arith::AddFOp::create(b, loc, logarithm, numbers[1]);
      });
  return build.convert(result, dtype);
}

static void logSumExp(OpCall &op) {
  Built tensor = op.build.convert(op.tensor("self"), op.floatType());
  SmallVector<int64_t> dims = op.dims("dim", tensor.rank());
  if (Built sum = logSumOf(op.build, tensor, dims))
    op.give(keptIf(op, sum, dims));
}

/// The same of two tensors, as of one that holds both.
static void logAddExp(OpCall &op) {
  DType dtype = op.floatType();
  Built x = op.build.convert(op.tensor("self"), dtype);
  Built y = op.build.convert(op.tensor("other"), dtype);
  if (!x || !y)
    return;
  SizeList sizes = op.build.broadcast({x, y});
  std::vector<Built> both;
  for (const Built &each : {x, y})
    both.push_back(op.build.withOnes(
        op.build.pointwise(dtype, sizes, each,
                           [](OpBuilder &, Location, ValueRange numbers) {
                             return numbers[0];
                           }),
        {0}));
  op.give(logSumOf(op.build, op.build.concatenate(both, 0), {0}));
}

static void softmax(OpCall &op) {
  Built tensor = op.build.convert(op.tensor("self"), op.floatType());
  int64_t dim = op.dim("dim", tensor.rank(), -1);
  if (tensor.rank())
    op.give(op.build.softmax(tensor, dim));
}

/// x - m - log sum exp(x - m), m the maximum.
static void logSoftmax(OpCall &op) {
  DType dtype = op.floatType();
  Built x = op.build.convert(op.tensor("self"), computedAs(dtype));
  int64_t dim = op.dim("dim", x.rank(), -1);
  if (!x || !x.rank())
    return;
  DType wide = x.dtype;
  Built largest = op.build.withOnes(op.build.extreme(x, dim, true), dim);
  Type type = op.build.typeOf(wide);
  auto zero = cast<TypedAttr>(op.build.builder().getZeroAttr(type));
  Built sum = op.build.withOnes(
      op.build.reduce(
          wide, x.sizes, dim, {x, largest}, zero,
          [](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
            Value lower = arith::SubFOp::create(b, loc, numbers[0], numbers[1]);
            Value exponential = math::ExpOp::create(b, loc, lower);
            return arith::AddFOp::create(b, loc, numbers[2], exponential);
          }),
      dim);
  if (!sum)
    return;
  Built result = op.build.pointwise(
      wide, x.sizes, {x, largest, sum},
      [](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        Value lower = arith::SubFOp::create(b, loc, numbers[0], numbers[1]);
        Value logarithm = math::LogOp::create(b, loc, numbers[2]);
        return arith::SubFOp::create(b, loc, lower, logarithm);
      });
  op.give(op.build.convert(result, dtype));
}

/// A reduction of ONNX's, whose axes are an operand or, up to opset 17, an
/// attribute.
static OpWriter reduction(OpWriter writer) {
  return fromOnnx({"self", "dim"},
                  {{"dim", "axes"}, {"keepdim", "keepdims", 1}},
                  [writer](OpCall &op) {
                    bool isNothing = op.flag("noop_with_empty_axes", false) &&
                                     op.sizes("dim").empty();
                    if (!isNothing)
                      return writer(op);
                    op.flag("keepdim", true);
                    op.give(op.tensor("self"));
                  });
}

/// The sum of what `each` makes of elements, and what `last` makes of it.
static OpWriter sumOf(NumberBody each, NumberBody last) {
  return [=](OpCall &op) {
    DType dtype = op.floatType();
    Built tensor = op.tensor("self");
    SmallVector<int64_t> dims = op.dims("dim", tensor.rank());
    Built result = op.build.sum(
        combine(op.build, tensor, dtype, computedAs(dtype), each), dims);
    if (result)
      result = combine(op.build, result, result.dtype, result.dtype, last);
    op.give(keptIf(op, op.build.convert(result, dtype), dims));
  };
}

template <typename MathOp>
static Value unary(OpBuilder &b, Location loc, ValueRange x) {
  return MathOp::create(b, loc, x[0]).getResult();
}

static Value same(OpBuilder &, Location, ValueRange x) { return x[0]; }

static Value square(OpBuilder &b, Location loc, ValueRange x) {
  return arith::MulFOp::create(b, loc, x[0], x[0]).getResult();
}

/// Products along dims; of integers that follow from sizes they do, too.
static void product(OpCall &op) {
  Built tensor = op.tensor("self");
  SmallVector<int64_t> dims = op.dims("dim", tensor.rank());
  if (!tensor)
    return;
  SizePolynomial known = tensor.integers && tensor.rank() < 2
                             ? SizePolynomial(1)
                             : SizePolynomial::unknown();
  if (known.isKnown())
    for (const SizePolynomial &each : *tensor.integers)
      known *= each;
  if (known.isKnown())
    return op.give(
        keptIf(op, op.build.listed(op.result().dtype, {}, {known}), dims));
  DType dtype = op.result().dtype, wide = computedAs(dtype);
  if (dtype == DType::I1)
    return void(
        op.build.fail(makeError("expected numbers to multiply, but got bool")));
  Type type = op.build.typeOf(wide);
  OpBuilder &b = op.build.builder();
  TypedAttr one = isFloat(wide) ? TypedAttr(b.getFloatAttr(type, 1))
                                : TypedAttr(b.getIntegerAttr(type, 1));
  op.give(keptIf(
      op,
      op.build.convert(
          op.build.reduce(
              wide, tensor.sizes, dims, op.build.convert(tensor, wide), one,
              bodyOf([](ArrayRef<Number> n) { return n[0] * n[1]; })),
          dtype),
      dims));
}

/// How many elements along dims are not 0.
static void countOfNonzeros(OpCall &op) {
  Built tensor = op.tensor("self");
  SmallVector<int64_t> dims = op.dims("dim", tensor.rank());
  Built isNot = op.build.convert(tensor, DType::I1);
  op.give(op.build.sum(op.build.convert(isNot, DType::I64), dims));
}

/// ONNX's spellings.
static void addOnnxReductions(OpTable &table) {
  table["onnx.ReduceSum"] = reduction(sumOrMean(false));
  table["onnx.ReduceMean"] = reduction(sumOrMean(true));
  table["onnx.ReduceMax"] = reduction(extremeOf(true));
  table["onnx.ReduceMin"] = reduction(extremeOf(false));
  table["onnx.ReduceProd"] = reduction(product);
  table["onnx.ReduceSumSquare"] = reduction(sumOf(square, same));
  table["onnx.ReduceL1"] = reduction(sumOf(unary<math::AbsFOp>, same));
  table["onnx.ReduceL2"] = reduction(sumOf(square, unary<math::SqrtOp>));
  table["onnx.ReduceLogSum"] = reduction(sumOf(same, unary<math::LogOp>));
  table["onnx.ReduceLogSumExp"] = reduction(logSumExp);
  table["onnx.CumSum"] = fromOnnx({"self", "dim"}, {}, runningSum);
  table["onnx.GlobalAveragePool"] = fromOnnx({"self"}, {}, meanOfPlaces);
  table["onnx.Softmax"] = fromOnnx({"self"}, {{"dim", "axis"}}, softmax);
  table["onnx.LogSoftmax"] = fromOnnx({"self"}, {{"dim", "axis"}}, logSoftmax);
}

void mixattn::addReductions(OpTable &table) {
  table["aten.sum"] = sumOrMean(false);
  table["aten.mean"] = sumOrMean(true);
  table["aten.amax"] = extremeOf(true);
  table["aten.amin"] = extremeOf(false);
  table["aten.prod"] = product;
  table["aten.count_nonzero"] = countOfNonzeros;
  table["aten.any"] = truth(true);
  table["aten.all"] = truth(false);
  table["aten.cumsum"] = runningSum;
  table["aten.cumprod"] = [](OpCall &op) { running(op, true); };
  table["aten.diff"] = difference;
  table["aten.logsumexp"] = logSumExp;
  table["aten.logaddexp"] = logAddExp;
  table["aten.softmax"] = table["aten._softmax"] = softmax;
  table["aten.log_softmax"] = table["aten._log_softmax"] = logSoftmax;
  addOnnxReductions(table);
}
