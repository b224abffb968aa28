// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of windows, read where they are used.
#include "lib/Import/ops/Windows.h"
#include "lib/Import/SizeText.h"
#include "lib/Import/ops/Parts.h"
#include "lib/Import/ops/Placed.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

SmallVector<int64_t> mixattn::perDim(OpCall &op, const char *name, int64_t dims,
                                     int64_t least, int64_t otherwise) {
  SmallVector<int64_t> result;
  for (const SizePolynomial &size : op.sizes(name)) {
    result.push_back(size.asNumber().value_or(-1));
    if (result.back() < least || result.back() > mostCounted)
      op.build.fail(makeError("expected argument '{}' to be numbers from {} to "
                              "{}, but got {}",
                              name, least, mostCounted, size.toText()));
  }
  if (result.size() < 2)
    result.assign(dims, result.empty() ? otherwise : result[0]);
  return result;
}

Windows mixattn::readWindows(OpCall &op, const Built &x, ArrayRef<int64_t> size,
                             ArrayRef<int64_t> stride) {
  Windows made;
  int64_t dims = int64_t(size.size());
  made.size.assign(size.begin(), size.end());
  made.stride = perDim(op, "stride", dims, 1, 1);
  if (!op.has("stride") || op.sizes("stride").empty())
    made.stride.assign(stride.begin(), stride.end());
  made.dilation = perDim(op, "dilation", dims, 1, 1);
  auto hasAll = [&](ArrayRef<int64_t> numbers) {
    if (int64_t(numbers.size()) != dims)
      op.build.fail(makeError("expected {} numbers for as many dims, but got "
                              "{}",
                              dims, numbers.size()));
    return int64_t(numbers.size()) == dims;
  };
  bool areSo = llvm::all_of(size, [](int64_t s) { return s <= mostCounted; });
  if (!areSo)
    op.build.fail(makeError("expected windows of at most {} places, but got "
                            "more",
                            mostCounted));
  if (!hasAll(made.stride) || !hasAll(made.dilation) || !areSo)
    return made;
  std::string filling = op.text("auto_pad", "NOTSET");
  bool isSame = filling == "SAME_UPPER" || filling == "SAME_LOWER",
       isNone = filling == "VALID";
  if (!isSame && !isNone && filling != "NOTSET")
    op.build.fail(makeError("expected auto_pad to be NOTSET, VALID, SAME_UPPER "
                            "or SAME_LOWER, but got '{}'",
                            filling));
  if (isSame) {
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
    if (int64_t(both.size()) != 2 * dims) {
      op.build.fail(makeError("expected {} numbers for as many ends of dims, "
                              "but got {}",
                              2 * dims, both.size()));
      return made;
    }
    SizeList given(both.begin(), both.end());
    if (isNone && llvm::any_of(both, [](int64_t each) { return each; }))
      op.build.fail(
          makeError("expected no 'pads' next to auto_pad 'VALID', but "
                    "got {}",
                    toText(given)));
    made.before.assign(both.begin(), both.begin() + dims);
    made.after.assign(both.begin() + dims, both.end());
  } else if (op.overload() == "padding") {
    bool fills = op.text("padding", "valid") == "same";
    for (int64_t i = 0; i < dims; ++i) {
      int64_t both = fills ? made.dilation[i] * (size[i] - 1) : 0;
      made.before.push_back(both / 2);
      made.after.push_back(both - both / 2);
    }
  } else {
    made.before = made.after = perDim(op, "padding", dims, 0, 0);
  }
  hasAll(made.before);
  return made;
}

/// How many windows lie along a dim; unknown where that is no polynomial.
static SizePolynomial countOf(const SizePolynomial &size, int64_t window,
                              int64_t stride, int64_t dilation) {
  SizePolynomial span = size - (dilation * (window - 1) + 1);
  if (std::optional<int64_t> number = span.asNumber())
    return *number < 0 ? SizePolynomial::unknown()
                       : SizePolynomial(*number / stride + 1);
  return floorQuotient(span, stride) + 1;
}

Built mixattn::windowsOf(OpCall &op, const Built &tensor,
                         const Windows &windows, double number) {
  if (!tensor || op.build.failure())
    return {};
  int64_t dims = windows.dims(), front = tensor.rank() - dims;
  Built x = tensor;
  for (int64_t i = 0; i < dims; ++i)
    x = withBorder(op.build, x, front + i, windows.before[i], windows.after[i],
                   number);
  if (!x)
    return {};
  SizeList sizes(x.sizes.begin(), x.sizes.begin() + front), inner;
  for (int64_t i = 0; i < dims; ++i) {
    SizePolynomial count = countOf(x.sizes[front + i], windows.size[i],
                                   windows.stride[i], windows.dilation[i]);
    if (!count.isKnown())
      return op.build.failQuotient(
          makeError("expected windows of {} at every {} places whose number is "
                    "a polynomial of dims, but got shape {}",
                    windows.size[i], windows.stride[i], toText(tensor.sizes)),
          x.sizes[front + i], windows.stride[i]);
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
