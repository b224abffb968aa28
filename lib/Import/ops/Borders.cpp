// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors with more elements at the ends of dims: constants or their own.
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Parts.h"
#include "lib/Import/ops/Placed.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mixattn;

/// Which elements stand beyond an end.
enum class Border { replicate, wrap, reflect };

/// By PyTorch's name or ONNX's.
static std::optional<Border> borderOf(StringRef mode) {
  return llvm::StringSwitch<std::optional<Border>>(mode)
      .Cases({"replicate", "edge"}, Border::replicate)
      .Cases({"circular", "wrap"}, Border::wrap)
      .Case("reflect", Border::reflect)
      .Default(std::nullopt);
}

/// With its own elements before and after along a dim: the last one again, all
/// once more from the other end, or mirrored.
static Built padWithOwn(OpCall &op, const Built &tensor, int64_t dim,
                        int64_t before, int64_t after, Border border) {
  GraphBuilder &build = op.build;
  const SizePolynomial size = tensor.sizes[dim];
  // Mirrored, the end itself is not read again; there is one to replicate.
  build.requireSize(border == Border::replicate
                        ? size - 1
                        : size - std::max(before, after) -
                              (border == Border::reflect));
  if (build.failure())
    return {};
  SizeList sizes = tensor.sizes;
  sizes[dim] = size + before + after;
  Value count = build.indexOf(size);
  return readAt(
      build, tensor, sizes, [=](OpBuilder &b, Location loc, ValueRange own) {
        SmallVector<Value> places(own);
        Value shift = arith::ConstantIndexOp::create(b, loc, before);
        Number n(b, loc, count),
            place(b, loc, arith::SubIOp::create(b, loc, own[dim], shift));
        Value zero = arith::ConstantIndexOp::create(b, loc, 0);
        Value one = arith::ConstantIndexOp::create(b, loc, 1);
        Number first(b, loc, zero), last = n - Number(b, loc, one);
        if (border == Border::replicate)
          place = smallest(largest(place, first), last);
        else if (border == Border::wrap)
          place = choose(place < first, place + n,
                         choose(last < place, place - n, place));
        else
          place = choose(place < first, first - place,
                         choose(last < place, last + last - place, place));
        places[dim] = place;
        return places;
      });
}

Built mixattn::withBorder(GraphBuilder &build, const Built &tensor, int64_t dim,
                          const SizePolynomial &before,
                          const SizePolynomial &after, double number) {
  if (!tensor)
    return {};
  auto filled = [&](const SizePolynomial &count) {
    SizeList sizes = tensor.sizes;
    sizes[dim] = count;
    return build.filled(tensor.dtype, sizes, number);
  };
  SmallVector<Built> parts = {tensor};
  if (!before.isZero())
    parts.insert(parts.begin(), filled(before));
  if (!after.isZero())
    parts.push_back(filled(after));
  return parts.size() > 1 ? build.concatenate(parts, dim) : tensor;
}

/// With elements before and after along each dim, as many as asked for.
static void padDims(OpCall &op, Built tensor, ArrayRef<int64_t> dims,
                    const SizeList &pads) {
  std::string mode = op.text("mode", "constant");
  double number = op.number("value", 0);
  std::optional<Border> border = borderOf(mode);
  bool areSizes =
      pads.size() == 2 * dims.size() && (mode == "constant" || border);
  for (const SizePolynomial &each : pads)
    areSizes &= each.asNumber().value_or(-1) >= 0 &&
                each.asNumber().value_or(0) <= mostCounted;
  if (!tensor || !areSizes)
    return void(op.build.fail(makeError("expected known numbers of elements "
                                        "to pad with at both ends of {} dims, "
                                        "but got '{}' and {}",
                                        dims.size(), mode, toText(pads))));
  if (!tensor.rank() && !dims.empty())
    return void(op.build.fail(makeError("expected a tensor with dims to pad")));
  for (size_t i = 0; i < dims.size() && tensor; ++i) {
    int64_t dim = dims[i];
    if (pads[i].isZero() && pads[i + dims.size()].isZero())
      continue;
    if (border) {
      tensor = padWithOwn(op, tensor, dim, *pads[i].asNumber(),
                          *pads[i + dims.size()].asNumber(), *border);
      continue;
    }
    tensor = withBorder(op.build, tensor, dim, pads[i], pads[i + dims.size()],
                        number);
  }
  op.give(tensor);
}

/// ONNX's Pad: all beginnings, then all ends.
static void pad(OpCall &op) {
  Built tensor = op.tensor("self");
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
  if (op.has("axes"))
    dims = op.orderedDims("axes", tensor.rank());
  padDims(op, tensor, dims, op.sizes("pads"));
}

/// PyTorch's pad: beginning and end of the last dim, of the one before, …
static void padFromLast(OpCall &op) {
  Built tensor = op.tensor("self");
  SizeList given = op.sizes("pad"), pads;
  SmallVector<int64_t> dims;
  for (size_t i = 0; i < given.size() / 2; ++i)
    dims.push_back(tensor.rank() - 1 - int64_t(i));
  for (size_t first : {0, 1})
    for (size_t i = first; i < given.size(); i += 2)
      pads.push_back(given[i]);
  if (int64_t(dims.size()) > tensor.rank())
    pads.clear();
  padDims(op, tensor, dims, pads);
}

void mixattn::addBorders(OpTable &table) {
  table["aten.pad"] = table["aten.constant_pad_nd"] = padFromLast;
  table["onnx.Pad"] = fromOnnx({"self", "pads", "value", "axes"}, {}, pad);
}
