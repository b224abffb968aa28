// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of which a part is replaced: where the model writes to them they are
// caches, else the result is pieces side by side.
#include "lib/Import/ops/Caches.h"
#include "lib/Import/ops/Parts.h"
#include "lib/Import/ops/Scattered.h"
#include "passes/raise/PlacedReader.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mixattn;

/// A tensor with other elements from start on, which `old` has now.
static Built replaced(OpCall &op, const Built &tensor, int64_t dim,
                      const SizePolynomial &start, const Built &old,
                      const Built &source) {
  if (!old || !source)
    return {};
  if (old.sizes == source.sizes && old.sizes == tensor.sizes)
    return source;
  if (op.build.dependsOnIntegers(start, /*below=*/true))
    return op.build.fail(makeError("expected a part that starts at 0 or later, "
                                   "as torch._check(start >= 0) says, but {} "
                                   "may be below",
                                   start.toText()));
  if (tensor.isUpdated && start.isKnown() && old.sizes == source.sizes)
    return appendRows(op, tensor, source, dim, op.build.number(start));
  if (!start.isKnown() || start.asNumber().value_or(0) < 0 ||
      op.build.dependsOnIntegers(start) || old.sizes != source.sizes)
    return op.build.fail(
        makeError("expected a part of shape {} without steps, from a known "
                  "place on, but got one of shape {} from {}",
                  toText(old.sizes), toText(source.sizes), start.toText()));
  op.build.requireSize(start);
  SizePolynomial end = start + source.sizes[dim],
                 after = tensor.sizes[dim] - end;
  SmallVector<Built> parts;
  if (!start.isZero())
    parts.push_back(op.build.slice(tensor, dim, 0, start));
  parts.push_back(source);
  if (!after.isZero())
    parts.push_back(op.build.slice(tensor, dim, end, after));
  return op.build.concatenate(parts, dim);
}

/// A tensor with other elements from start to end.
static void replacePart(OpCall &op) {
  Built tensor = op.tensor("self"), source = op.tensor("src");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  int64_t step = op.integer("step", 1);
  Built old = part(op, tensor, dim, op.size("start", 0),
                   op.size("end", INT64_MAX), step);
  if (!old || !source)
    return;
  SizePolynomial start =
      fromEnd(op.build, op.size("start", 0), tensor.sizes[dim]);
  // Every second one is at no place that is known.
  if (step != 1)
    start = SizePolynomial::unknown();
  op.give(replaced(op, tensor, dim, start, old, source));
}

/// A tensor with other elements at one index of a dim.
static void replaceOne(OpCall &op) {
  Built tensor = op.tensor("self"), source = op.tensor("src");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  SizePolynomial index = op.size("index", 0);
  if (!tensor || !tensor.rank() || !source)
    return;
  index = fromEnd(op.build, index, tensor.sizes[dim]);
  if (std::optional<int64_t> place = index.asNumber(),
      most = tensor.sizes[dim].asNumber();
      place && most && (*place < 0 || *place >= *most))
    return void(op.build.fail(makeError("expected an index from 0 to {}, but "
                                        "got {}",
                                        *most - 1, *place)));
  SizeList sizes = tensor.sizes;
  sizes[dim] = 1;
  op.give(replaced(op, tensor, dim, index,
                   op.build.slice(tensor, dim, index, 1),
                   op.build.reshape(source, sizes)));
}

/// The first of integers along `dim` that each are the one before and 1, where
/// it follows from sizes and constants; else none.
static std::optional<SizePolynomial> firstOfRow(GraphBuilder &build,
                                                const Built &row) {
  if (row.integers) {
    for (auto [i, each] : llvm::enumerate(*row.integers))
      if (!(each == row.integers->front() + int64_t(i)))
        return std::nullopt;
    return row.integers->empty() ? std::nullopt
                                 : std::optional(row.integers->front());
  }
  Value value = build.valueOf(row);
  DenseIntElementsAttr elements;
  if (!value)
    return std::nullopt;
  if (matchPattern(value, m_Constant(&elements))) {
    int64_t first = (*elements.value_begin<APInt>()).getSExtValue(), i = 0;
    for (const APInt &each : elements.getValues<APInt>())
      if (each.getSExtValue() != first + i++)
        return std::nullopt;
    return first;
  }
  PlacedInteger placed = readPlaced(value);
  if (!placed.countsAlong(0) || placed.hasOthers)
    return std::nullopt;
  return placed.constant;
}

/// ScatterND: rows along the first dim; parts where it is known that their
/// places follow each other.
static void replaceRows(OpCall &op) {
  Built tensor = op.tensor("self"), source = op.tensor("src"),
        places = op.tensor("index");
  if (!tensor || !source || !places || !tensor.rank())
    return;
  std::string how = op.text("reduction", "none");
  if (how != "none" && how != "add")
    return void(op.build.fail(makeError("expected rows that are replaced or "
                                        "added, but got the reduction '{}'",
                                        how)));
  std::optional<SizePolynomial> first;
  bool areRows = places.rank() == 2 && places.sizes[1] == SizePolynomial(1);
  if (areRows && how == "none")
    first = firstOfRow(op.build, places);
  if (areRows && !first && !tensor.isUpdated)
    return op.give(scattered(op, tensor, 0,
                             op.build.reshape(places, {places.sizes[0]}),
                             source, how == "add"));
  if (!first)
    return void(op.build.fail(makeError(
        "expected rows along the first dim, and in what the model writes to "
        "one after the other from a place that follows from sizes and "
        "constants, but got indices of shape {}",
        toText(places.sizes))));
  SizePolynomial start = fromEnd(op.build, *first, tensor.sizes[0]);
  Built old = part(op, tensor, 0, start, start + places.sizes[0], 1);
  op.give(replaced(op, tensor, 0, start, old, source));
}

void mixattn::addReplacements(OpTable &table) {
  table["aten.slice_scatter"] = replacePart;
  table["aten.select_scatter"] = replaceOne;
  table["onnx.ScatterND"] = fromOnnx({"self", "index", "src"}, {}, replaceRows);
}
