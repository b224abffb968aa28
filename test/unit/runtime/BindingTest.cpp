// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of arguments against tensors.
#include "lib/Runtime/Binding.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

static const Parameter q{"q", DType::F32, {{"B", 0}, {"", 8}, {"N", 0}}, {}};
static const Parameter k{"k", DType::F32, {{"B", 0}, {"", 2}, {"S", 0}}, {}};
static const Parameter lengths{
    "lengths", DType::I64, {{"B", 0}}, Range{{"", 0}, {"S", 0}}};

static Entry makeEntry() {
  Entry entry;
  entry.name = "attend";
  entry.arguments = {q, k, lengths};
  return entry;
}

static Tensor empty(Shape shape, DType dtype = DType::F32) {
  return makeTensor(dtype, std::move(shape), {});
}

TEST(Binding, SolvesDimsByName) {
  Entry entry = makeEntry();
  DimTable dims(entry);
  ASSERT_TRUE(dims.bind(q, empty({2, 8, 5})));
  EXPECT_EQ(messageOf(dims.requireDims(k)),
            "dim 'S': expected --dim=S=SIZE or a given argument that has it, "
            "but got neither");
  EXPECT_EQ(messageOf(dims.requireDims(lengths)),
            messageOf(dims.requireDims(k)));
  ASSERT_TRUE(dims.bind(k, empty({2, 2, 7})));
  EXPECT_EQ(dims.sizes(), (DimSizes{{"B", 2}, {"N", 5}, {"S", 7}}));
  EXPECT_EQ(shapeOf(k, dims.sizes()), (Shape{2, 2, 7}));
}

TEST(Binding, SaysWhichTwoDisagree) {
  Entry entry = makeEntry();
  DimTable dims(entry);
  ASSERT_TRUE(dims.choose("N", 6));
  ASSERT_TRUE(dims.bind(k, empty({2, 2, 7})));
  EXPECT_EQ(messageOf(dims.bind(q, empty({3, 8, 5}))),
            "argument 'q': expected dim 'B' to be 2 as in argument 'k', but "
            "got 3");
  EXPECT_EQ(messageOf(dims.bind(q, empty({2, 8, 5}))),
            "argument 'q': expected dim 'N' to be 6 as in --dim, but got 5");
}

TEST(Binding, WrongTensors) {
  Entry entry = makeEntry();
  DimTable dims(entry);
  EXPECT_EQ(messageOf(dims.bind(q, empty({2, 8, 5}, DType::F64))),
            "argument 'q': expected dtype f32, but got f64");
  EXPECT_EQ(messageOf(dims.bind(q, empty({2, 8, 5, 1}))),
            "argument 'q': expected rank 3, but got 4");
  EXPECT_EQ(messageOf(dims.bind(q, empty({2, 4, 5}))),
            "argument 'q': expected dim 1 to be 8, but got 4");
}

TEST(Binding, UnknownDim) {
  Entry entry = makeEntry();
  EXPECT_EQ(messageOf(DimTable(entry).choose("M", 1)),
            "expected a dim of entry 'attend', but got 'M'");
}

TEST(Binding, ValuesOutsideTheRange) {
  Tensor values = makeTensor(DType::I64, {3}, {0, 7, 8});
  DimSizes sizes{{"S", 7}};
  EXPECT_EQ(messageOf(checkRange(lengths, values, sizes)),
            "argument 'lengths': expected values from 0 to 7, but got 8 at "
            "element 2");
  EXPECT_TRUE(checkRange(lengths, values, {{"S", 8}}));
  EXPECT_TRUE(checkRange(q, empty({2, 8, 5}), {}));
}
