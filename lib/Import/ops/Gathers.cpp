// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements picked by indices that are values.
#include "lib/Import/ops/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mixattn;

/// The argument of the entry whose elements `value` has, or null.
static BlockArgument argumentOf(Value value) {
  while (value) {
    if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
      value = expand.getSrc();
    else if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
      value = collapse.getSrc();
    else
      break;
  }
  return dyn_cast_if_present<BlockArgument>(value);
}

/// Lets each call check that an argument holds places from `low` to `high`, or
/// gives false where it does so already for less or the indices are no
/// argument.
static bool isChecked(OpCall &op, const Built &indices, int64_t low,
                      int64_t high) {
  BlockArgument argument = argumentOf(indices.value);
  if (!argument)
    return false;
  auto entry =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!entry)
    return false;
  unsigned number = argument.getArgNumber();
  if (auto known = entry.getArgAttrOfType<ArrayAttr>(number, "attn.range")) {
    low = std::max(low, cast<IntegerAttr>(known[0]).getInt());
    high = std::min(high, cast<IntegerAttr>(known[1]).getInt());
  }
  entry.setArgAttr(number, "attn.range",
                   op.build.builder().getI64ArrayAttr({low, high}));
  return true;
}

/// An element's place along a dim of `size`: indices below 0 count from the
/// end, and what no call checks is held within the dim.
static Value placeOf(OpBuilder &b, Location loc, Value index, Value size,
                     bool isHeld) {
  Value place = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isBelow =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place, zero);
  Value fromEnd = arith::AddIOp::create(b, loc, place, size);
  place = arith::SelectOp::create(b, loc, isBelow, fromEnd, place);
  if (!isHeld)
    return place;
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value last = arith::SubIOp::create(b, loc, size, one);
  place = arith::MaxSIOp::create(b, loc, place, zero);
  return arith::MinSIOp::create(b, loc, place, last);
}

Built mixattn::pickRows(OpCall &op, const Built &table, int64_t dim,
                        const Built &indices) {
  if (!table || !indices || op.build.failure())
    return {};
  if (isFloat(indices.dtype) || indices.dtype == DType::I1)
    return op.build.fail(makeError("expected indices of an integer type, but "
                                   "got {}",
                                   nameOf(indices.dtype)));
  SizeList sizes(table.sizes.begin(), table.sizes.begin() + dim);
  sizes.insert(sizes.end(), indices.sizes.begin(), indices.sizes.end());
  sizes.insert(sizes.end(), table.sizes.begin() + dim + 1, table.sizes.end());
  std::optional<int64_t> rows = table.sizes[dim].asNumber();
  bool isHeld = !(rows && isChecked(op, indices, -*rows, *rows - 1));
  Value from = op.build.valueOf(table);
  Value size = op.build.indexOf(table.sizes[dim]);
  // The indices spread to the result: dims of rows come after them.
  int64_t after = table.rank() - dim - 1;
  SizeList aligned = indices.sizes;
  aligned.insert(aligned.end(), after, SizePolynomial(1));
  Built spread = op.build.reshape(indices, aligned);
  int64_t rank = indices.rank();
  NumberBody element = spread.element;
  if (spread.value)
    return op.build.pointwise(
        table.dtype, sizes, spread,
        [=](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
          SmallVector<Value> places;
          for (int64_t i = 0; i < dim; ++i)
            places.push_back(linalg::IndexOp::create(b, loc, i));
          places.push_back(placeOf(b, loc, numbers[0], size, isHeld));
          for (int64_t i = 0; i < after; ++i)
            places.push_back(linalg::IndexOp::create(b, loc, dim + rank + i));
          return tensor::ExtractOp::create(b, loc, from, places);
        });
  return op.build.generated(
      table.dtype, sizes,
      [=](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        SmallVector<Value> places(indices.take_front(dim));
        SmallVector<Value> inner(indices.drop_front(dim));
        Value index = element(b, loc, inner);
        places.push_back(placeOf(b, loc, index, size, isHeld));
        for (int64_t i = 0; i < after; ++i)
          places.push_back(indices[dim + rank + i]);
        return tensor::ExtractOp::create(b, loc, from, places);
      });
}

/// table[..., indices, ...] with one tensor of indices.
static void pickByIndex(OpCall &op) {
  Built table = op.tensor("self");
  std::vector<Built> indices = op.tensors("indices");
  int64_t dim = -1, count = 0;
  for (auto [place, each] : llvm::enumerate(indices))
    if (each) {
      dim = place;
      ++count;
    }
  if (count != 1 || dim >= table.rank()) {
    op.build.fail(
        makeError("expected one tensor of indices, but got {}", count));
    return;
  }
  op.give(pickRows(op, table, dim, indices[dim]));
}

static void embedding(OpCall &op) {
  Built table = op.tensor("weight"), indices = op.tensor("indices");
  // Options of training alone: the forward pass is the same.
  op.integer("padding_idx", -1);
  op.flag("scale_grad_by_freq", false);
  op.flag("sparse", false);
  if (table.rank())
    op.give(pickRows(op, table, 0, indices));
}

static void indexSelect(OpCall &op) {
  Built table = op.tensor("self"), indices = op.tensor("index");
  int64_t dim = op.dim("dim", table.rank(), 0);
  if (table.rank())
    op.give(pickRows(op, table, dim, indices));
}

/// Rows of a list of integers that follow from sizes, or of any tensor.
static void gather(OpCall &op) {
  Built table = op.tensor("self"), indices = op.tensor("index");
  if (!table || !indices || !table.integers || table.rank() != 1 ||
      !indices.integers)
    return indexSelect(op);
  SizeList picked;
  int64_t size = int64_t(table.integers->size());
  for (const SizePolynomial &index : *indices.integers) {
    std::optional<int64_t> place = index.asNumber();
    if (!place || *place < -size || *place >= size)
      return indexSelect(op);
    picked.push_back((*table.integers)[*place < 0 ? *place + size : *place]);
  }
  op.integer("dim", 0);
  op.give(op.build.listed(table.dtype, indices.sizes, picked));
}

/// GatherND by indices of one dim: rows along the first.
static void gatherRows(OpCall &op) {
  Built table = op.tensor("self"), indices = op.tensor("index");
  if (!table || !indices)
    return;
  if (op.integer("batch_dims", 0) != 0 || !table.rank() || !indices.rank() ||
      !(indices.sizes.back() == SizePolynomial(1)))
    return void(op.build.fail(makeError(
        "expected indices of one dim of a tensor, but got shapes {} and {}",
        toText(table.sizes), toText(indices.sizes))));
  SizeList sizes(indices.sizes.begin(), indices.sizes.end() - 1);
  op.give(pickRows(op, table, 0, op.build.reshape(indices, sizes)));
}

void mixattn::addGathers(OpTable &table) {
  table["onnx.GatherND"] = fromOnnx({"self", "index"}, {}, gatherRows);
  table["onnx.Gather"] = fromOnnx({"self", "index"}, {{"dim", "axis"}}, gather);
  table["aten.index"] = pickByIndex;
  table["aten.embedding"] = embedding;
  table["aten.index_select"] = indexSelect;
}
