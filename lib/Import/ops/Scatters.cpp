// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows written at positions that a tensor holds. Those that are proven to be
// one after the other are attn.append; others are looked for, but not in what
// the model writes to.
#include "lib/Import/ops/Caches.h"
#include "lib/Import/ops/Elementwise.h"
#include "lib/Import/ops/Indices.h"
#include "lib/Import/ops/Scattered.h"
#include "passes/raise/PlacedReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

/// Whether positions are one after the other along a dim, and along others but
/// `batch` the same.
static bool areInOrder(const PlacedInteger &placed, const Built &positions,
                       int64_t along, std::optional<int64_t> batch) {
  bool result =
      placed.countsAlong(along) || positions.sizes[along] == SizePolynomial(1);
  for (int64_t dim = 0; dim < positions.rank(); ++dim)
    if (dim != along && dim != batch)
      result &= placed.factors[dim] == 0 && !placed.others.test(dim);
  return result;
}

/// Whether no position is known to follow another, of a tensor that the model
/// does not write to: then any places are looked for.
static bool areAnywhere(OpCall &op, const Built &tensor, const Built &positions,
                        int64_t along, std::optional<int64_t> batch) {
  if (tensor.isUpdated || isFloat(positions.dtype) ||
      positions.dtype == DType::I1)
    return false;
  Value value = op.build.valueOf(op.build.convert(positions, DType::I64));
  return value && !areInOrder(readPlaced(value), positions, along, batch);
}

/// Where the first of positions that follow each other goes, one integer or one
/// for each item of the batch, which dim `batch` of the positions counts.
static Built firstOf(OpCall &op, const Built &positions, int64_t along,
                     std::optional<int64_t> batch, const SizePolynomial &room) {
  GraphBuilder &build = op.build;
  if (isFloat(positions.dtype) || positions.dtype == DType::I1)
    return build.fail(makeError("expected positions of an integer type, but "
                                "got {}",
                                nameOf(positions.dtype)));
  Built whole = build.convert(positions, DType::I64);
  Value value = build.valueOf(whole);
  if (!value)
    return {};
  PlacedInteger placed = readPlaced(value);
  if (!areInOrder(placed, positions, along, batch))
    return build.fail(makeError(
        "expected positions that are one after the other whatever the inputs "
        "hold, such as start + torch.arange(n) of an integer start, but got a "
        "tensor of shape {}",
        toText(positions.sizes)));
  // The first position of all is the argument's number.
  if (placed.argument && placed.constant == 0)
    limitArgument(op, placed.argument, 0, room.asNumber().value_or(INT64_MAX));
  for (int64_t dim = 0; dim < positions.rank(); ++dim)
    if (dim != batch)
      whole = build.slice(whole, dim, 0, 1);
  SizeList sizes;
  if (batch)
    sizes.push_back(positions.sizes[*batch]);
  return build.reshape(whole, sizes);
}

/// index_copy: along one dim.
static void indexCopy(OpCall &op) {
  Built cache = op.tensor("self"), rows = op.tensor("source"),
        positions = op.tensor("index");
  int64_t dim = op.dim("dim", cache.rank(), 0);
  if (!cache || !rows || !positions || !cache.rank())
    return;
  if (positions.rank() == 0)
    positions = op.build.reshape(positions, {1});
  if (positions.rank() != 1 || rows.rank() != cache.rank() ||
      !(rows.sizes[dim] == positions.sizes[0]))
    return void(op.build.fail(makeError(
        "expected a position for each row along dim {}, but got shapes {} and "
        "{}",
        dim, toText(positions.sizes), toText(rows.sizes))));
  if (areAnywhere(op, cache, positions, 0, std::nullopt))
    return op.give(scattered(op, cache, dim, positions, rows, false));
  Built start = firstOf(op, positions, 0, std::nullopt, cache.sizes[dim]);
  op.give(appendRows(op, cache, rows, dim, start));
}

/// scatter: each element has a position of its own along one dim.
static void scatterElements(OpCall &op) {
  Built cache = op.tensor("self"), positions = op.tensor("index");
  Built rows = op.operand(op.has("value") ? "value" : "src");
  int64_t dim = op.dim("dim", cache.rank(), 0);
  if (!cache || !rows || !positions || !cache.rank())
    return;
  std::string how = op.text("reduce", "");
  if (!how.empty() && how != "add" && how != "sum")
    return void(op.build.fail(makeError("expected elements that are replaced "
                                        "or added, but got reduce '{}'",
                                        how)));
  if (!how.empty() || op.has("value") || dim == 0 ||
      (positions.rank() == cache.rank() &&
       areAnywhere(op, cache, positions, dim, 0)))
    return op.give(scattered(op, cache, dim, positions, rows, !how.empty()));
  if (positions.sizes != rows.sizes || positions.rank() != cache.rank())
    return void(op.build.fail(makeError(
        "expected a position for each element, but got shapes {} and {} along "
        "dim {}",
        toText(positions.sizes), toText(rows.sizes), dim)));
  Built start = firstOf(op, positions, dim, 0, cache.sizes[dim]);
  op.give(appendRows(op, cache, rows, dim, start));
}

namespace {

/// Where the dims of rows stand that are written by index: `spread` are those
/// of all indices together, the first of which is dim `front` of the rows.
struct IndexedRows {
  SizeList spread;
  int64_t front = 0;
  /// The dim of the cache that positions count, and which of `spread` that is.
  int64_t along = -1, position = -1;
  /// The dim of `spread` that counts the dim of the cache, or -1.
  SmallVector<int64_t> counted;
};

} // namespace

/// An index as a tensor of `sizes`, to which it spreads.
static Built spreadIndex(OpCall &op, const Built &index,
                         const SizeList &sizes) {
  Built whole = op.build.convert(index, DType::I64);
  if (whole && whole.sizes != sizes)
    whole = op.build.pointwise(
        DType::I64, sizes, whole,
        [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; });
  return {DType::I64, sizes, op.build.valueOf(whole)};
}

/// Every index but one is that of its own dim; none where that is not so.
static std::optional<IndexedRows> readIndices(OpCall &op, const Built &cache,
                                              ArrayRef<Built> given) {
  IndexedRows rows;
  SmallVector<int64_t> dims;
  std::vector<Built> all;
  for (auto [dim, each] : llvm::enumerate(given))
    if (each) {
      dims.push_back(dim);
      all.push_back(each);
    }
  rows.spread = op.build.broadcast(all);
  rows.counted.assign(cache.rank(), -1);
  if (op.build.failure() || dims.empty() || dims.back() >= cache.rank() ||
      rows.spread.size() > dims.size())
    return std::nullopt;
  bool areTogether = dims.back() - dims.front() + 1 == int64_t(dims.size());
  rows.front = areTogether ? dims.front() : 0;
  for (auto [dim, index] : llvm::zip_equal(dims, all)) {
    Built whole = spreadIndex(op, index, rows.spread);
    if (!whole)
      return std::nullopt;
    PlacedInteger placed = readPlaced(whole.value);
    for (size_t own = 0; own < rows.spread.size(); ++own)
      if (placed.isIndex(own) && rows.spread[own] == cache.sizes[dim])
        rows.counted[dim] = own;
    if (rows.counted[dim] >= 0)
      continue;
    if (rows.along >= 0)
      return std::nullopt;
    rows.along = dim;
  }
  // A single index that is that of its dim is a position as well.
  if (rows.along < 0 && dims.size() == 1) {
    rows.along = dims[0];
    rows.counted[dims[0]] = -1;
  }
  SmallVector<bool> taken(rows.spread.size(), false);
  for (int64_t own : rows.counted) {
    if (own >= 0 && taken[own])
      return std::nullopt;
    if (own >= 0)
      taken[own] = true;
  }
  for (auto [own, isTaken] : llvm::enumerate(taken)) {
    if (isTaken)
      continue;
    if (rows.position >= 0)
      return std::nullopt;
    rows.position = own;
  }
  if (rows.along < 0 || (rows.position < 0) != rows.spread.empty())
    return std::nullopt;
  return rows;
}

/// The rows, which spread to what the indices pick, in the order of the cache's
/// dims.
static Built alignRows(OpCall &op, const Built &cache, const IndexedRows &rows,
                       const Built &values) {
  GraphBuilder &build = op.build;
  // The dim of the cache that each dim of the values is.
  SmallVector<int64_t> dims;
  SizeList sizes;
  auto isIndexed = [&](int64_t dim) {
    return dim == rows.along || rows.counted[dim] >= 0;
  };
  auto addSpread = [&] {
    for (auto [own, size] : llvm::enumerate(rows.spread)) {
      int64_t of = rows.along;
      for (int64_t dim = 0; dim < cache.rank(); ++dim)
        if (rows.counted[dim] == int64_t(own))
          of = dim;
      dims.push_back(of);
      sizes.push_back(size);
    }
  };
  for (int64_t dim = 0; dim < cache.rank(); ++dim) {
    if (dim == rows.front)
      addSpread();
    if (isIndexed(dim))
      continue;
    dims.push_back(dim);
    sizes.push_back(cache.sizes[dim]);
  }
  Built whole = build.convert(values, cache.dtype);
  if (whole && whole.sizes != sizes)
    whole = build.pointwise(
        cache.dtype, sizes, whole,
        [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; });
  // A single position without a dim has none in the rows either.
  if (rows.spread.empty()) {
    dims.insert(dims.begin(), rows.along);
    whole = build.withOnes(whole, 0);
  }
  SmallVector<int64_t> order(cache.rank());
  for (auto [place, dim] : llvm::enumerate(dims))
    order[dim] = place;
  if (llvm::is_sorted(order))
    return whole;
  return build.transpose(whole, order);
}

/// The only dim that has an index, if that is a vector.
static std::optional<int64_t> onlyVector(ArrayRef<Built> indices) {
  std::optional<int64_t> only;
  for (auto [dim, each] : llvm::enumerate(indices)) {
    if (!each)
      continue;
    if (only || each.rank() != 1)
      return std::nullopt;
    only = dim;
  }
  return only;
}

/// cache[..., positions, ...] = values: every other index is that of its dim.
static void indexPut(OpCall &op) {
  Built cache = op.tensor("self"), values = op.tensor("values");
  std::vector<Built> given = op.tensors("indices");
  bool isSum = op.flag("accumulate", false);
  if (std::optional<int64_t> dim = onlyVector(given);
      cache && dim && *dim < cache.rank() &&
      (isSum || areAnywhere(op, cache, given[*dim], 0, std::nullopt)))
    return op.give(scattered(op, cache, *dim, given[*dim], values, isSum));
  if (isSum)
    op.build.fail(makeError("expected rows that are written, but got some that "
                            "are added"));
  if (!cache || !values || op.build.failure())
    return;
  std::optional<IndexedRows> rows = readIndices(op, cache, given);
  if (!rows)
    return void(op.build.fail(makeError(
        "expected positions along one dim of a tensor of shape {}, and along "
        "others torch.arange of their sizes or none, but got something else",
        toText(cache.sizes))));
  Built positions = given[rows->along];
  int64_t position = std::max<int64_t>(rows->position, 0);
  std::optional<int64_t> batch;
  if (rows->counted[0] >= 0)
    batch = rows->counted[0];
  positions = rows->spread.empty() ? op.build.reshape(positions, {1})
                                   : spreadIndex(op, positions, rows->spread);
  if (!positions)
    return;
  Built start =
      firstOf(op, positions, position, batch, cache.sizes[rows->along]);
  op.give(appendRows(op, cache, alignRows(op, cache, *rows, values),
                     rows->along, start));
}

/// The only element of a tensor of integers, by which later ops may count.
static void takeInteger(OpCall &op) {
  GraphBuilder &build = op.build;
  const GraphNode &node = op.source();
  Built one = build.reshape(op.tensor("self"), {});
  if (!one)
    return;
  if (isFloat(one.dtype) || one.dtype == DType::I1)
    return void(build.fail(makeError(
        "expected an integer that is taken out of a tensor, but got {}",
        nameOf(one.dtype))));
  Value tensor = build.valueOf(one);
  if (BlockArgument argument = readPlaced(tensor).argument)
    limitArgument(op, argument, node.least.value_or(INT64_MIN),
                  node.most.value_or(INT64_MAX));
  OpBuilder &b = build.builder();
  Value element = tensor::ExtractOp::create(b, build.location(), tensor);
  Value index = arith::IndexCastOp::create(b, build.location(),
                                           b.getIndexType(), element);
  build.defineInteger(node.integer, index, node.least.value_or(-1) >= 0);
}

void mixattn::addScatters(OpTable &table) {
  table["aten.item"] = table["aten._local_scalar_dense"] = takeInteger;
  table["aten.index_copy"] = indexCopy;
  table["aten.index_put"] = table["aten._unsafe_index_put"] = indexPut;
  table["aten.scatter"] = scatterElements;
}
