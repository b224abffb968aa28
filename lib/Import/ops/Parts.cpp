// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors cut, and put side by side.
#include "lib/Import/OpTable.h"

using namespace mlir;
using namespace mixattn;

/// A place along a dim of `size`; one below 0 counts from the end.
static SizePolynomial fromEnd(const SizePolynomial &place,
                              const SizePolynomial &size) {
  std::optional<int64_t> number = place.asNumber();
  return number && *number < 0 ? place + size : place;
}

/// The elements from start to end. An end beyond the size is the size; where
/// neither is known to be larger, the file says what the result's size is.
static void slice(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  int64_t step = op.integer("step", 1);
  if (!tensor || !tensor.rank() || step < 1) {
    op.build.fail(makeError("expected a step of at least 1 along a dim of a "
                            "tensor"));
    return;
  }
  const SizePolynomial &size = tensor.sizes[dim];
  SizePolynomial start = fromEnd(op.size("start", 0), size);
  SizePolynomial end = fromEnd(op.size("end", INT64_MAX), size);
  if (end.asNumber() == INT64_MAX)
    end = size;
  std::optional<int64_t> from = start.asNumber(), to = end.asNumber(),
                         most = size.asNumber();
  if (from && most)
    start = std::clamp<int64_t>(*from, 0, *most);
  if (to && most)
    end = std::clamp<int64_t>(*to, 0, *most);
  SizePolynomial length = end - start;
  if (std::optional<int64_t> number = length.asNumber())
    length = llvm::divideCeil(std::max<int64_t>(*number, 0), uint64_t(step));
  else
    length = length.dividedBy(step);
  if (!length.isKnown()) {
    op.build.fail(makeError("expected a part whose size is a polynomial of "
                            "dims"));
    return;
  }
  op.give(op.build.slice(tensor, dim, start, length, step));
}

static void selectOne(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  SizePolynomial index = op.size("index", 0);
  if (!tensor || !tensor.rank())
    return;
  const SizePolynomial &size = tensor.sizes[dim];
  index = fromEnd(index, size);
  std::optional<int64_t> place = index.asNumber(), most = size.asNumber();
  if ((place && *place < 0) || (place && most && *place >= *most)) {
    op.build.fail(makeError("expected an index within a dim of size {}, but "
                            "got {}",
                            size.toText(), index.toText()));
    return;
  }
  op.give(op.build.select(tensor, dim, index));
}

/// Parts one after the other along a dim, as large as the file says; together
/// they are the tensor.
static void split(OpCall &op, const char *sizes) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  op.sizes(sizes);
  if (!tensor || !tensor.rank())
    return;
  SizePolynomial begin;
  for (size_t i = 0; i < op.numResults(); ++i) {
    const SizeList &part = op.result(i).sizes;
    if (int64_t(part.size()) != tensor.rank())
      return;
    op.give(op.build.slice(tensor, dim, begin, part[dim]), i);
    begin += part[dim];
  }
  if (!(begin == tensor.sizes[dim]))
    op.build.fail(makeError("expected parts that are {} together, but got {}",
                            tensor.sizes[dim].toText(), begin.toText()));
}

/// The elements at each index of a dim, a tensor each.
static void unbind(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  if (!tensor || !tensor.rank())
    return;
  int64_t count = op.numResults();
  if (!(tensor.sizes[dim] == SizePolynomial(count))) {
    op.build.fail(makeError("expected parts that are {} together, but got {}",
                            tensor.sizes[dim].toText(), count));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    op.give(op.build.select(tensor, dim, i), i);
}

/// Operands in the result's type.
static std::vector<Built> operandsOf(OpCall &op) {
  std::vector<Built> tensors = op.tensors("tensors");
  for (Built &each : tensors)
    each = op.build.convert(each, op.result().dtype);
  return tensors;
}

static void concatenate(OpCall &op) {
  std::vector<Built> tensors = operandsOf(op);
  int64_t rank = tensors.empty() ? 0 : tensors[0].rank();
  int64_t dim = op.dim("dim", rank, 0);
  if (rank)
    op.give(op.build.concatenate(tensors, dim));
}

static void stack(OpCall &op) {
  std::vector<Built> tensors = operandsOf(op);
  int64_t rank = tensors.empty() ? 0 : tensors[0].rank();
  int64_t dim = op.dim("dim", rank + 1, 0);
  for (Built &each : tensors) {
    if (each.rank() == rank)
      each = op.build.withOnes(each, dim);
  }
  op.give(op.build.concatenate(tensors, dim));
}

/// Each dim with its last elements, as many as asked for, before the others.
static void roll(OpCall &op) {
  Built tensor = op.tensor("self");
  SizeList shifts = op.sizes("shifts");
  SmallVector<int64_t> dims = op.orderedDims("dims", tensor.rank());
  for (auto [shift, dim] : llvm::zip(shifts, dims)) {
    if (!tensor || !tensor.rank())
      return;
    const SizePolynomial size = tensor.sizes[dim];
    std::optional<int64_t> places = shift.asNumber(), most = size.asNumber();
    if (!places || !most) {
      op.build.fail(makeError("expected to roll a dim of known size by a known "
                              "number, but got {} and {}",
                              size.toText(), shift.toText()));
      return;
    }
    int64_t last = ((*places % *most) + *most) % *most;
    if (last == 0)
      continue;
    tensor =
        op.build.concatenate({op.build.slice(tensor, dim, *most - last, last),
                              op.build.slice(tensor, dim, 0, *most - last)},
                             dim);
  }
  if (dims.size() == shifts.size())
    op.give(tensor);
}

void mixattn::addParts(OpTable &table) {
  table["aten.roll"] = roll;
  table["aten.slice"] = slice;
  table["aten.select"] = selectOne;
  table["aten.split"] = [](OpCall &op) { split(op, "split_size"); };
  table["aten.split_with_sizes"] = [](OpCall &op) { split(op, "split_sizes"); };
  table["aten.chunk"] = [](OpCall &op) { split(op, "chunks"); };
  table["aten.unbind"] = unbind;
  table["aten.cat"] = concatenate;
  table["aten.stack"] = stack;
}
