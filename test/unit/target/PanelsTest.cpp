// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of panels of weights, by the formula of `attn.panels`.
#include "lib/Target/Panels.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

/// All bytes, as floats or as the high halves of such.
static std::vector<double> numbersOf(const Panels &panels,
                                     const Tensor &weight) {
  SizedBytes packed = packPanels(panels, weight);
  std::string all;
  EXPECT_TRUE(packed.bytes([&](std::string_view piece) {
    all.append(piece);
    return true;
  }));
  EXPECT_EQ(packed.size, all.size());
  DType dtype = panels.arePairs ? DType::BF16 : DType::F32;
  int64_t count = int64_t(all.size() / bytesOf(dtype));
  Tensor made = std::move(*Tensor::fromBytes(dtype, {count}, all));
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(made.number(i));
  return numbers;
}

/// [3, 5] as it lies: terms are rows.
static Panels ofMatrix() {
  Panels panels;
  panels.width = 4;
  panels.sizes = {3, 5};
  panels.strides = {5, 1};
  panels.terms = {0};
  panels.lanes = {1};
  return panels;
}

static std::vector<double> countTo(int64_t count) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(double(i + 1));
  return numbers;
}

TEST(Panels, LanesThatAreNotThereAreZero) {
  Tensor weight = makeTensor(DType::F32, {3, 5}, countTo(15));
  EXPECT_EQ(numbersOf(ofMatrix(), weight),
            (std::vector<double>{1, 2, 3, 4, 6,  7, 8, 9, 11, 12, 13, 14, //
                                 5, 0, 0, 0, 10, 0, 0, 0, 15, 0,  0,  0}));
}

TEST(Panels, OfAViewThatIsColumnByColumn) {
  Tensor weight = makeTensor(DType::F16, {3, 2}, countTo(6));
  Panels panels = ofMatrix();
  panels.width = 2;
  panels.offset = 1;
  panels.sizes = {1, 3};
  panels.strides = {1, 2};
  EXPECT_EQ(numbersOf(panels, weight), (std::vector<double>{2, 4, 6, 0}));
}

TEST(Panels, PairsOfTermsAlternate) {
  Tensor weight = makeTensor(DType::BF16, {3, 5}, countTo(15));
  Panels panels = ofMatrix();
  panels.arePairs = true;
  panels.sizes = {3, 4};
  EXPECT_EQ(numbersOf(panels, weight),
            (std::vector<double>{1, 6, 2, 7, 3, 8, 4, 9, //
                                 11, 0, 12, 0, 13, 0, 14, 0}));
}

TEST(Panels, DimsAreNumberedLastFirst) {
  // [batch, lane, term, lane].
  Tensor weight = makeTensor(DType::F32, {2, 2, 1, 2}, countTo(8));
  Panels panels;
  panels.width = 3;
  panels.sizes = {2, 2, 1, 2};
  panels.strides = {4, 2, 2, 1};
  panels.batches = {0};
  panels.lanes = {1, 3};
  panels.terms = {2};
  EXPECT_EQ(numbersOf(panels, weight),
            (std::vector<double>{1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 0, 0}));
}

TEST(Panels, ViewsThatLeaveTheirWeightDoNotFit) {
  Tensor weight = makeTensor(DType::F32, {3, 5}, countTo(15));
  EXPECT_TRUE(fits(ofMatrix(), weight));
  auto changed = [](auto change) {
    Panels panels = ofMatrix();
    change(panels);
    return panels;
  };
  for (const Panels &panels :
       {changed([](Panels &p) { p.offset = 1; }),
        changed([](Panels &p) { p.offset = -1; }),
        changed([](Panels &p) { p.sizes[0] = 4; }),
        changed([](Panels &p) { p.sizes[1] = 0; }),
        changed([](Panels &p) { p.strides[0] = -5; }),
        changed([](Panels &p) { p.strides[0] = INT64_MAX; }),
        changed([](Panels &p) { p.width = 0; }),
        changed([](Panels &p) { p.lanes = {0}; }),
        changed([](Panels &p) { p.lanes = {2}; }),
        changed([](Panels &p) { p.terms = {}; }),
        changed([](Panels &p) { p.arePairs = true; })})
    EXPECT_FALSE(fits(panels, weight));
  EXPECT_FALSE(fits(ofMatrix(), makeTensor(DType::I32, {3, 5}, countTo(15))));
}
