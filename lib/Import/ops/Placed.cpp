// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors turned round, their diagonals and their parts.
#include "lib/Import/ops/Placed.h"
#include "lib/Import/SizeText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

Built mixattn::readAt(GraphBuilder &build, const Built &tensor,
                      const SizeList &sizes, PlaceMap placeOf) {
  if (!tensor)
    return {};
  return build.generated(
      tensor.dtype, sizes,
      [tensor, placeOf](OpBuilder &b, Location loc, ValueRange own) -> Value {
        SmallVector<Value> places = placeOf(b, loc, own);
        if (tensor.element)
          return tensor.element(b, loc, places);
        return tensor::ExtractOp::create(b, loc, tensor.value, places);
      });
}

Built mixattn::withLineLast(GraphBuilder &build, const Built &tensor,
                            int64_t dim) {
  if (!tensor)
    return {};
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < tensor.rank(); ++i)
    if (i != dim)
      order.push_back(i);
  order.push_back(dim);
  SizeList single = tensor.sizes;
  single[dim] = 1;
  single.push_back(tensor.sizes[dim]);
  return build.reshape(build.transpose(tensor, order), single);
}

/// The last element first, along some dims.
static void flip(OpCall &op) {
  Built tensor = op.tensor("self");
  SmallVector<int64_t> dims = op.orderedDims("dims", tensor.rank());
  if (!tensor || !tensor.rank())
    return op.give(tensor);
  SmallVector<std::pair<int64_t, Value>> last;
  for (int64_t dim : dims)
    last.emplace_back(dim, op.build.indexOf(tensor.sizes[dim] - 1));
  op.give(readAt(op.build, tensor, tensor.sizes,
                 [last](OpBuilder &b, Location loc, ValueRange own) {
                   SmallVector<Value> places(own);
                   for (auto [dim, end] : last)
                     places[dim] =
                         arith::SubIOp::create(b, loc, end, places[dim]);
                   return places;
                 }));
}

/// The elements [i, i + offset] of two dims, as the last dim.
static void diagonal(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t offset = op.integer("offset", 0), rank = tensor.rank(),
          first = op.dim("dim1", rank, 0), second = op.dim("dim2", rank, 1);
  if (!tensor || rank < 2 || first == second || op.build.failure())
    return void(op.build.fail(makeError(
        "expected two dims of a tensor, but got {} and {} of shape {}", first,
        second, toText(tensor.sizes))));
  if (offset < -mostCounted || offset > mostCounted)
    return void(
        op.build.fail(makeError("expected a diagonal from {} to {}, but "
                                "got {}",
                                -mostCounted, mostCounted, offset)));
  int64_t down = std::max<int64_t>(-offset, 0),
          right = std::max<int64_t>(offset, 0);
  SizeList sizes;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != first && dim != second)
      sizes.push_back(tensor.sizes[dim]);
  // The shorter side ends it.
  SizePolynomial rows = tensor.sizes[first] - down,
                 columns = tensor.sizes[second] - right;
  std::optional<int64_t> more = (rows - columns).asNumber();
  SizePolynomial length = !more       ? SizePolynomial::unknown()
                          : *more > 0 ? columns
                                      : rows;
  if (!length.isKnown() || length.asNumber().value_or(0) < 0)
    return void(op.build.fail(makeError(
        "expected a diagonal whose length is a polynomial of dims, but got "
        "shape {}",
        toText(tensor.sizes))));
  op.build.requireSize(length);
  sizes.push_back(length);
  op.give(readAt(op.build, tensor, sizes,
                 [=](OpBuilder &b, Location loc, ValueRange own) {
                   SmallVector<Value> places;
                   auto shifted = [&](int64_t by) -> Value {
                     Value step = arith::ConstantIndexOp::create(b, loc, by);
                     return arith::AddIOp::create(b, loc, own.back(), step);
                   };
                   ValueRange others = own.drop_back();
                   for (int64_t dim = 0; dim < rank; ++dim) {
                     if (dim == first || dim == second) {
                       places.push_back(shifted(dim == first ? down : right));
                       continue;
                     }
                     places.push_back(others.front());
                     others = others.drop_front();
                   }
                   return places;
                 }));
}

/// A vector as the diagonal of a matrix of zeros.
static void matrixOf(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t rank = tensor.rank();
  if (op.integer("offset", 0) != 0 || op.integer("diagonal", 0) != 0 ||
      op.dim("dim1", rank + 1, -2) != rank - 1 ||
      op.dim("dim2", rank + 1, -1) != rank || rank < 1)
    op.build.fail(makeError("expected the main diagonal of matrices, which the "
                            "last two dims are"));
  if (op.build.failure())
    return;
  SizeList sizes = tensor.sizes;
  sizes.push_back(tensor.sizes.back());
  Built isOn = op.build.generated(
      DType::I1, sizes, [rank](OpBuilder &b, Location loc, ValueRange own) {
        return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     own[rank - 1], own[rank])
            .getResult();
      });
  op.give(op.build.pointwise(
      tensor.dtype, sizes,
      {isOn, op.build.withOnes(tensor, rank),
       op.build.filled(tensor.dtype, {}, 0)},
      [](OpBuilder &b, Location loc, ValueRange numbers) {
        return arith::SelectOp::create(b, loc, numbers[0], numbers[1],
                                       numbers[2])
            .getResult();
      }));
}

/// diag: a matrix from a vector, or its diagonal from a matrix.
static void diagonalOrMatrix(OpCall &op) {
  if (op.tensor("self").rank() == 1)
    return matrixOf(op);
  op.rename("diagonal", "offset", std::nullopt);
  diagonal(op);
}

/// Parts of `size` along a dim, `step` from each to the next: a dim that counts
/// them takes its place, and their elements are the last dim.
static void unfold(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dimension", tensor.rank(), 0);
  int64_t size = op.integer("size", 1), step = op.integer("step", 1);
  if (!tensor || !tensor.rank() || size < 1 || step < 1)
    return;
  SizePolynomial span = tensor.sizes[dim] - size;
  std::optional<int64_t> whole = span.asNumber();
  SizePolynomial steps = whole && *whole >= 0 ? SizePolynomial(*whole / step)
                                              : floorQuotient(span, step);
  SizeList sizes = tensor.sizes;
  sizes[dim] = steps + 1;
  sizes.push_back(size);
  if (!steps.isKnown() || steps.asNumber().value_or(0) < 0)
    return void(op.build.failQuotient(
        makeError("expected parts of size {} whose number is a polynomial of "
                  "dims, but got shape {}",
                  size, toText(tensor.sizes)),
        span, step));
  op.build.requireSize(steps);
  op.give(readAt(
      op.build, tensor, sizes, [=](OpBuilder &b, Location loc, ValueRange own) {
        SmallVector<Value> places(own.drop_back());
        Value each = arith::ConstantIndexOp::create(b, loc, step);
        Value begin = arith::MulIOp::create(b, loc, places[dim], each);
        places[dim] = arith::AddIOp::create(b, loc, begin, own.back());
        return places;
      }));
}

void mixattn::addPlaced(OpTable &table) {
  table["aten.flip"] = flip;
  table["aten.diagonal"] = diagonal;
  table["aten.diag"] = diagonalOrMatrix;
  table["aten.diag_embed"] = matrixOf;
  table["aten.unfold"] = unfold;
}
