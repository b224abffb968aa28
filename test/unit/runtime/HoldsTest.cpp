// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of what must hold of values: given ones and drawn ones.
#include "lib/Runtime/Holds.h"
#include "lib/Runtime/Random.h"
#include "test/unit/runtime/Utilities.h"
#include <cmath>

using namespace mixattn;

static const DimSizes sizes{{"E", 5}, {"N", 7}, {"S", 3}};

static Parameter makeParameter(std::string name, DType dtype,
                               std::vector<Dim> shape, Holds::Kind kind,
                               std::vector<Dim> extents = {}) {
  return {std::move(name), dtype, std::move(shape), {}, Holds{kind, extents}};
}

static const Parameter prior =
    makeParameter("prior", DType::F32, {{"", 2}, {"", 2}}, Holds::Kind::Prior);
static const Parameter logPrior =
    makeParameter("log_prior", DType::F32, {{"", 2}, {"", 2}, {"S", 0}},
                  Holds::Kind::LogPrior);
static const Parameter at =
    makeParameter("at", DType::I64, {{"E", 0}, {"", 3}},
                  Holds::Kind::Coordinates, {{"", 8}, {"N", 0}, {"N", 0}});
static const Parameter windows =
    makeParameter("windows", DType::I64, {{"E", 0}, {"", 3}},
                  Holds::Kind::Windows, {{"N", 0}});

/// The complaint about these values.
static std::string complaint(const Parameter &argument,
                             const std::vector<double> &values,
                             Shape shape = {}) {
  int64_t count = static_cast<int64_t>(values.size());
  if (shape.empty())
    shape = isFloat(argument.dtype) ? Shape{2, count / 2} : Shape{count / 3, 3};
  Tensor tensor = makeTensor(argument.dtype, shape, values);
  return messageOf(checkHolds(argument, tensor, sizes));
}

TEST(Holds, Priors) {
  EXPECT_EQ(complaint(prior, {0, 1, 2, 0}), "no error");
  EXPECT_EQ(complaint(prior, {0, 1, 2, -0.5}),
            "argument 'prior': expected values of at least 0, but got -0.5 at "
            "element 3");
  EXPECT_EQ(complaint(prior, {0, NAN, 2, 1}),
            "argument 'prior': expected values of at least 0, but got nan at "
            "element 1");
  EXPECT_EQ(complaint(prior, {0, 1, 0, 0}),
            "argument 'prior': expected a value above 0 for head 1, but got "
            "none");
  EXPECT_EQ(complaint(prior, {}, {2, 2, 0}), "no error");
}

TEST(Holds, LogPriors) {
  EXPECT_EQ(complaint(logPrior, {-INFINITY, -9, 0, -INFINITY}), "no error");
  EXPECT_EQ(complaint(logPrior, {-INFINITY, -INFINITY, 0, 0}),
            "argument 'log_prior': expected a value above -inf for head 0, but "
            "got none");
}

TEST(Holds, Coordinates) {
  EXPECT_EQ(complaint(at, {0, 1, 2, 0, 2, 0, 7, 6, 6}), "no error");
  EXPECT_EQ(complaint(at, {}, {0, 3}), "no error");
  EXPECT_EQ(complaint(at, {0, 1, 2, 0, 7, 0}),
            "argument 'at': expected values from 0 to 6, but got 7 at element "
            "4");
  EXPECT_EQ(complaint(at, {-1, 1, 2}),
            "argument 'at': expected values from 0 to 7, but got -1 at element "
            "0");
  EXPECT_EQ(complaint(at, {0, 1, 2, 0, 1, 2}),
            "argument 'at': expected row 1 above row 0, but got [0, 1, 2] and "
            "[0, 1, 2]");
  EXPECT_EQ(complaint(at, {0, 1, 2, 0, 0, 3}),
            "argument 'at': expected row 1 above row 0, but got [0, 0, 3] and "
            "[0, 1, 2]");
}

TEST(Holds, Windows) {
  EXPECT_EQ(complaint(windows, {6, 4, 3, 0, 0, 2, 1, 2, 2}), "no error");
  EXPECT_EQ(complaint(windows, {7, 4, 3}),
            "argument 'windows': expected values from 0 to 6, but got 7 at "
            "element 0");
  EXPECT_EQ(complaint(windows, {0, 4, 3, 0, 1, 0}),
            "argument 'windows': expected windows of at least 1 row, but got 0 "
            "in row 1");
  EXPECT_EQ(complaint(windows, {0, 5, 3}),
            "argument 'windows': expected windows within rows 0 to 6, but got "
            "3 rows from 5 in row 0");
  EXPECT_EQ(complaint(windows, {0, -1, 3}),
            "argument 'windows': expected windows within rows 0 to 6, but got "
            "3 rows from -1 in row 0");
  EXPECT_EQ(complaint(windows, {0, 4, 3, 0, 0, 2, 0, 1, 2}),
            "argument 'windows': expected disjoint windows, but got row 1 in "
            "rows 1 and 2");
  Tensor huge = makeTensor(DType::I64, {1, 3}, {0, 1, 0x1p62});
  huge.setInteger(2, INT64_MAX);
  EXPECT_FALSE(checkHolds(windows, huge, sizes));
}

TEST(Holds, Elements) {
  Parameter gamma =
      makeParameter("gamma", DType::F32, {{"N", 0}}, Holds::Kind::NonEmpty);
  EXPECT_EQ(complaint(gamma, {}, {0}),
            "argument 'gamma': expected elements, but got none");
  EXPECT_EQ(complaint(gamma, {1}, {1}), "no error");
}

TEST(Holds, DrawnValues) {
  for (const Parameter *argument : {&prior, &logPrior, &at, &windows})
    for (uint64_t seed = 0; seed < 50; ++seed) {
      Result<Tensor> tensor = drawTensor(*argument, sizes, seed);
      ASSERT_TRUE(tensor) << tensor.message();
      EXPECT_EQ(messageOf(checkHolds(*argument, *tensor, sizes)), "no error");
    }
}

TEST(Holds, DrawnRowsFillWhatThereIs) {
  Parameter all = makeParameter("at", DType::I64, {{"E", 0}, {"", 2}},
                                Holds::Kind::Coordinates, {{"", 2}, {"", 3}});
  Result<Tensor> tensor = drawTensor(all, {{"E", 6}}, 1);
  ASSERT_TRUE(tensor);
  for (int64_t n = 0; n < 6; ++n) {
    EXPECT_EQ(tensor->integer(2 * n), n / 3);
    EXPECT_EQ(tensor->integer(2 * n + 1), n % 3);
  }
  EXPECT_EQ(messageOf(drawTensor(all, {{"E", 7}}, 1)),
            "argument 'at': expected at most 6 rows, but got 7");
  EXPECT_EQ(messageOf(drawTensor(windows, {{"E", 8}, {"N", 7}}, 1)),
            "argument 'windows': expected at most 7 rows, but got 8");
  EXPECT_TRUE(drawTensor(windows, {{"E", 0}, {"N", 0}}, 1));
}
