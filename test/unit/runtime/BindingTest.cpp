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

/// Two times a dim.
static SizeExpression twice(const char *dim) {
  SizeExpression two, size, product;
  two.number = 2;
  size.kind = SizeExpression::Kind::Dim;
  size.dim = dim;
  product.kind = SizeExpression::Kind::Multiply;
  product.operands = {two, size};
  return product;
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

TEST(Binding, RulesOfSizes) {
  Entry entry = makeEntry();
  entry.sizes["N"].least = 2;
  entry.sizes["N"].most = 6;
  entry.sizes["S"].definition = twice("N");
  DimTable dims(entry);
  EXPECT_EQ(messageOf(dims.choose("N", 1)),
            "expected dim 'N' to be 2 or more, but got 1");
  EXPECT_EQ(messageOf(dims.choose("N", 7)),
            "expected dim 'N' to be at most 6, but got 7");
  EXPECT_EQ(messageOf(DimTable(entry).bind(q, empty({2, 8, 7}))),
            "argument 'q': expected dim 'N' to be at most 6, but got 7");
  // Nothing follows from dims that are not there.
  ASSERT_TRUE(dims.compute());
  EXPECT_TRUE(dims.sizes().empty());
  ASSERT_TRUE(dims.bind(q, empty({2, 8, 6})));
  ASSERT_TRUE(dims.compute());
  EXPECT_EQ(dims.sizes().at("S"), 12);
  DimTable other(entry);
  ASSERT_TRUE(other.bind(q, empty({2, 8, 6})));
  ASSERT_TRUE(other.bind(k, empty({2, 2, 7})));
  EXPECT_EQ(messageOf(other.compute()),
            "expected dim 'S' to be 12, as other dims tell, but got 7");
  entry.sizes["S"].definition->kind = SizeExpression::Kind::Subtract;
  DimTable negative(entry);
  ASSERT_TRUE(negative.bind(q, empty({2, 8, 6})));
  EXPECT_EQ(messageOf(negative.compute()),
            "expected dim 'S', which other dims tell, to be a size, but (2 - "
            "N) is none");
}

TEST(Binding, ToldDims) {
  Entry entry = makeEntry();
  entry.sizes["S"].definition = twice("C");
  entry.sizes["C"].told = ToldSize{"S", 2, 0};
  entry.sizes["C"].most = 4;
  DimTable dims(entry);
  ASSERT_TRUE(dims.bind(k, empty({2, 2, 6})));
  ASSERT_TRUE(dims.compute());
  EXPECT_EQ(dims.sizes().at("C"), 3);
  DimTable chosen(entry);
  ASSERT_TRUE(chosen.choose("C", 3));
  ASSERT_TRUE(chosen.compute());
  EXPECT_EQ(chosen.sizes().at("S"), 6);
  auto refused = [&](int64_t size) {
    DimTable other(entry);
    EXPECT_TRUE(other.bind(k, empty({2, 2, size})));
    return messageOf(other.compute());
  };
  EXPECT_EQ(refused(7), "expected dim 'S' to be a multiple of 2, but got 7");
  EXPECT_EQ(refused(10), "expected dim 'C' to be at most 4, but got 5");
  entry.sizes["C"].told->offset = -1;
  EXPECT_EQ(refused(6),
            "expected dim 'S' to be a multiple of 2 plus 1, but got 6");
  entry.sizes["C"].told->offset = INT32_MAX;
  EXPECT_EQ(refused(1),
            "expected dim 'C' to be 0 or more, but got -1073741823");
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
