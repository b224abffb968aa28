// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scatter and its kind: each element of the result looks for its place among
// all that are written.
#include "lib/Import/ops/Scattered.h"
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Placed.h"
#include "lib/Import/ops/Repeats.h"

using namespace mlir;
using namespace mixattn;

Built mixattn::scattered(OpCall &op, const Built &tensor, int64_t dim,
                         const Built &given, const Built &rows, bool isSum) {
  GraphBuilder &build = op.build;
  // A single place without a dim.
  Built index = given && !given.rank() ? build.reshape(given, {1}) : given;
  if (!tensor || !index || !rows || build.failure())
    return {};
  if (isFloat(index.dtype) || index.dtype == DType::I1)
    return build.fail(makeError("expected places of an integer type, but got "
                                "{}",
                                nameOf(index.dtype)));
  DType dtype = tensor.dtype, wide = isSum ? computedAs(dtype) : dtype;
  if (isSum && dtype == DType::I1)
    return build.fail(makeError("expected numbers to add, but got bool"));
  if (index.rank() != 1 && index.rank() != tensor.rank())
    return build.fail(makeError("expected places of rows, or of single "
                                "elements, but got shapes {} and {}",
                                toText(tensor.sizes), toText(index.sizes)));
  bool ofRows = index.rank() == 1 && tensor.rank() != 1;
  SizePolynomial count = index.rank() == 1 ? index.sizes[0] : index.sizes[dim];
  SizeList written = tensor.sizes;
  written[dim] = count;
  if (!ofRows && index.sizes != written)
    return build.fail(makeError(
        "expected places of the tensor's sizes along all dims but dim {}, but "
        "got shapes {} and {}",
        dim, toText(tensor.sizes), toText(index.sizes)));
  Built spread = build.convert(rows, wide);
  if (spread && spread.sizes != written)
    spread = spreadTo(build, spread, written);
  Built places = build.convert(index, DType::I64);
  if (!spread || !places)
    return {};
  // Places below 0 count from the end.
  places = build.pointwise(DType::I64, places.sizes,
                           {places, build.number(tensor.sizes[dim])},
                           bodyOf([](ArrayRef<Number> n) {
                             return choose(n[0] < 0, n[0] + n[1], n[0]);
                           }));
  SizeList all = tensor.sizes;
  all.push_back(count);
  SizeList line(all.size(), 1);
  line.back() = count;
  places =
      ofRows ? build.reshape(places, line) : withLineLast(build, places, dim);
  Built isHere = build.generated(
      DType::I64, tensor.sizes,
      [dim](OpBuilder &b, Location loc, ValueRange own) {
        return arith::IndexCastOp::create(b, loc, b.getI64Type(), own[dim])
            .getResult();
      });
  isHere = build.pointwise(
      DType::I1, all, {places, build.withOnes(isHere, tensor.rank())},
      bodyOf([](ArrayRef<Number> n) { return isEqual(n[0], n[1]); }));
  spread = withLineLast(build, spread, dim);
  TypedAttr zero = build.builder().getZeroAttr(build.typeOf(wide));
  Built found = build.reduce(wide, all, tensor.rank(), {spread, isHere}, zero,
                             bodyOf([=](ArrayRef<Number> n) {
                               Number now = isSum ? n[2] + n[0] : n[0];
                               return choose(n[1], now, n[2]);
                             }));
  if (isSum)
    return combine(build, {tensor, found}, wide, dtype,
                   bodyOf([](ArrayRef<Number> n) { return n[0] + n[1]; }));
  Built isWritten = build.extreme(isHere, tensor.rank(), true);
  return build.pointwise(
      dtype, tensor.sizes, {isWritten, found, tensor},
      bodyOf([](ArrayRef<Number> n) { return choose(n[0], n[1], n[2]); }));
}

/// Single elements that are replaced, or added.
static void scatterElements(OpCall &op, bool isSum) {
  Built tensor = op.tensor("self"), index = op.tensor("index"),
        rows = op.tensor("src");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  if (tensor.rank())
    op.give(scattered(op, tensor, dim, index, rows, isSum));
}

/// index_add: alpha times rows are added.
static void indexAdd(OpCall &op) {
  Built tensor = op.tensor("self"), index = op.tensor("index"),
        rows = op.tensor("source");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  double alpha = op.number("alpha", 1);
  if (alpha != 1)
    rows = combine(op.build, rows, rows.dtype, rows.dtype,
                   bodyOf([=](ArrayRef<Number> n) { return n[0] * alpha; }));
  if (tensor.rank())
    op.give(scattered(op, tensor, dim, index, rows, true));
}

/// index_fill: rows are a number.
static void indexFill(OpCall &op) {
  Built tensor = op.tensor("self"), index = op.tensor("index");
  Built number = op.operand("value");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  if (tensor.rank())
    op.give(scattered(op, tensor, dim, index, number, false));
}

/// ONNX's ScatterElements, whose attribute says which.
static void scatterOnnx(OpCall &op) {
  std::string how = op.text("reduction", "none");
  if (how != "none" && how != "add")
    op.build.fail(makeError("expected elements that are replaced or added, but "
                            "got the reduction '{}'",
                            how));
  scatterElements(op, how == "add");
}

void mixattn::addScattered(OpTable &table) {
  table["aten.scatter_add"] = [](OpCall &op) { scatterElements(op, true); };
  table["aten.index_add"] = indexAdd;
  table["aten.index_fill"] = indexFill;
  table["onnx.ScatterElements"] =
      fromOnnx({"self", "index", "src"}, {{"dim", "axis", 0}}, scatterOnnx);
}
