// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of results with expected values.
#include "lib/Runtime/Accuracy.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mixattn;

double mixattn::relativeError(const Tensor &actual,
                              const std::vector<double> &expected,
                              const std::vector<bool> &leftOut) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (static_cast<int64_t>(expected.size()) != actual.elements())
    return infinity;
  double largest = 0, difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!leftOut.empty() && leftOut[i / (expected.size() / leftOut.size())])
      continue;
    double got = actual.number(static_cast<int64_t>(i));
    if (std::isfinite(expected[i]))
      largest = std::max(largest, std::fabs(expected[i]));
    if (got == expected[i] || (std::isnan(got) && std::isnan(expected[i])))
      continue;
    double gap = std::fabs(got - expected[i]);
    if (!std::isfinite(gap))
      return infinity;
    difference = std::max(difference, gap);
  }
  return difference == 0 ? 0 : difference / largest;
}

double mixattn::errorLimit(DType dtype, double growth) {
  if (!isFloat(dtype))
    return 0;
  double limit = std::ldexp(8 + growth, -22);
  if (dtype == DType::F16)
    limit += std::ldexp(1, -10);
  if (dtype == DType::BF16)
    limit += std::ldexp(1, -7);
  return limit;
}
