// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The largest and the mean of windows, and their elements as columns.
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Parts.h"
#include "lib/Import/ops/Placed.h"
#include "lib/Import/ops/Windows.h"

using namespace mlir;
using namespace mixattn;

static Built divided(OpCall &op, const Built &tensor, double count) {
  return combine(op.build, tensor, tensor.dtype, tensor.dtype,
                 bodyOf([=](ArrayRef<Number> n) { return n[0] / count; }));
}

/// How far the last window of each dim reaches beyond the borders where what is
/// left over has one of its own, which begins before the last border; fails
/// where that depends on sizes.
static SmallVector<int64_t> overhangsOf(OpCall &op, const Built &x,
                                        const Windows &windows) {
  SmallVector<int64_t> result;
  for (int64_t i = 0; i < windows.dims(); ++i) {
    std::optional<int64_t> size =
        x.sizes[x.rank() - windows.dims() + i].asNumber();
    int64_t span = windows.dilation[i] * (windows.size[i] - 1) + 1,
            by = windows.stride[i],
            whole = size.value_or(0) + windows.before[i] + windows.after[i],
            left = whole < span ? 0 : (whole - span) % by;
    if (!size) {
      op.build.fail(makeError("expected known sizes next to ceil_mode, but got "
                              "shape {}",
                              toText(x.sizes)));
      return SmallVector<int64_t>(windows.dims(), 0);
    }
    bool beginsWithin = whole - span - left + by < *size + windows.before[i];
    result.push_back(left && beginsWithin ? by - left : 0);
  }
  return result;
}

/// The largest of each window, or the mean, of which borders are part as zeros
/// or not at all.
static OpWriter pool(int64_t dims, bool isMean) {
  return [=](OpCall &op) {
    DType dtype = op.floatType();
    Built x =
        op.build.convert(op.tensor("self"), isMean ? computedAs(dtype) : dtype);
    SmallVector<int64_t> size = perDim(op, "kernel_size", dims, 1, 0);
    int64_t many = int64_t(size.size());
    bool mayReachOut = op.flag("ceil_mode", false);
    bool countsBorder = op.flag("count_include_pad", true);
    op.integer("storage_order", 0);
    if (!x || op.build.failure())
      return;
    if (x.rank() <= many || llvm::is_contained(size, 0))
      return void(op.build.fail(makeError("expected a tensor of over {} dims, "
                                          "but got shape {}",
                                          many, toText(x.sizes))));
    Windows windows = readWindows(op, x, size, size);
    if (op.build.failure())
      return;
    SmallVector<int64_t> beyond(windows.dims(), 0);
    if (mayReachOut)
      beyond = overhangsOf(op, x, windows);
    double count = 1;
    for (int64_t each : size)
      count *= each;
    if (isMean)
      count = op.number("divisor_override", count);
    double border = isMean ? 0 : -std::numeric_limits<double>::infinity();
    Windows reaching = windows;
    for (int64_t i = 0; i < windows.dims(); ++i)
      reaching.after[i] += beyond[i];
    Built all = windowsOf(op, x, reaching, border);
    if (!all)
      return;
    auto inner = llvm::to_vector(
        llvm::seq<int64_t>(all.rank() - windows.dims(), all.rank()));
    if (!isMean)
      return op.give(op.build.extreme(all, inner, true));
    Built sum = op.build.sum(all, inner);
    bool isFull = llvm::all_of(beyond, [](int64_t each) { return !each; });
    if ((countsBorder && isFull) || op.has("divisor_override"))
      return op.give(op.build.convert(divided(op, sum, count), dtype));
    // The border counts or not; what is beyond it does not.
    Built ones = op.build.filled(x.dtype, x.sizes, 1);
    for (int64_t i = 0; i < windows.dims(); ++i)
      ones = withBorder(op.build, ones, x.rank() - windows.dims() + i,
                        windows.before[i], windows.after[i], countsBorder);
    reaching.before.assign(windows.dims(), 0);
    reaching.after.assign(beyond.begin(), beyond.end());
    ones = windowsOf(op, ones, reaching, 0);
    if (!ones)
      return;
    op.give(combine(op.build, {sum, op.build.sum(ones, inner)}, x.dtype, dtype,
                    bodyOf([](ArrayRef<Number> n) { return n[0] / n[1]; })));
  };
}

/// im2col: the elements of each window of x [B, C, H, W] as a column, [B, C I
/// J, windows].
static void columns(OpCall &op) {
  Built x = op.tensor("self");
  SmallVector<int64_t> size = perDim(op, "kernel_size", 2, 1, 0);
  if (!x || op.build.failure())
    return;
  if (x.rank() != 4 || size.size() != 2 || llvm::is_contained(size, 0))
    return void(op.build.fail(makeError("expected images [B, C, H, W], but got "
                                        "shape {}",
                                        toText(x.sizes))));
  Windows windows = readWindows(op, x, size, SmallVector<int64_t>(2, 1));
  Built all = windowsOf(op, x, windows, 0);
  if (!all)
    return;
  SizeList joined = {x.sizes[0], x.sizes[1] * (size[0] * size[1]),
                     all.sizes[2] * all.sizes[3]};
  op.give(
      op.build.reshape(op.build.transpose(all, {0, 1, 4, 5, 2, 3}), joined));
}

/// Means of `count` windows that cover a dim: window i is [floor(i n / count),
/// ceil((i + 1) n / count)), n being the dim's size.
static Built meansAlong(OpCall &op, const Built &x, int64_t dim,
                        int64_t count) {
  SizePolynomial each = x.sizes[dim].dividedBy(count);
  if (each.isKnown()) {
    SizeList split = x.sizes;
    split[dim] = count;
    split.insert(split.begin() + dim + 1, each);
    Built sum = op.build.sum(op.build.reshape(x, split), {dim + 1});
    if (!sum)
      return {};
    return combine(op.build, {sum, op.build.number(each)}, x.dtype, x.dtype,
                   bodyOf([](ArrayRef<Number> n) { return n[0] / n[1]; }));
  }
  std::optional<int64_t> size = x.sizes[dim].asNumber();
  if (!size)
    return op.build.failQuotient(
        makeError("expected dims that as many windows divide, but got shape {} "
                  "to {} of dim {}",
                  toText(x.sizes), count, dim),
        x.sizes[dim], count);
  // No window is longer, and a place beyond its end counts for nothing.
  int64_t most = (*size + count - 1) / count + 1;
  SizeList sizes = x.sizes;
  sizes[dim] = count;
  sizes.push_back(most);
  auto bounds = [=](OpBuilder &b, Location loc, Value window) {
    Number n(b, loc, arith::ConstantIndexOp::create(b, loc, *size));
    Number i(b, loc, window);
    Number begin = i * n / double(count),
           end = ((i + 1.0) * n + double(count - 1)) / double(count);
    return std::pair(begin, end);
  };
  Built elements = readAt(op.build, x, sizes,
                          [=](OpBuilder &b, Location loc, ValueRange own) {
                            SmallVector<Value> places(own.drop_back());
                            Number place = bounds(b, loc, own[dim]).first +
                                           Number(b, loc, own.back());
                            places[dim] = smallest(place, double(*size - 1));
                            return places;
                          });
  Built shares = op.build.generated(
      x.dtype, {count, most},
      [=, type = op.build.typeOf(x.dtype)](OpBuilder &b, Location loc,
                                           ValueRange own) -> Value {
        auto [begin, end] = bounds(b, loc, own[0]);
        Value length = convertNumber(
            b, loc,
            arith::IndexCastOp::create(b, loc, b.getI64Type(), end - begin),
            DType::I64, x.dtype);
        Number share = 1.0 / Number(b, loc, length);
        return choose(begin + Number(b, loc, own[1]) < end, share,
                      share.like(0));
      });
  SizeList along(x.rank() - dim + 1, 1);
  along.front() = count;
  along.back() = most;
  Built parts = combine(op.build, {elements, op.build.reshape(shares, along)},
                        x.dtype, x.dtype, bodyOf([](ArrayRef<Number> n) {
                          return choose(0.0 < n[1], n[0] * n[1], n[0].like(0));
                        }));
  return op.build.sum(parts, {x.rank()});
}

/// Means of as many windows as asked for, which cover the last dims.
static OpWriter adaptiveMean(int64_t dims) {
  return [=](OpCall &op) {
    DType dtype = op.floatType();
    Built x = op.build.convert(op.tensor("self"), computedAs(dtype));
    SizeList outputs = op.sizes("output_size");
    outputs.resize(dims, outputs.empty() ? SizePolynomial(1) : outputs[0]);
    if (!x)
      return;
    bool areCounts = llvm::all_of(outputs, [](const SizePolynomial &size) {
      int64_t count = size.asNumber().value_or(0);
      return count > 0 && count <= mostCounted;
    });
    if (!areCounts || x.rank() <= dims)
      return void(op.build.fail(makeError(
          "expected numbers of windows of {} dims, but got shape {} to {}",
          dims, toText(x.sizes), toText(outputs))));
    Built means = x;
    for (int64_t i = 0; i < dims && means; ++i)
      means =
          meansAlong(op, means, x.rank() - dims + i, *outputs[i].asNumber());
    op.give(op.build.convert(means, dtype));
  };
}

void mixattn::addPools(OpTable &table) {
  table["aten.max_pool1d"] = pool(1, false);
  table["aten.max_pool2d"] = table["aten.max_pool2d_with_indices"] =
      pool(2, false);
  table["aten.avg_pool1d"] = pool(1, true);
  table["aten.avg_pool2d"] = pool(2, true);
  table["aten.im2col"] = columns;
  table["aten.adaptive_avg_pool1d"] = adaptiveMean(1);
  table["aten.adaptive_avg_pool2d"] = table["aten._adaptive_avg_pool2d"] =
      adaptiveMean(2);
  for (bool isMean : {false, true})
    table[isMean ? "onnx.AveragePool" : "onnx.MaxPool"] =
        fromOnnx({"self"},
                 {{"kernel_size", "kernel_shape"},
                  {"stride", "strides", 1},
                  {"dilation", "dilations"},
                  {"count_include_pad", "count_include_pad", 0}},
                 pool(1, isMean));
}
