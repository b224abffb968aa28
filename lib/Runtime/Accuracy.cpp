// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of results with expected values.
#include "lib/Runtime/Accuracy.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mixattn;

/// Whether element i of `count` lies in a row that is left out.
static bool isLeftOut(size_t i, size_t count,
                      const std::vector<bool> &leftOut) {
  return !leftOut.empty() && leftOut[i / (count / leftOut.size())];
}

double mixattn::largestMagnitude(const std::vector<double> &expected,
                                 const std::vector<bool> &leftOut) {
  double largest = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::isfinite(expected[i]) && !isLeftOut(i, expected.size(), leftOut))
      largest = std::max(largest, std::fabs(expected[i]));
  return largest;
}

double mixattn::relativeError(const Tensor &actual,
                              const std::vector<double> &expected, double scale,
                              const std::vector<bool> &leftOut) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (static_cast<int64_t>(expected.size()) != actual.elements())
    return infinity;
  double difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (isLeftOut(i, expected.size(), leftOut))
      continue;
    double got = actual.number(static_cast<int64_t>(i));
    if (got == expected[i] || (std::isnan(got) && std::isnan(expected[i])))
      continue;
    double gap = std::fabs(got - expected[i]);
    if (!std::isfinite(gap))
      return infinity;
    difference = std::max(difference, gap);
  }
  return difference == 0 ? 0 : difference / scale;
}

double mixattn::errorLimit(DType dtype, double growth, double scale) {
  if (!isFloat(dtype))
    return 0;
  double rounding = 0, underflow = 0x1p-133;
  if (dtype == DType::F16) {
    rounding = 0x1p-10;
    underflow = 0x1p-24;
  } else if (dtype == DType::BF16) {
    rounding = 0x1p-7;
    underflow = 0x1p-110;
  }
  return 0x1p-22 * (8 + growth) + rounding +
         (scale == 0 ? 0 : underflow / scale);
}
