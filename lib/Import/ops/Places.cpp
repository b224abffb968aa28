// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where elements are: those of the largest and the smallest, and the order of
// all. n^2 comparisons for n elements.
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Placed.h"
#include "lib/Import/ops/Sizes.h"

using namespace mlir;
using namespace mixattn;

/// Places along a dim, as numbers of type i64 that spread to `sizes`.
static Built placesAlong(GraphBuilder &build, const SizeList &sizes,
                         int64_t dim) {
  SizeList own(sizes.size(), 1);
  own[dim] = sizes[dim];
  return build.generated(
      DType::I64, own, [dim](OpBuilder &b, Location loc, ValueRange places) {
        return arith::IndexCastOp::create(b, loc, b.getI64Type(), places[dim])
            .getResult();
      });
}

/// The first place of the largest, or the smallest, along a dim; of NaN where
/// there is one. The last one where `isLast`. Of nothing it is 0.
static Built placeOf(GraphBuilder &build, const Built &tensor, int64_t dim,
                     bool isLargest, bool isLast) {
  if (!tensor)
    return {};
  const SizePolynomial &count = tensor.sizes[dim];
  if (count.isZero())
    return build.fail(makeError("expected elements along dim {} of which one "
                                "has a place, but got shape {}",
                                dim, toText(tensor.sizes)));
  Built x = build.convert(tensor, computedAs(tensor.dtype));
  Built most = build.withOnes(build.extreme(x, dim, isLargest), dim);
  int64_t start = isLast ? 0 : INT64_MAX;
  Built place = build.reduce(
      DType::I64, x.sizes, dim, {x, most, placesAlong(build, x.sizes, dim)},
      build.builder().getI64IntegerAttr(start), bodyOf([=](ArrayRef<Number> n) {
        Number isIt = either(isEqual(n[0], n[1]), isNaN(n[0]));
        Number better = isLast ? largest(n[3], n[2]) : smallest(n[3], n[2]);
        return choose(isIt, better, n[3]);
      }));
  if (!place || isLast || signOf(count) == 1)
    return place;
  return build.pointwise(DType::I64, place.sizes, {place, build.number(count)},
                         bodyOf([](ArrayRef<Number> n) {
                           return choose(isEqual(n[1], n[1].like(0)), n[1],
                                         n[0]);
                         }));
}

/// The tensor as a vector if no dim is named.
static Built alongDim(OpCall &op, int64_t &dim) {
  Built x = op.tensor("self");
  if (x && x.rank() && op.has("dim")) {
    dim = op.dim("dim", x.rank(), 0);
    return x;
  }
  dim = 0;
  SizePolynomial all = 1;
  for (const SizePolynomial &size : x.sizes)
    all *= size;
  return x ? op.build.reshape(x, {all}) : x;
}

static OpWriter argument(bool isLargest) {
  return [isLargest](OpCall &op) {
    int64_t dim = 0;
    bool keeps = op.flag("keepdim", false),
         isLast = op.flag("select_last_index", false);
    Built x = alongDim(op, dim);
    Built place = placeOf(op.build, x, dim, isLargest, isLast);
    bool isWhole = x && x.rank() != op.tensor("self").rank();
    if (keeps && isWhole)
      return void(op.build.fail(makeError("expected a dim to keep")));
    op.give(keeps ? op.build.withOnes(place, dim) : place);
  };
}

/// The largest or the smallest along one dim, or of all; along one dim their
/// places as well. Of two tensors, at each place the larger or the smaller.
static OpWriter extremeAndPlace(bool isLargest) {
  return [isLargest](OpCall &op) {
    Built x = op.tensor("self");
    if (op.overload() == "other") {
      DType dtype = op.result().dtype;
      return op.give(combine(op.build, {x, op.tensor("other")}, dtype, dtype,
                             bodyOf([=](ArrayRef<Number> n) {
                               return isLargest ? largest(n[0], n[1])
                                                : smallest(n[0], n[1]);
                             })));
    }
    bool keeps = op.flag("keepdim", false);
    SmallVector<int64_t> dims = op.dims("dim", x.rank());
    auto kept = [&](const Built &result) {
      return keeps ? op.build.withOnes(result, dims) : result;
    };
    if (!x)
      return;
    op.give(kept(op.build.extreme(x, dims, isLargest)));
    if (op.numResults() > 1 && dims.size() == 1)
      op.give(kept(placeOf(op.build, x, dims[0], isLargest, false)), 1);
  };
}

/// The smallest and the largest.
static void bothExtremes(OpCall &op) {
  Built x = op.tensor("self");
  SmallVector<int64_t> dims = op.dims("dim", x.rank());
  bool keeps = op.flag("keepdim", false);
  for (bool isLargest : {false, true}) {
    Built result = op.build.extreme(x, dims, isLargest);
    op.give(keeps ? op.build.withOnes(result, dims) : result, isLargest);
  }
}

/// How many elements along a dim come before each in order: equal ones keep
/// theirs, and NaN is the largest.
static Built ranksOf(GraphBuilder &build, const Built &tensor, int64_t dim,
                     bool isDescending) {
  if (!tensor)
    return {};
  Built x = build.convert(tensor, computedAs(tensor.dtype));
  // The element that is compared is the last dim's.
  int64_t rank = x.rank();
  SizeList all = x.sizes;
  all.push_back(x.sizes[dim]);
  Built other = withLineLast(build, x, dim);
  Built isEarlier = build.generated(
      DType::I1, all, [=](OpBuilder &b, Location loc, ValueRange places) {
        return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                     places[rank], places[dim])
            .getResult();
      });
  return build.reduce(
      DType::I64, all, rank, {build.withOnes(x, rank), other, isEarlier},
      build.builder().getI64IntegerAttr(0), bodyOf([=](ArrayRef<Number> n) {
        const Number &own = n[0], &other = n[1];
        Number isBefore = isDescending ? own < other : other < own;
        Number isSame = isEqual(own, other);
        if (own.isFloat()) {
          Number ownNaN = isNaN(own), otherNaN = isNaN(other);
          Number isFar = isDescending ? both(otherNaN, isEqual(own, own))
                                      : both(ownNaN, isEqual(other, other));
          isBefore = either(isBefore, isFar);
          isSame = either(isSame, both(ownNaN, otherNaN));
        }
        Number counts = either(isBefore, both(isSame, n[2]));
        return choose(counts, n[3] + 1, n[3]);
      }));
}

/// The first `count` elements in order, and their places.
static void giveSorted(OpCall &op, const Built &x, int64_t dim,
                       bool isDescending, const SizePolynomial &count,
                       size_t first) {
  GraphBuilder &build = op.build;
  if (!x || build.failure())
    return;
  if (count.asNumber().value_or(1) < 0)
    return void(build.fail(makeError("expected at least 0 elements in order, "
                                     "but got {}",
                                     count.toText())));
  if (x.dtype == DType::I1)
    return void(build.fail(makeError("expected numbers to order, but got "
                                     "bool")));
  build.requireSize(x.sizes[dim] - count);
  Built ranks = ranksOf(build, x, dim, isDescending);
  if (!ranks)
    return;
  // Where they stand in order is a dim of its own, and the element the last.
  int64_t rank = x.rank();
  SizeList all = x.sizes;
  all[dim] = count;
  all.push_back(x.sizes[dim]);
  Built isIt = build.pointwise(
      DType::I1, all,
      {withLineLast(build, ranks, dim), placesAlong(build, all, dim)},
      bodyOf([](ArrayRef<Number> n) { return isEqual(n[0], n[1]); }));
  auto take = [&](const Built &of, DType dtype) {
    TypedAttr zero = build.builder().getZeroAttr(build.typeOf(dtype));
    return build.reduce(
        dtype, all, rank, {of, isIt}, zero,
        bodyOf([](ArrayRef<Number> n) { return choose(n[1], n[0], n[2]); }));
  };
  if (first == 0)
    op.give(take(withLineLast(build, x, dim), x.dtype));
  Built places = take(placesAlong(build, all, rank), DType::I64);
  size_t index = 1 - first;
  if (op.numResults() > index)
    op.give(places, index);
}

/// A tensor without dims is its only element.
static void sort(OpCall &op) {
  Built x = op.tensor("self");
  int64_t dim = op.dim("dim", x.rank(), -1);
  bool isDescending = op.flag("descending", false);
  op.flag("stable", true);
  if (x.rank())
    giveSorted(op, x, dim, isDescending, x.sizes[dim], 0);
}

static void argumentSort(OpCall &op) {
  Built x = op.tensor("self");
  int64_t dim = op.dim("dim", x.rank(), -1);
  bool isDescending = op.flag("descending", false);
  op.flag("stable", true);
  if (x.rank())
    giveSorted(op, x, dim, isDescending, x.sizes[dim], 1);
}

static void largestOf(OpCall &op) {
  Built x = op.tensor("self");
  int64_t dim = op.dim("dim", x.rank(), -1);
  SizePolynomial count = op.size("k", 1);
  bool isLargest = op.flag("largest", true);
  // Those that are asked for in no order are in order, too.
  op.flag("sorted", true);
  if (x.rank())
    giveSorted(op, x, dim, isLargest, count, 0);
}

/// 1 at the place along the last dim that each index names, else 0.
static void oneHot(OpCall &op) {
  Built x = op.tensor("self");
  SizePolynomial count = op.size("num_classes", -1);
  if (!x)
    return;
  if (count.asNumber().value_or(1) < 1)
    return void(op.build.fail(makeError("expected a number of classes, which "
                                        "does not depend on values")));
  SizeList sizes = x.sizes;
  sizes.push_back(count);
  op.give(op.build.pointwise(
      op.result().dtype, sizes,
      {op.build.withOnes(op.build.convert(x, DType::I64), x.rank()),
       placesAlong(op.build, sizes, x.rank())},
      [dtype = op.result().dtype](OpBuilder &b, Location loc, ValueRange n) {
        Value isIt =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, n[0], n[1]);
        return convertNumber(b, loc, isIt, DType::I1, dtype);
      }));
}

/// ONNX's OneHot: `values` are what is elsewhere and what is there.
static void oneHotOf(OpCall &op) {
  Built x = op.tensor("self"), values = op.tensor("values");
  SizePolynomial count = op.size("depth", 0);
  int64_t dim = op.dim("dim", x.rank() + 1, -1);
  if (!x || !values || values.sizes != SizeList{2} ||
      count.asNumber().value_or(1) < 0)
    return void(op.build.fail(makeError("expected at least 0 classes, and two "
                                        "numbers, for elsewhere and for the "
                                        "place")));
  SizeList sizes = x.sizes;
  sizes.insert(sizes.begin() + dim, count);
  Built index = op.build.withOnes(op.build.convert(x, DType::I64), dim);
  // Places below 0 count from the end.
  op.give(op.build.pointwise(
      values.dtype, sizes,
      {index, placesAlong(op.build, sizes, dim), op.build.number(count),
       op.build.select(values, 0, 0), op.build.select(values, 0, 1)},
      bodyOf([](ArrayRef<Number> n) {
        Number place = choose(n[0] < 0, n[0] + n[2], n[0]);
        return choose(isEqual(place, n[1]), n[4], n[3]);
      })));
}

void mixattn::addPlaces(OpTable &table) {
  table["aten.argmax"] = argument(true);
  table["aten.argmin"] = argument(false);
  table["aten.max"] = extremeAndPlace(true);
  table["aten.min"] = extremeAndPlace(false);
  table["aten.aminmax"] = bothExtremes;
  table["aten.sort"] = sort;
  table["aten.argsort"] = argumentSort;
  table["aten.topk"] = largestOf;
  table["aten.one_hot"] = oneHot;
  for (bool isLargest : {false, true})
    table[isLargest ? "onnx.ArgMax" : "onnx.ArgMin"] =
        fromOnnx({"self"}, {{"dim", "axis", 0}, {"keepdim", "keepdims", 1}},
                 argument(isLargest));
  table["onnx.OneHot"] =
      fromOnnx({"self", "depth", "values"}, {{"dim", "axis", -1}}, oneHotOf);
  table["onnx.TopK"] = fromOnnx({"self", "k"}, {{"dim", "axis"}}, largestOf);
}
