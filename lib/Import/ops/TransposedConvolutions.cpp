// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed convolutions: what convolutions read, these write.
#include "lib/Import/ops/Convolutions.h"
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Parts.h"
#include "lib/Import/ops/Placed.h"
#include "lib/Import/ops/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

/// A dim with `step - 1` zeros after each element, `before` zeros in front and
/// `after` at the end; below 0 as many elements are cut off.
static Built spaced(OpCall &op, const Built &x, int64_t dim, int64_t step,
                    int64_t before, int64_t after) {
  GraphBuilder &build = op.build;
  if (!x)
    return {};
  SizeList apart = x.sizes, joined = x.sizes;
  apart.insert(apart.begin() + dim + 1, 1);
  joined[dim] *= step;
  Built wide = build.reshape(
      withBorder(build, build.reshape(x, apart), dim + 1, 0, step - 1, 0),
      joined);
  if (!wide)
    return {};
  int64_t first = std::max<int64_t>(-before, 0),
          last = std::max<int64_t>(-after, 0);
  wide = build.slice(wide, dim, first, joined[dim] - first - last);
  return withBorder(build, wide, dim, std::max<int64_t>(before, 0),
                    std::max<int64_t>(after, 0), 0);
}

/// The last element first along the last dims.
static Built turned(OpCall &op, const Built &weight, ArrayRef<int64_t> size) {
  int64_t front = weight.rank() - int64_t(size.size());
  SmallVector<int64_t> last(size);
  return readAt(op.build, weight, weight.sizes,
                [=](OpBuilder &b, Location loc, ValueRange own) {
                  SmallVector<Value> places(own);
                  for (auto [i, count] : llvm::enumerate(last))
                    places[front + i] = arith::SubIOp::create(
                        b, loc,
                        arith::ConstantIndexOp::create(b, loc, count - 1),
                        own[front + i]);
                  return places;
                });
}

/// The tensor with a dim of G C elements as G and C.
static Built grouped(OpCall &op, const Built &tensor, int64_t dim,
                     int64_t groups) {
  SizeList sizes = tensor.sizes;
  sizes.insert(sizes.begin() + dim, groups);
  sizes[dim + 1] = sizes[dim + 1].dividedBy(groups);
  return op.build.reshape(tensor, sizes);
}

void mixattn::convolveTransposed(OpCall &op) {
  Built x = op.tensor("input"), weight = op.tensor("weight");
  Built bias = op.has("bias") ? op.tensor("bias") : Built();
  int64_t groups = op.integer("groups", 1), dims = weight.rank() - 2;
  if (!x || !weight)
    return;
  std::optional<int64_t> inputs, outputs;
  if (dims > 0) {
    inputs = weight.sizes[0].asNumber();
    outputs = weight.sizes[1].asNumber();
  }
  SmallVector<int64_t> size;
  for (int64_t dim = 2; dim < weight.rank(); ++dim)
    size.push_back(weight.sizes[dim].asNumber().value_or(0));
  if (dims < 1 || dims > 3 || x.rank() != weight.rank() || !inputs ||
      !outputs || llvm::is_contained(size, 0) || groups < 1 ||
      *inputs % groups || !(x.sizes[1] == weight.sizes[0]))
    return void(op.build.fail(makeError(
        "expected a transposed convolution of [B, C, ...] by weights [C, O / "
        "{}, ...] of known sizes, but got shapes {} and {}",
        groups, toText(x.sizes), toText(weight.sizes))));
  if (std::string filling = op.text("auto_pad", "NOTSET");
      filling.find("SAME") == 0)
    return void(op.build.fail(makeError("expected borders of a transposed "
                                        "convolution as numbers, but got "
                                        "auto_pad '{}'",
                                        filling)));
  checkWindow(op, weight);
  Windows windows = readWindows(op, x, size, SmallVector<int64_t>(dims, 1));
  SmallVector<int64_t> more = perDim(op, "output_padding", dims, 0, 0);
  if (op.build.failure() || int64_t(more.size()) != dims)
    return;
  auto none = [](ArrayRef<int64_t> numbers) {
    return llvm::all_of(numbers, [](int64_t n) { return n == 0; });
  };
  bool areTiles = windows.areTiles() && none(windows.before) &&
                  none(windows.after) && none(more);
  // Letters of the places, and of those in a window.
  std::string places = std::string("hwd").substr(0, dims),
              inner = std::string("ijk").substr(0, dims), made = "bgo";
  Built read = x;
  if (areTiles) {
    for (int64_t i = 0; i < dims; ++i)
      made += {places[i], inner[i]};
  } else {
    Windows single = windows;
    single.before.assign(dims, 0);
    single.after = single.before;
    single.stride.assign(dims, 1);
    for (int64_t i = 0; i < dims; ++i) {
      int64_t reach = windows.dilation[i] * (size[i] - 1);
      read =
          spaced(op, read, 2 + i, windows.stride[i], reach - windows.before[i],
                 reach - windows.after[i] + more[i] - windows.stride[i] + 1);
    }
    read = windowsOf(op, read, single, 0);
    weight = turned(op, weight, size);
    made += places;
  }
  if (!read || !weight)
    return;
  Built sums = op.build.contract(
      grouped(op, read, 1, groups), "bgc" + places + (areTiles ? "" : inner),
      grouped(op, weight, 0, groups), "gco" + inner, made);
  if (!sums)
    return;
  SizeList joined = {x.sizes[0], groups * *outputs};
  for (int64_t i = 0; i < dims; ++i)
    joined.push_back(areTiles ? x.sizes[2 + i] * size[i] : sums.sizes[3 + i]);
  op.give(withBias(op, op.build.reshape(sums, joined), bias));
}

void mixattn::fold(OpCall &op) {
  Built columns = op.tensor("self");
  SmallVector<int64_t> whole = perDim(op, "output_size", 2, 1, 0),
                       size = perDim(op, "kernel_size", 2, 1, 0);
  if (!columns || op.build.failure())
    return;
  if (size.size() != 2 || whole.size() != 2)
    return void(op.build.fail(makeError("expected windows of two dims, but got "
                                        "{} and {}",
                                        size.size(), whole.size())));
  std::optional<int64_t> rows =
      columns.rank() == 3 ? columns.sizes[1].asNumber() : std::nullopt;
  int64_t count = size[0] * size[1];
  // Each place of a window is an image to add.
  constexpr int64_t most = 1024;
  if (!rows || count < 1 || count > most || *rows % count)
    return void(op.build.fail(makeError(
        "expected columns [B, C I J, L] of windows of at most {} places, but "
        "got shape {}",
        most, toText(columns.sizes))));
  Windows windows = readWindows(op, columns, size, SmallVector<int64_t>(2, 1));
  if (op.build.failure())
    return;
  SmallVector<int64_t> along;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t span = windows.dilation[i] * (size[i] - 1) + 1;
    along.push_back(
        (whole[i] + 2 * windows.before[i] - span) / windows.stride[i] + 1);
  }
  int64_t channels = *rows / count;
  Built parted = op.build.reshape(columns, {columns.sizes[0], channels, size[0],
                                            size[1], along[0], along[1]});
  std::vector<Built> images;
  for (int64_t place = 0; place < count; ++place) {
    int64_t own[] = {place / size[1], place % size[1]};
    Built image =
        op.build.select(op.build.select(parted, 2, own[0]), 2, own[1]);
    for (int64_t i = 0; i < 2; ++i) {
      int64_t before = own[i] * windows.dilation[i] - windows.before[i];
      image = spaced(op, image, 2 + i, windows.stride[i], before,
                     whole[i] - before - along[i] * windows.stride[i]);
    }
    images.push_back(image);
  }
  DType dtype = columns.dtype;
  op.give(combine(op.build, images, computedAs(dtype), dtype,
                  bodyOf([](ArrayRef<Number> n) {
                    Number sum = n[0];
                    for (const Number &next : n.drop_front())
                      sum = sum + next;
                    return sum;
                  })));
}
