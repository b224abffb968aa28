// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors several times, side by side, or spread to each other.
#include "lib/Import/ops/Repeats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

Built mixattn::spreadTo(GraphBuilder &build, const Built &tensor,
                        const SizeList &sizes) {
  if (tensor.constant)
    return build.filled(tensor.dtype, sizes, *tensor.constant);
  return build.pointwise(
      tensor.dtype, sizes, tensor,
      [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; });
}

/// Each element along a dim as many times, one after the other; without a dim
/// those of the tensor as a vector. The file's `output_size` is that of the
/// result, which is compared anyway.
static void repeatEach(OpCall &op) {
  Built tensor = op.tensor("self");
  SizePolynomial repeats = op.size("repeats", 1);
  op.size("output_size", 0);
  if ((!op.has("dim") || !tensor.rank()) && tensor) {
    SizePolynomial all = 1;
    for (const SizePolynomial &size : tensor.sizes)
      all *= size;
    tensor = op.build.reshape(tensor, {all});
  }
  int64_t dim = op.dim("dim", tensor.rank(), 0);
  if (repeats.asNumber().value_or(1) < 0)
    op.build.fail(makeError("expected elements at least 0 times, but got {}",
                            *repeats.asNumber()));
  if (op.build.failure())
    return;
  SizeList sizes = tensor.sizes;
  sizes.insert(sizes.begin() + dim + 1, 1);
  Built parted = op.build.reshape(tensor, sizes);
  sizes[dim + 1] = repeats;
  SizeList joined = tensor.sizes;
  joined[dim] *= repeats;
  op.give(op.build.reshape(spreadTo(op.build, parted, sizes), joined));
}

/// How many numbers of times there may be: any, as many as dims at least, or as
/// many as dims.
enum class Count { any, least, exact };

/// The whole tensor as many times along each dim, dims of size 1 added in front
/// where there are more numbers.
static OpWriter repeatAll(const char *argument, Count count) {
  return [=](OpCall &op) {
    Built tensor = op.tensor("self");
    SizeList times = op.sizes(argument);
    if (!tensor)
      return;
    int64_t given = int64_t(times.size()), rank = tensor.rank();
    if ((count != Count::any && given < rank) ||
        (count == Count::exact && given > rank))
      return void(op.build.fail(makeError("expected a number of times for each "
                                          "of {} dims, but got {}",
                                          rank, given)));
    // More than tensors have dims.
    if (times.size() > 16)
      return void(op.build.fail(makeError("expected numbers for at most 16 "
                                          "dims, but got {}",
                                          times.size())));
    SizeList own = tensor.sizes;
    if (times.size() < own.size())
      times.insert(times.begin(), own.size() - times.size(), 1);
    own.insert(own.begin(), times.size() - own.size(), 1);
    // A dim of 1 spreads; the others get one in front that does.
    SizeList parted, spread, joined;
    for (auto [size, count] : llvm::zip_equal(own, times)) {
      if (count.asNumber().value_or(0) < 0)
        op.build.fail(makeError("expected a tensor at least 0 times, but got "
                                "{}",
                                count.toText()));
      joined.push_back(size * count);
      if (!(count == SizePolynomial(1)) && !(size == SizePolynomial(1))) {
        parted.push_back(1);
        spread.push_back(count);
      }
      parted.push_back(size);
      spread.push_back(size == SizePolynomial(1) ? count : size);
    }
    if (op.build.failure())
      return;
    Built whole = op.build.reshape(tensor, parted);
    if (whole && parted != spread)
      whole = spreadTo(op.build, whole, spread);
    op.give(op.build.reshape(whole, joined));
  };
}

/// Tensors in the result's type, with as many dims at least: a vector is a row,
/// or a column where `isColumn`.
static std::vector<Built> tensorsOf(OpCall &op, int64_t rank, bool isColumn) {
  std::vector<Built> tensors = op.tensors("tensors");
  for (Built &each : tensors) {
    each = op.build.convert(each, op.result().dtype);
    SizeList sizes = each.sizes;
    while (each && int64_t(sizes.size()) < rank)
      sizes.insert(isColumn || sizes.size() == 2 ? sizes.end() : sizes.begin(),
                   1);
    if (sizes != each.sizes)
      each = op.build.reshape(each, sizes);
  }
  return tensors;
}

/// hstack, vstack, dstack and column_stack: side by side along a dim.
static OpWriter stackAlong(int64_t dim, int64_t rank, bool isColumn) {
  return [=](OpCall &op) {
    std::vector<Built> tensors = tensorsOf(op, rank, isColumn);
    if (tensors.empty() || op.build.failure())
      return;
    // Vectors have dim 0 alone.
    int64_t most = tensors[0].rank() - 1;
    op.give(op.build.concatenate(tensors, std::min(dim, most)));
  };
}

/// Tensors that spread to each other, each as it is then.
static void spreadAll(OpCall &op) {
  std::vector<Built> tensors = op.tensors("tensors");
  SizeList sizes = op.build.broadcast(tensors);
  for (auto [i, each] : llvm::enumerate(tensors)) {
    if (op.build.failure())
      return;
    op.give(each.sizes == sizes ? each : spreadTo(op.build, each, sizes), i);
  }
}

/// Vectors as the axes of a grid, which counts the first one's elements by
/// rows, or by columns where `indexing` is "xy".
static void meshgrid(OpCall &op) {
  std::vector<Built> tensors = op.tensors("tensors");
  bool isSwapped = op.text("indexing", "ij") == "xy" && tensors.size() > 1;
  SizeList sizes;
  for (const Built &each : tensors) {
    if (each.rank() > 1)
      op.build.fail(makeError("expected vectors as axes of a grid, but got "
                              "shape {}",
                              toText(each.sizes)));
    if (op.build.failure())
      return;
    sizes.push_back(each.rank() ? each.sizes[0] : SizePolynomial(1));
  }
  for (auto [i, each] : llvm::enumerate(tensors)) {
    size_t axis = isSwapped && i < 2 ? 1 - i : i;
    SizeList own(tensors.size(), 1), all = sizes;
    own[axis] = sizes[i];
    if (isSwapped)
      std::swap(all[0], all[1]);
    op.give(spreadTo(op.build, op.build.reshape(each, own), all), i);
  }
}

/// Channels as blocks of f x f places: [..., C f f, H, W] to [..., C, H f,
/// W f], or the other way round. Where `isInner` is set, the blocks' places are
/// the last parts of a channel's number, else the first.
static void giveShuffled(OpCall &op, int64_t f, bool isSpread, bool isInner) {
  Built x = op.tensor("self");
  int64_t front = x.rank() - 3;
  if (!x || front < 0 || f < 1 || f > mostCounted)
    return void(op.build.fail(makeError("expected a tensor of at least 3 "
                                        "dims, but got shape {}",
                                        toText(x.sizes))));
  SizePolynomial c = x.sizes[front], h = x.sizes[front + 1],
                 w = x.sizes[front + 2];
  if (!isSpread) {
    op.build.noteQuotient(h, f);
    op.build.noteQuotient(w, f);
  }
  (isSpread ? c : h) = isSpread ? c.dividedBy(f * f) : h.dividedBy(f);
  w = isSpread ? w : w.dividedBy(f);
  if (!c.isKnown() || !h.isKnown() || !w.isKnown())
    return void(op.build.fail(makeError("expected dims that {} divides, but "
                                        "got shape {}",
                                        f, toText(x.sizes))));
  // Dims [C, H, f, W, f] of the places, and where each is among channels.
  SizeList places = {c, h, f, w, f}, channels(5), split(x.sizes), joined(split);
  SmallVector<int64_t> at = {0, 3, 1, 4, 2};
  if (!isInner)
    at = {2, 3, 0, 4, 1};
  for (size_t i = 0; i < at.size(); ++i)
    channels[at[i]] = places[i];
  split.resize(front);
  joined.resize(front);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, front));
  order.resize(front + 5);
  for (size_t i = 0; i < at.size(); ++i)
    (isSpread ? order[front + i] : order[front + at[i]]) =
        front + (isSpread ? at[i] : int64_t(i));
  const SizeList &from = isSpread ? channels : places;
  split.insert(split.end(), from.begin(), from.end());
  if (isSpread)
    joined.insert(joined.end(), {c, h * f, w * f});
  else
    joined.insert(joined.end(), {c * (f * f), h, w});
  op.give(op.build.reshape(
      op.build.transpose(op.build.reshape(x, split), order), joined));
}

static OpWriter shuffle(const char *factor, bool isSpread) {
  return [=](OpCall &op) {
    giveShuffled(op, op.integer(factor, 1), isSpread, true);
  };
}

/// DepthToSpace and back: the mode says where places stand in a channel's
/// number.
static OpWriter shuffleOnnx(bool isSpread) {
  return [isSpread](OpCall &op) {
    std::string mode = isSpread ? op.text("mode", "DCR") : "DCR";
    if (mode != "DCR" && mode != "CRD")
      op.build.fail(
          makeError("expected the mode 'DCR' or 'CRD', but got '{}'", mode));
    giveShuffled(op, op.integer("blocksize", 1), isSpread, mode == "CRD");
  };
}

void mixattn::addRepeats(OpTable &table) {
  table["aten.repeat_interleave"] = repeatEach;
  table["aten.repeat"] = repeatAll("repeats", Count::least);
  table["aten.tile"] = repeatAll("dims", Count::any);
  table["onnx.Tile"] =
      fromOnnx({"self", "repeats"}, {}, repeatAll("repeats", Count::exact));
  table["aten.hstack"] = stackAlong(1, 1, false);
  table["aten.vstack"] = stackAlong(0, 2, false);
  table["aten.dstack"] = stackAlong(2, 3, false);
  table["aten.column_stack"] = stackAlong(1, 2, true);
  table["aten.broadcast_tensors"] = spreadAll;
  table["aten.meshgrid"] = meshgrid;
  table["aten.pixel_shuffle"] = shuffle("upscale_factor", true);
  table["onnx.DepthToSpace"] = fromOnnx({"self"}, {}, shuffleOnnx(true));
  table["onnx.SpaceToDepth"] = fromOnnx({"self"}, {}, shuffleOnnx(false));
  table["aten.pixel_unshuffle"] = shuffle("downscale_factor", false);
}
