// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors cut, and put side by side.
#include "lib/Import/ops/Parts.h"
#include "lib/Import/LargestSize.h"
#include "lib/Import/SizeText.h"
#include "lib/Import/ops/Placed.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

SizePolynomial mixattn::fromEnd(GraphBuilder &build,
                                const SizePolynomial &place,
                                const SizePolynomial &size) {
  auto isBelow = [](const SizePolynomial &number) {
    return !number.isZero() && isNeverNegative(-number);
  };
  if (isBelow(place))
    return place + size;
  // 1 - N, of which calls check that it is.
  SizePolynomial fromTwo = place.with([](const std::string &dim) {
    return std::optional(SizePolynomial::named(dim) + 2);
  });
  if (!isBelow(fromTwo) || !fromTwo.getTerms().count({}))
    return place;
  build.requireSize(-place - 1);
  return place + size;
}

Built mixattn::part(OpCall &op, const Built &tensor, int64_t dim,
                    SizePolynomial start, SizePolynomial end, int64_t step) {
  if (!tensor || !tensor.rank() || step < 1)
    return op.build.fail(makeError("expected a step of at least 1 along a dim "
                                   "of a tensor"));
  const SizePolynomial &size = tensor.sizes[dim];
  // Beyond any size.
  constexpr int64_t far = INT32_MAX;
  if (start.asNumber().value_or(0) < -far)
    start = 0;
  if (end.asNumber().value_or(0) >= far)
    end = size;
  start = fromEnd(op.build, start, size);
  end = fromEnd(op.build, end, size);
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
    length = floorQuotient(length + (step - 1), step);
  if (!length.isKnown())
    return op.build.failQuotient(
        makeError("expected a part whose size is a polynomial of dims"),
        end - start, step);
  return op.build.slice(tensor, dim, start, length, step);
}

/// Where neither size nor end is known to be larger, the file says what the
/// result's size is.
static void slice(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  op.give(part(op, tensor, dim, op.size("start", 0), op.size("end", INT64_MAX),
               op.integer("step", 1)));
}

/// As many elements from a place on.
static void narrow(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  SizePolynomial length = op.size("length", 0);
  if (!tensor || !tensor.rank())
    return;
  SizePolynomial start =
      fromEnd(op.build, op.size("start", 0), tensor.sizes[dim]);
  op.give(part(op, tensor, dim, start, start + length, 1));
}

static void selectOne(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  SizePolynomial index = op.size("index", 0);
  if (!tensor || !tensor.rank())
    return;
  const SizePolynomial &size = tensor.sizes[dim];
  index = fromEnd(op.build, index, size);
  std::optional<int64_t> place = index.asNumber(), most = size.asNumber();
  if ((place && *place < 0) || (place && most && *place >= *most)) {
    op.build.fail(makeError("expected an index within a dim of size {}, but "
                            "got {}",
                            size.toText(), index.toText()));
    return;
  }
  op.give(op.build.select(tensor, dim, index));
}

/// Parts of these sizes one after the other along a dim; together they are the
/// tensor.
static void giveParts(OpCall &op, const Built &tensor, int64_t dim,
                      const SizeList &sizes) {
  SizePolynomial sum;
  bool areSizes = true;
  for (const SizePolynomial &size : sizes) {
    sum += size;
    areSizes &= size.asNumber().value_or(0) >= 0;
  }
  if (!(sum == tensor.sizes[dim]) || !areSizes)
    return void(
        op.build.fail(makeError("expected parts that are {} together, but got "
                                "{}",
                                tensor.sizes[dim].toText(), toText(sizes))));
  SizePolynomial begin;
  for (size_t i = 0; i < sizes.size(); ++i) {
    op.give(op.build.slice(tensor, dim, begin, sizes[i]), i);
    begin += sizes[i];
  }
}

/// Parts as large as the file says.
static void split(OpCall &op, const char *sizes) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  op.sizes(sizes);
  if (!tensor || !tensor.rank())
    return;
  SizeList parts;
  for (size_t i = 0; i < op.numResults(); ++i) {
    const SizeList &part = op.result(i).sizes;
    if (int64_t(part.size()) != tensor.rank())
      return;
    parts.push_back(part[dim]);
  }
  giveParts(op, tensor, dim, parts);
}

/// Parts of given sizes, or as many equal ones as there are results, of which
/// the last may be smaller.
static void splitInto(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  int64_t count = int64_t(op.numResults());
  SizeList sizes = op.sizes("split");
  if (!tensor || !tensor.rank() || !count)
    return;
  int64_t asked = op.integer("num_outputs", count);
  const SizePolynomial &size = tensor.sizes[dim];
  if (!op.has("split")) {
    std::optional<int64_t> number = size.asNumber();
    SizePolynomial each =
        number ? SizePolynomial(llvm::divideCeil(*number, uint64_t(count)))
               : size.dividedBy(count);
    sizes.assign(count, each);
    if (each.isKnown())
      sizes.back() = size - each * (count - 1);
  }
  if (count > 1 && !size.asNumber())
    op.build.noteQuotient(size, count);
  if (asked != count || int64_t(sizes.size()) != count)
    return void(op.build.fail(makeError("expected a size for each of {} "
                                        "results, but got {}",
                                        count, toText(sizes))));
  giveParts(op, tensor, dim, sizes);
}

/// Every so many elements from a start down to an end, which is not among them.
static Built partBackwards(OpCall &op, const Built &tensor, int64_t dim,
                           SizePolynomial start, SizePolynomial end,
                           int64_t step) {
  constexpr int64_t far = INT32_MAX;
  const SizePolynomial size = tensor.sizes[dim];
  std::optional<int64_t> from = start.asNumber(), to = end.asNumber(),
                         most = size.asNumber();
  start = from.value_or(0) >= far ? size - 1 : fromEnd(op.build, start, size);
  // Before the first.
  end = to.value_or(0) <= -far ? SizePolynomial(-1)
                               : fromEnd(op.build, end, size);
  if (most && start.asNumber())
    start = std::clamp<int64_t>(*start.asNumber(), -1, *most - 1);
  if (most && end.asNumber())
    end = std::clamp<int64_t>(*end.asNumber(), -1, *most - 1);
  SizePolynomial length = start - end;
  if (std::optional<int64_t> number = length.asNumber())
    length = llvm::divideCeil(std::max<int64_t>(*number, 0), uint64_t(-step));
  else
    length = floorQuotient(length - (step + 1), -step);
  if (!length.isKnown())
    return op.build.failQuotient(
        makeError("expected a part whose size is a polynomial of dims"),
        start - end, -step);
  op.build.requireSize(size - 1 - start);
  op.build.requireSize(end + 1);
  op.build.requireSize(length);
  SizeList sizes = tensor.sizes;
  sizes[dim] = length;
  auto placeOf = [&](MutableArrayRef<int64_t> own) {
    own[dim] = start.asNumber().value_or(-1) + own[dim] * step;
  };
  if (std::optional<SizeList> list = movedList(tensor, sizes, placeOf))
    return op.build.listed(tensor.dtype, sizes, *list);
  Value first = op.build.indexOf(start);
  return readAt(op.build, tensor, sizes,
                [=](OpBuilder &b, Location loc, ValueRange own) {
                  SmallVector<Value> places(own);
                  Value each = arith::ConstantIndexOp::create(b, loc, -step);
                  Value back = arith::MulIOp::create(b, loc, own[dim], each);
                  places[dim] = arith::SubIOp::create(b, loc, first, back);
                  return places;
                });
}

/// Parts along several dims, each from a start to an end.
static void sliceAll(OpCall &op) {
  Built tensor = op.tensor("self");
  SizeList starts = op.sizes("starts"), ends = op.sizes("ends");
  SizeList steps(starts.size(), 1);
  if (op.has("steps"))
    steps = op.sizes("steps");
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(starts.size())));
  if (op.has("axes"))
    dims = op.orderedDims("axes", tensor.rank());
  if (ends.size() != starts.size() || steps.size() != starts.size() ||
      dims.size() != starts.size() || int64_t(dims.size()) > tensor.rank())
    return void(op.build.fail(makeError("expected a start, an end and a step "
                                        "for each of {} dims, but got {}, {} "
                                        "and {}",
                                        dims.size(), toText(starts),
                                        toText(ends), toText(steps))));
  for (auto [dim, start, end, step] :
       llvm::zip_equal(dims, starts, ends, steps)) {
    int64_t by = step.asNumber().value_or(0);
    if (by < 0 && by >= -mostCounted && tensor && tensor.rank())
      tensor = partBackwards(op, tensor, dim, start, end, by);
    else
      tensor = part(op, tensor, dim, start, end, by);
  }
  op.give(tensor);
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
    if (places && most)
      places = *most ? ((*places % *most) + *most) % *most : 0;
    if (!places) {
      op.build.fail(makeError("expected to roll a dim by a known number, but "
                              "got {}",
                              shift.toText()));
      return;
    }
    if (*places == 0)
      continue;
    // An open dim has as many elements at least.
    SizePolynomial last =
        *places > 0 ? SizePolynomial(*places) : size + *places;
    tensor =
        op.build.concatenate({op.build.slice(tensor, dim, size - last, last),
                              op.build.slice(tensor, dim, 0, size - last)},
                             dim);
  }
  if (dims.size() == shifts.size())
    op.give(tensor);
}

void mixattn::addParts(OpTable &table) {
  table["onnx.Slice"] =
      fromOnnx({"self", "starts", "ends", "axes", "steps"}, {}, sliceAll);
  table["onnx.Split"] =
      fromOnnx({"self", "split"}, {{"dim", "axis"}}, splitInto);
  table["onnx.Concat"] =
      fromOnnxList("tensors", {{"dim", "axis"}}, concatenate);
  table["aten.roll"] = roll;
  table["aten.slice"] = slice;
  table["aten.narrow"] = narrow;
  table["aten.select"] = selectOne;
  table["aten.split"] = [](OpCall &op) { split(op, "split_size"); };
  table["aten.split_with_sizes"] = [](OpCall &op) { split(op, "split_sizes"); };
  table["aten.chunk"] = [](OpCall &op) { split(op, "chunks"); };
  table["aten.tensor_split"] = [](OpCall &op) { split(op, "sections"); };
  table["aten.unbind"] = unbind;
  table["aten.cat"] = concatenate;
  table["aten.stack"] = stack;
}
