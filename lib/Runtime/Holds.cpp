// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of priors, coordinates and windows before they are used.
#include "lib/Runtime/Holds.h"
#include "lib/Runtime/Binding.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace mixattn;

static std::string toText(double value) {
  char text[32];
  snprintf(text, sizeof(text), "%g", value);
  return text;
}

/// Each head has a value above `bound`. A tensor without elements has no key,
/// and nothing to weigh.
static Status checkHeads(const Tensor &tensor, double bound) {
  int64_t heads = tensor.shape().front();
  for (int64_t h = 0; h < heads && tensor.elements() != 0; ++h) {
    int64_t size = tensor.elements() / heads;
    bool isAbove = false;
    for (int64_t n = h * size; n < (h + 1) * size; ++n)
      isAbove |= tensor.number(n) > bound;
    if (!isAbove)
      return makeError("expected a value above {} for head {}, but got none",
                       toText(bound), h);
  }
  return Success();
}

static Status checkPrior(const Tensor &tensor) {
  for (int64_t n = 0; n < tensor.elements(); ++n)
    if (double value = tensor.number(n); !(value >= 0))
      return makeError(
          "expected values of at least 0, but got {} at element {}",
          toText(value), n);
  return checkHeads(tensor, 0);
}

/// Row `row` of a tensor of integers of rank 2.
static Shape rowOf(const Tensor &tensor, int64_t row) {
  Shape values;
  int64_t columns = tensor.shape()[1];
  for (int64_t n = row * columns; n < (row + 1) * columns; ++n)
    values.push_back(tensor.integer(n));
  return values;
}

static Status checkCoordinates(const Tensor &tensor,
                               const std::vector<int64_t> &extents) {
  Shape before;
  for (int64_t row = 0; row < tensor.shape()[0]; ++row) {
    Shape values = rowOf(tensor, row);
    for (size_t c = 0; c < values.size(); ++c)
      if (values[c] < 0 || values[c] >= extents[c])
        return makeError("expected values from 0 to {}, but got {} at element "
                         "{}",
                         extents[c] - 1, values[c],
                         row * static_cast<int64_t>(values.size()) +
                             static_cast<int64_t>(c));
    if (row > 0 && !(before < values))
      return makeError("expected row {} above row {}, but got {} and {}", row,
                       row - 1, toString(values), toString(before));
    before = values;
  }
  return Success();
}

static Status checkWindows(const Tensor &tensor, int64_t extent) {
  // A window's first row, the first row after it, and its place.
  struct Window {
    int64_t first, end, row;
  };
  std::vector<Window> windows;
  for (int64_t row = 0; row < tensor.shape()[0]; ++row) {
    Shape values = rowOf(tensor, row);
    int64_t column = values[0], first = values[1], length = values[2];
    if (column < 0 || column >= extent)
      return makeError("expected values from 0 to {}, but got {} at element {}",
                       extent - 1, column, 3 * row);
    if (length < 1)
      return makeError("expected windows of at least 1 row, but got {} in row "
                       "{}",
                       length, row);
    if (first < 0 || first >= extent || length > extent - first)
      return makeError("expected windows within rows 0 to {}, but got {} rows "
                       "from {} in row {}",
                       extent - 1, length, first, row);
    windows.push_back({first, first + length, row});
  }
  std::sort(windows.begin(), windows.end(),
            [](const Window &a, const Window &b) { return a.first < b.first; });
  for (size_t n = 1; n < windows.size(); ++n)
    if (windows[n].first < windows[n - 1].end)
      return makeError(
          "expected disjoint windows, but got row {} in rows {} and {}",
          windows[n].first, std::min(windows[n - 1].row, windows[n].row),
          std::max(windows[n - 1].row, windows[n].row));
  return Success();
}

static Status check(const Holds &holds, const Tensor &tensor,
                    const std::vector<int64_t> &extents) {
  switch (holds.kind) {
  case Holds::Kind::Prior:
    return checkPrior(tensor);
  case Holds::Kind::LogPrior:
    return checkHeads(tensor, -INFINITY);
  case Holds::Kind::Coordinates:
    return checkCoordinates(tensor, extents);
  case Holds::Kind::Windows:
    return checkWindows(tensor, extents.front());
  case Holds::Kind::NonEmpty:
    if (tensor.elements() == 0)
      return makeError("expected elements, but got none");
  }
  return Success();
}

Status mixattn::checkHolds(const Parameter &argument, const Tensor &tensor,
                           const DimSizes &sizes) {
  if (!argument.holds)
    return Success();
  std::vector<int64_t> extents;
  for (const Dim &extent : argument.holds->extents)
    extents.push_back(extent.in(sizes));
  if (Status status = check(*argument.holds, tensor, extents); !status)
    return inArgument(argument, status.error());
  return Success();
}
