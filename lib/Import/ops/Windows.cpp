// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions as products of windows, and the largest and the mean of each.
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Placed.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// How windows lie on the last dims of a tensor.
struct Windows {
  /// Of each of these dims.
  SmallVector<int64_t> size, stride, dilation, before, after;
  int64_t dims() const { return int64_t(size.size()); }
  /// Whether they lie next to each other and cover all.
  bool areTiles() const {
    return stride == size &&
           llvm::all_of(dilation, [](int64_t d) { return d == 1; });
  }
};

} // namespace

/// The numbers given for an argument, one for each dim; one for all if it is
/// one, and `otherwise` for none.
static SmallVector<int64_t> perDim(OpCall &op, const char *name, int64_t dims,
                                   int64_t least, int64_t otherwise) {
  SmallVector<int64_t> result;
  constexpr int64_t most = 1 << 20;
  for (const SizePolynomial &size : op.sizes(name)) {
    result.push_back(size.asNumber().value_or(-1));
    if (result.back() < least || result.back() > most)
      op.build.fail(makeError("expected argument '{}' to be numbers from {} to "
                              "{}, but got {}",
                              name, least, most, size.toText()));
  }
  if (result.size() < 2)
    result.assign(dims, result.empty() ? otherwise : result[0]);
  return result;
}

/// Reads how windows of `size` lie on the last dims of x. ONNX gives borders
/// for both ends.
static Windows readWindows(OpCall &op, const Built &x, ArrayRef<int64_t> size,
                           ArrayRef<int64_t> stride) {
  Windows made;
  int64_t dims = int64_t(size.size());
  made.size.assign(size.begin(), size.end());
  made.stride = perDim(op, "stride", dims, 1, 1);
  if (!op.has("stride") || op.sizes("stride").empty())
    made.stride.assign(stride.begin(), stride.end());
  made.dilation = perDim(op, "dilation", dims, 1, 1);
  std::string filling = op.text("auto_pad", "NOTSET");
  if (filling.find("SAME") == 0) {
    // As many windows as strides begin in the dim.
    for (int64_t i = 0; i < dims && !op.build.failure(); ++i) {
      const SizePolynomial &whole = x.sizes[x.rank() - dims + i];
      int64_t span = made.dilation[i] * (size[i] - 1) + 1, by = made.stride[i];
      std::optional<int64_t> number = whole.asNumber();
      if (!number && by != 1)
        op.build.fail(makeError("expected borders that do not depend on sizes, "
                                "but got auto_pad '{}' of shape {}",
                                filling, toText(x.sizes)));
      int64_t last =
          number ? (*number - 1) / by * by + span - *number : span - 1;
      int64_t both = std::max<int64_t>(last, 0), less = both / 2;
      bool isUpper = filling == "SAME_UPPER";
      made.before.push_back(isUpper ? less : both - less);
      made.after.push_back(isUpper ? both - less : less);
    }
  } else if (op.has("pads")) {
    SmallVector<int64_t> both = perDim(op, "pads", 2 * dims, 0, 0);
    both.resize(2 * dims, 0);
    made.before.assign(both.begin(), both.begin() + dims);
    made.after.assign(both.begin() + dims, both.end());
  } else if (op.overload() == "padding") {
    bool isSame = op.text("padding", "valid") == "same";
    for (int64_t i = 0; i < dims; ++i) {
      int64_t both = isSame ? made.dilation[i] * (size[i] - 1) : 0;
      made.before.push_back(both / 2);
      made.after.push_back(both - both / 2);
    }
  } else {
    made.before = made.after = perDim(op, "padding", dims, 0, 0);
  }
  for (ArrayRef<int64_t> each :
       {ArrayRef(made.stride), ArrayRef(made.dilation), ArrayRef(made.before)})
    if (int64_t(each.size()) != dims)
      op.build.fail(makeError("expected {} numbers for as many dims, but got "
                              "{}",
                              dims, each.size()));
  return made;
}

/// `x` with a border of `number`.
static Built bordered(OpCall &op, Built x, const Windows &windows,
                      double number) {
  for (int64_t i = 0; i < windows.dims() && x; ++i) {
    int64_t dim = x.rank() - windows.dims() + i;
    auto filled = [&](int64_t count) {
      SizeList sizes = x.sizes;
      sizes[dim] = count;
      return op.build.filled(x.dtype, sizes, number);
    };
    SmallVector<Built> parts = {x};
    if (windows.before[i])
      parts.insert(parts.begin(), filled(windows.before[i]));
    if (windows.after[i])
      parts.push_back(filled(windows.after[i]));
    if (parts.size() > 1)
      x = op.build.concatenate(parts, dim);
  }
  return x;
}

/// How many windows lie along a dim; unknown where that is no polynomial.
static SizePolynomial countOf(const SizePolynomial &size, int64_t window,
                              int64_t stride, int64_t dilation) {
  SizePolynomial span = size - (dilation * (window - 1) + 1);
  if (std::optional<int64_t> number = span.asNumber())
    return *number < 0 ? SizePolynomial::unknown()
                       : SizePolynomial(*number / stride + 1);
  // Tiles of an open dim, and every place of it.
  if (window == stride && dilation == 1)
    return size.dividedBy(stride);
  return span.dividedBy(stride) + 1;
}

/// The windows of a tensor [A, ..., H, W], bordered with `number`: [A, ...,
/// windows of H, windows of W, I, J].
static Built windowsOf(OpCall &op, const Built &tensor, const Windows &windows,
                       double number) {
  if (!tensor || op.build.failure())
    return {};
  int64_t dims = windows.dims(), front = tensor.rank() - dims;
  Built x = bordered(op, tensor, windows, number);
  if (!x)
    return {};
  SizeList sizes(x.sizes.begin(), x.sizes.begin() + front), inner;
  for (int64_t i = 0; i < dims; ++i) {
    SizePolynomial count = countOf(x.sizes[front + i], windows.size[i],
                                   windows.stride[i], windows.dilation[i]);
    if (!count.isKnown())
      return op.build.fail(makeError(
          "expected windows of {} at every {} places whose number is a "
          "polynomial of dims, but got shape {}",
          windows.size[i], windows.stride[i], toText(tensor.sizes)));
    op.build.requireSize(count);
    sizes.push_back(count);
    inner.push_back(windows.size[i]);
  }
  sizes.insert(sizes.end(), inner.begin(), inner.end());
  return readAt(op.build, x, sizes,
                [=](OpBuilder &b, Location loc, ValueRange own) {
                  SmallVector<Value> places(own.take_front(front));
                  auto times = [&](Value place, int64_t by) -> Value {
                    Value step = arith::ConstantIndexOp::create(b, loc, by);
                    return arith::MulIOp::create(b, loc, place, step);
                  };
                  for (int64_t i = 0; i < dims; ++i)
                    places.push_back(arith::AddIOp::create(
                        b, loc, times(own[front + i], windows.stride[i]),
                        times(own[front + dims + i], windows.dilation[i])));
                  return places;
                });
}

/// x [B, C, H, W] as patches [B, C, H / I, I, W / J, J]: no element twice.
static Built tilesOf(OpCall &op, const Built &x, const Windows &windows) {
  SizeList sizes(x.sizes.begin(), x.sizes.end() - windows.dims());
  for (int64_t i = 0; i < windows.dims(); ++i) {
    sizes.push_back(
        x.sizes[x.rank() - windows.dims() + i].dividedBy(windows.size[i]));
    sizes.push_back(windows.size[i]);
    if (!sizes[sizes.size() - 2].isKnown())
      return {};
  }
  return op.build.reshape(x, sizes);
}

/// x [B, G C, H, W] by weight [G O, C, I, J]: for each group g the sums over c,
/// i, j of x[b, g C + c, h sH + i dH, w sW + j dW] weight[g O + o, c, i, j],
/// plus bias [G O]; likewise of one dim and of three.
static void convolve(OpCall &op) {
  Built x = op.tensor("input"), weight = op.tensor("weight");
  Built bias = op.has("bias") ? op.tensor("bias") : Built();
  int64_t groups = op.integer("groups", 1);
  bool isOdd = op.flag("transposed", false);
  for (const SizePolynomial &each : op.sizes("output_padding"))
    isOdd |= !each.isZero();
  op.sizes("kernel_shape");
  if (!x || !weight)
    return;
  int64_t dims = weight.rank() - 2;
  std::optional<int64_t> outputs =
      weight.rank() ? weight.sizes[0].asNumber() : std::nullopt;
  SmallVector<int64_t> size;
  for (int64_t dim = 2; dim < weight.rank(); ++dim)
    size.push_back(weight.sizes[dim].asNumber().value_or(0));
  if (isOdd || dims < 1 || dims > 3 || x.rank() != weight.rank() || !outputs ||
      llvm::is_contained(size, 0) || groups < 1 || *outputs % groups ||
      !(x.sizes[1] == weight.sizes[1] * groups))
    return void(op.build.fail(makeError(
        "expected a convolution of [B, C, ...] by weights [O, C / {}, ...] of "
        "known sizes, not transposed, but got shapes {} and {}",
        groups, toText(x.sizes), toText(weight.sizes))));
  Windows windows = readWindows(op, x, size, SmallVector<int64_t>(dims, 1));
  if (op.build.failure())
    return;
  bool hasBorder = llvm::any_of(windows.before, [](int64_t n) { return n; }) ||
                   llvm::any_of(windows.after, [](int64_t n) { return n; });
  // Letters of the places, and of those in a window.
  std::string places = std::string("hwd").substr(0, dims),
              inner = std::string("ijk").substr(0, dims), letters;
  Built patches;
  if (windows.areTiles() && !hasBorder) {
    patches = tilesOf(op, x, windows);
    for (int64_t i = 0; i < dims; ++i)
      letters += {places[i], inner[i]};
  }
  if (!patches) {
    patches = windowsOf(op, x, windows, 0);
    letters = places + inner;
  }
  if (!patches)
    return;
  Built sums;
  if (groups == 1) {
    sums = op.build.contract(patches, "bc" + letters, weight, "oc" + inner,
                             "bo" + places);
  } else {
    SizeList split = patches.sizes, own = weight.sizes;
    split[1] = weight.sizes[1];
    split.insert(split.begin() + 1, groups);
    own[0] = *outputs / groups;
    own.insert(own.begin(), groups);
    sums = op.build.contract(op.build.reshape(patches, split), "bgc" + letters,
                             op.build.reshape(weight, own), "goc" + inner,
                             "bgo" + places);
    if (!sums)
      return;
    SizeList joined(sums.sizes.begin() + 1, sums.sizes.end());
    joined[0] = sums.sizes[0];
    joined[1] = *outputs;
    sums = op.build.reshape(sums, joined);
  }
  if (!bias || !sums)
    return op.give(sums);
  SizeList column(dims + 1, 1);
  column[0] = *outputs;
  op.give(combine(op.build, {sums, op.build.reshape(bias, column)}, sums.dtype,
                  sums.dtype,
                  bodyOf([](ArrayRef<Number> n) { return n[0] + n[1]; })));
}

static Built divided(OpCall &op, const Built &tensor, double count) {
  return combine(op.build, tensor, tensor.dtype, tensor.dtype,
                 bodyOf([=](ArrayRef<Number> n) { return n[0] / count; }));
}

/// The largest of each window, or the mean, of which borders are part as zeros
/// or not at all.
static OpWriter pool(int64_t dims, bool isMean) {
  return [=](OpCall &op) {
    Built x = op.build.convert(op.tensor("self"), op.floatType());
    SmallVector<int64_t> size = perDim(op, "kernel_size", dims, 1, 0);
    int64_t many = int64_t(size.size());
    if (op.flag("ceil_mode", false))
      op.build.fail(makeError("expected windows that lie within the tensor, "
                              "but got ceil_mode"));
    bool countsBorder = op.flag("count_include_pad", true);
    op.integer("storage_order", 0);
    if (!x || op.build.failure())
      return;
    if (x.rank() <= many || llvm::is_contained(size, 0))
      return void(op.build.fail(makeError("expected a tensor of over {} dims, "
                                          "but got shape {}",
                                          many, toText(x.sizes))));
    Windows windows = readWindows(op, x, size, size);
    double count = 1;
    for (int64_t each : size)
      count *= each;
    if (isMean)
      count = op.number("divisor_override", count);
    double border = isMean ? 0 : -std::numeric_limits<double>::infinity();
    Built all = windowsOf(op, x, windows, border);
    if (!all)
      return;
    auto inner = llvm::to_vector(
        llvm::seq<int64_t>(all.rank() - windows.dims(), all.rank()));
    if (!isMean)
      return op.give(op.build.extreme(all, inner, true));
    Built sum = op.build.sum(all, inner);
    if (countsBorder)
      return op.give(divided(op, sum, count));
    Built ones =
        windowsOf(op, op.build.filled(x.dtype, x.sizes, 1), windows, 0);
    if (!ones)
      return;
    op.give(combine(op.build, {sum, op.build.sum(ones, inner)}, x.dtype,
                    x.dtype,
                    bodyOf([](ArrayRef<Number> n) { return n[0] / n[1]; })));
  };
}

/// Means of as many windows as asked for, which cover the last dims.
static OpWriter adaptiveMean(int64_t dims) {
  return [=](OpCall &op) {
    Built x = op.build.convert(op.tensor("self"), op.floatType());
    SizeList outputs = op.sizes("output_size");
    outputs.resize(dims, outputs.empty() ? SizePolynomial(1) : outputs[0]);
    if (!x)
      return;
    Built means = x;
    for (int64_t i = 0; i < dims && x.rank() > dims && means; ++i) {
      int64_t dim = x.rank() - dims + i;
      std::optional<int64_t> count = outputs[i].asNumber();
      SizePolynomial each = means.sizes[dim].dividedBy(count.value_or(0));
      if (!count || *count < 1 || !each.isKnown()) {
        means = {};
        break;
      }
      SizeList split = means.sizes;
      split[dim] = *count;
      split.insert(split.begin() + dim + 1, each);
      Built sum = op.build.sum(op.build.reshape(means, split), {dim + 1});
      if (!sum)
        return;
      means = combine(op.build, {sum, op.build.number(each)}, x.dtype, x.dtype,
                      bodyOf([](ArrayRef<Number> n) { return n[0] / n[1]; }));
    }
    if (!means || x.rank() <= dims)
      return void(op.build.fail(makeError(
          "expected dims that as many windows divide, but got shape {} to {}",
          toText(x.sizes), toText(outputs))));
    op.give(means);
  };
}

void mixattn::addWindows(OpTable &table) {
  for (const char *name :
       {"aten.conv1d", "aten.conv2d", "aten.conv3d", "aten.convolution"})
    table[name] = convolve;
  table["onnx.Conv"] = fromOnnx(
      {"input", "weight", "bias"},
      {{"stride", "strides"}, {"dilation", "dilations"}, {"groups", "group"}},
      convolve);
  table["aten.max_pool1d"] = pool(1, false);
  table["aten.max_pool2d"] = table["aten.max_pool2d_with_indices"] =
      pool(2, false);
  table["aten.avg_pool1d"] = pool(1, true);
  table["aten.avg_pool2d"] = pool(2, true);
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
