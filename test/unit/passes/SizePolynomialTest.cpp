// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of manifests that polynomials become.

#include "passes/entry/SizePolynomial.h"

#include "gtest/gtest.h"

#include <limits>

using namespace mixattn;
using llvm::json::Array;
using llvm::json::Value;

TEST(SizePolynomial, LeastIntegerAsSize) {
  SizePolynomial least =
      SizePolynomial::named("N") * std::numeric_limits<int64_t>::min();
  Value expected =
      Array{"subtract", 0, Array{"multiply", int64_t(1) << 62, 2, "N"}};
  EXPECT_TRUE(least.toSize() == expected);
  expected = Array{"subtract", 0,
                   Array{"multiply", std::numeric_limits<int64_t>::max(), "N"}};
  EXPECT_TRUE((least + SizePolynomial::named("N")).toSize() == expected);
}
