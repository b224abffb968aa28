// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fixture that the tests of the oracle share.
#ifndef MIXATTN_TEST_UNIT_REFERENCEFIXTURE_H
#define MIXATTN_TEST_UNIT_REFERENCEFIXTURE_H

#include "lib/Reference/Reference.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace mixattn {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// An entry with one op over a few numbers.
class OracleTest : public testing::Test {
protected:
  OracleTest() { entry.name = "tiny"; }

  void set(const std::string &name, Shape shape, std::vector<double> values,
           DType dtype = DType::F64) {
    Result<Tensor> tensor = Tensor::allocate(dtype, std::move(shape));
    ASSERT_TRUE(tensor);
    ASSERT_EQ(tensor->elements(), static_cast<int64_t>(values.size()));
    for (size_t n = 0; n < values.size(); ++n)
      tensor->setNumber(static_cast<int64_t>(n), values[n]);
    tensors[name] = std::move(*tensor);
  }

  Result<ReferenceReport> run() {
    std::map<std::string, const Tensor *> arguments;
    for (const auto &[name, tensor] : tensors)
      arguments[name] = &tensor;
    return runReference(entry, arguments);
  }

  void expect(const std::vector<double> &expected,
              const std::string &name = "o") {
    Result<ReferenceReport> report = run();
    ASSERT_TRUE(report) << report.message();
    const std::vector<double> &actual = report->results.at(name);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t n = 0; n < actual.size(); ++n)
      EXPECT_TRUE(std::isnan(expected[n])
                      ? std::isnan(actual[n])
                      : actual[n] == expected[n] ||
                            std::fabs(actual[n] - expected[n]) <
                                1e-15 * std::fmax(1, std::fabs(expected[n])))
          << "element " << n << " is " << actual[n];
  }

  std::string errorOf() {
    Result<ReferenceReport> report = run();
    EXPECT_FALSE(report);
    return report ? "" : report.message();
  }

  /// The report on the quotient `o`.
  QuotientRows quotient() {
    Result<ReferenceReport> report = run();
    EXPECT_TRUE(report && report->quotients.count("o"));
    return report ? report->quotients["o"] : QuotientRows();
  }

  Entry entry;
  std::map<std::string, Tensor> tensors;
};

} // namespace mixattn

#endif // MIXATTN_TEST_UNIT_REFERENCEFIXTURE_H
