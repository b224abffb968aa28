// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements picked by indices that are values.
#include "lib/Import/ops/Elementwise.h"
#include "lib/Import/ops/Indices.h"
#include "lib/Import/ops/Parts.h"
#include "lib/Import/ops/Repeats.h"
#include "lib/Import/ops/Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

/// An element's place along a dim of `size`: indices below 0 count from the
/// end, and what no call checks is held within the dim, at 0 where it is empty.
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
  place = arith::MinSIOp::create(b, loc, place, last);
  return arith::MaxSIOp::create(b, loc, place, zero);
}

namespace {

/// Indices along a dim of a table, with the sizes by which they spread to the
/// result.
struct Picked {
  int64_t dim;
  Built indices;
  SizeList aligned;
};

} // namespace

/// Where an element of a result is in the table: from its place in the result
/// and, for each dim that is picked, the place that its index names.
using PlacesOf =
    std::function<SmallVector<Value>(ValueRange own, ValueRange places)>;

/// A number of indices that follow from places alone, at `own` in the result.
static Value elementAt(OpBuilder &b, Location loc, const Built &spread,
                       ValueRange own) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<Value> place;
  size_t first = own.size() - spread.sizes.size();
  for (auto [i, size] : llvm::enumerate(spread.sizes))
    place.push_back(size == SizePolynomial(1) ? zero : own[first + i]);
  return spread.element(b, loc, place);
}

/// Elements of `given`, one for each of `sizes`.
static Built pick(OpCall &op, const Built &given, ArrayRef<Picked> picked,
                  const SizeList &sizes, const PlacesOf &placesOf) {
  Built table = given;
  std::vector<Built> all, stored;
  std::vector<Value> extents;
  std::vector<bool> areHeld;
  for (const auto &[dim, indices, aligned] : picked) {
    if (isFloat(indices.dtype) || indices.dtype == DType::I1)
      return op.build.fail(makeError("expected indices of an integer type, but "
                                     "got {}",
                                     nameOf(indices.dtype)));
    areHeld.push_back(!areWithin(op, indices, given.sizes[dim]));
    extents.push_back(op.build.indexOf(given.sizes[dim]));
    table = withElements(op, table, dim, sizes);
    if (op.build.failure())
      return {};
    all.push_back(op.build.reshape(indices, aligned));
    if (all.back().value)
      stored.push_back(all.back());
  }
  Value from = op.build.valueOf(table);
  if (op.build.failure())
    return {};
  auto read = [=](OpBuilder &b, Location loc, ValueRange own,
                  ValueRange numbers) -> Value {
    SmallVector<Value> places;
    for (auto [i, spread] : llvm::enumerate(all)) {
      Value index =
          spread.value ? numbers.front() : elementAt(b, loc, spread, own);
      if (spread.value)
        numbers = numbers.drop_front();
      places.push_back(placeOf(b, loc, index, extents[i], areHeld[i]));
    }
    return tensor::ExtractOp::create(b, loc, from, placesOf(own, places));
  };
  if (stored.empty()) {
    Built made = op.build.generated(
        table.dtype, sizes,
        [=](OpBuilder &b, Location loc, ValueRange own) -> Value {
          return read(b, loc, own, {});
        });
    // A mask of them is read for each pair of places: once is enough, and what
    // comes after sees a tensor of queries or of keys alone.
    if (table.value && int64_t(picked.size()) == table.rank())
      return {table.dtype, sizes, op.build.valueOf(made)};
    return made;
  }
  return op.build.pointwise(
      table.dtype, sizes, stored,
      [=, rank = sizes.size()](OpBuilder &b, Location loc,
                               ValueRange numbers) -> Value {
        SmallVector<Value> own;
        for (size_t i = 0; i < rank; ++i)
          own.push_back(linalg::IndexOp::create(b, loc, i));
        return read(b, loc, own, numbers);
      });
}

/// Rows by indices along several dims, which spread to each other; those of a
/// result that is not picked stand where the first dim stood, or after all
/// others where dims between are not picked.
static Built pickAlong(OpCall &op, const Built &table,
                       ArrayRef<std::pair<int64_t, Built>> indices) {
  std::vector<Built> operands;
  for (const auto &[dim, each] : indices)
    operands.push_back(each);
  SizeList spread = op.build.broadcast(operands);
  int64_t first = indices.front().first, count = indices.size();
  bool areTogether = indices.back().first - first + 1 == count;
  int64_t front = areTogether ? first : 0;
  SizeList sizes(table.sizes.begin(), table.sizes.begin() + front);
  sizes.insert(sizes.end(), spread.begin(), spread.end());
  auto isPicked = [=, all = indices.vec()](int64_t dim) {
    return llvm::any_of(all,
                        [&](const auto &each) { return each.first == dim; });
  };
  for (int64_t dim = front; dim < table.rank(); ++dim)
    if (!isPicked(dim))
      sizes.push_back(table.sizes[dim]);
  int64_t rank = spread.size(), after = int64_t(sizes.size()) - front - rank;
  std::vector<Picked> picked;
  for (const auto &[dim, each] : indices) {
    SizeList aligned = each.sizes;
    aligned.insert(aligned.end(), after, SizePolynomial(1));
    picked.push_back({dim, each, aligned});
  }
  return pick(op, table, picked, sizes,
              [=, dims = table.rank()](ValueRange own, ValueRange places) {
                SmallVector<Value> result(own.take_front(front));
                ValueRange others = own.drop_front(front + rank);
                for (int64_t dim = front; dim < dims; ++dim) {
                  ValueRange &next = isPicked(dim) ? places : others;
                  result.push_back(next.front());
                  next = next.drop_front();
                }
                return result;
              });
}

/// The only row that `indices` name, where that is known; or nothing. Of an
/// open dim calls check that it has so many.
static std::optional<Built> onlyRow(OpCall &op, const Built &table, int64_t dim,
                                    const Built &indices) {
  if (!indices.integers || indices.integers->size() != 1 ||
      isFloat(indices.dtype) || indices.dtype == DType::I1)
    return std::nullopt;
  const SizePolynomial size = table.sizes[dim];
  std::optional<int64_t> place = indices.integers->front().asNumber(),
                         rows = size.asNumber();
  bool isDim =
      size.getTerms().size() == 1 && size.getTerms().begin()->first.size() == 1;
  if (!place || (rows ? *place < -*rows || *place >= *rows : !isDim))
    return std::nullopt;
  Built row = op.build.slice(table, dim, fromEnd(op.build, *place, size), 1);
  SizeList sizes = row.sizes;
  if (!row)
    return row;
  sizes.erase(sizes.begin() + dim);
  sizes.insert(sizes.begin() + dim, indices.sizes.begin(), indices.sizes.end());
  return op.build.reshape(row, sizes);
}

Built mixattn::pickRows(OpCall &op, const Built &table, int64_t dim,
                        const Built &indices) {
  if (!table || !indices || op.build.failure())
    return {};
  if (dim >= table.rank())
    return op.build.fail(
        makeError("expected rows along dim {}, but got shape {}", dim,
                  toText(table.sizes)));
  if (std::optional<Built> row = onlyRow(op, table, dim, indices))
    return *row;
  return pickAlong(op, table, std::pair(dim, indices));
}

/// The elements at their own places, but along one dim at those of the indices.
static void giveAlong(OpCall &op, const Built &table, int64_t dim,
                      const Built &indices) {
  if (!indices)
    return;
  Built picked = pick(op, table, Picked{dim, indices, indices.sizes},
                      indices.sizes, [=](ValueRange own, ValueRange places) {
                        SmallVector<Value> result(own);
                        result[dim] = places.front();
                        return result;
                      });
  // Of several dims it is a tensor of its own: the sum of products that it is
  // added to is then one.
  if (picked && table.value && indices.rank() > 1)
    picked = {picked.dtype, picked.sizes, op.build.valueOf(picked)};
  op.give(picked);
}

/// torch.gather: each element's own place, but along one dim that of its index.
static void gatherElements(OpCall &op) {
  Built table = op.tensor("self"), indices = op.tensor("index");
  int64_t dim = op.dim("dim", table.rank(), 0);
  // An option of training alone.
  op.flag("sparse_grad", false);
  if (!table || !indices)
    return;
  bool areWithin = indices.rank() == table.rank() && table.rank();
  for (int64_t other = 0; areWithin && other < table.rank(); ++other)
    areWithin &= other == dim ||
                 signOf(table.sizes[other] - indices.sizes[other] + 1) == 1;
  if (!areWithin)
    return void(op.build.fail(
        makeError("expected indices of at most the tensor's sizes along all "
                  "dims but dim {}, but got shapes {} and {}",
                  dim, toText(table.sizes), toText(indices.sizes))));
  giveAlong(op, table, dim, indices);
}

/// take_along_dim: the same along a dim, of indices that spread.
static void takeAlong(OpCall &op) {
  Built table = op.tensor("self"), indices = op.tensor("indices");
  if (!op.has("dim") || !table || !indices || table.rank() != indices.rank())
    return void(op.build.fail(makeError("expected a dim, and indices of as "
                                        "many dims as the tensor")));
  int64_t dim = op.dim("dim", table.rank(), 0);
  if (!table.rank() || op.build.failure())
    return;
  SizeList own = table.sizes, all = indices.sizes;
  for (int64_t other = 0; other < table.rank(); ++other)
    if (other != dim) {
      SizePolynomial &mine = own[other], &theirs = all[other];
      (mine == SizePolynomial(1) ? mine : theirs) =
          mine == SizePolynomial(1) ? theirs : mine;
    }
  if (own != table.sizes)
    table = spreadTo(op.build, table, own);
  if (all != indices.sizes)
    indices = spreadTo(op.build, indices, all);
  giveAlong(op, table, dim, indices);
}

/// take: elements of the tensor as a vector.
static void takeElements(OpCall &op) {
  Built table = op.tensor("self"), indices = op.tensor("index");
  op.give(pickRows(op, op.build.reshape(table, {productOf(table.sizes)}), 0,
                   indices));
}

/// table[..., indices, ...] with tensors of indices along some dims.
static void pickByIndex(OpCall &op) {
  Built table = op.tensor("self");
  std::vector<Built> given = op.tensors("indices");
  std::vector<std::pair<int64_t, Built>> indices;
  for (auto [dim, each] : llvm::enumerate(given))
    if (each)
      indices.emplace_back(dim, each);
  if (!table || op.build.failure())
    return;
  if (indices.empty() || indices.back().first >= table.rank())
    return void(op.build.fail(makeError(
        "expected indices along dims of a tensor of rank {}, but got {}",
        table.rank(), indices.size())));
  op.give(pickAlong(op, table, indices));
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

/// GatherND: the last dim of the indices has places along the first dims.
static void gatherAlong(OpCall &op) {
  Built table = op.tensor("self"), indices = op.tensor("index");
  if (!table || !indices)
    return;
  std::optional<int64_t> count =
      indices.rank() ? indices.sizes.back().asNumber() : std::nullopt;
  if (op.integer("batch_dims", 0) != 0 || !count || *count < 1 ||
      *count > table.rank())
    return void(op.build.fail(
        makeError("expected indices along the first dims of a tensor, but got "
                  "shapes {} and {}",
                  toText(table.sizes), toText(indices.sizes))));
  std::vector<std::pair<int64_t, Built>> along;
  for (int64_t dim = 0; dim < *count; ++dim) {
    Built each = op.build.select(indices, indices.rank() - 1, dim);
    if (!each)
      return;
    along.emplace_back(dim, each);
  }
  op.give(pickAlong(op, table, along));
}

void mixattn::addGathers(OpTable &table) {
  table["onnx.GatherND"] = fromOnnx({"self", "index"}, {}, gatherAlong);
  table["onnx.GatherElements"] =
      fromOnnx({"self", "index"}, {{"dim", "axis"}}, gatherElements);
  table["onnx.Gather"] = fromOnnx({"self", "index"}, {{"dim", "axis"}}, gather);
  table["aten.gather"] = gatherElements;
  table["aten.take_along_dim"] = takeAlong;
  table["aten.take"] = takeElements;
  table["aten.index"] = pickByIndex;
  table["aten.embedding"] = embedding;
  table["aten.index_select"] = indexSelect;
}
