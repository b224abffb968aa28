// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the element types and the 16-bit floats.
#include "lib/Runtime/DType.h"
#include "test/unit/runtime/Utilities.h"
#include <cmath>

using namespace mixattn;

TEST(DType, NamesGoBothWays) {
  for (const char *name :
       {"f16", "bf16", "f32", "f64", "i1", "i8", "i16", "i32", "i64"})
    EXPECT_EQ(nameOf(*dtypeNamed(name)), name);
  EXPECT_FALSE(dtypeNamed("u8"));
}

TEST(DType, BooleansAreBytesOfCode6) {
  DLDataType type = dlpackType(DType::I1);
  EXPECT_EQ(type.code, 6);
  EXPECT_EQ(type.bits, 8);
  EXPECT_EQ(dlpackType(DType::BF16).code, kDLBfloat);
}

/// Every value that is not NaN comes back from double with its bits.
template <typename ToDouble, typename FromDouble>
static void expectRoundTrip(ToDouble toDouble, FromDouble fromDouble) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    double value = toDouble(static_cast<uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(toDouble(fromDouble(value))));
    else
      ASSERT_EQ(fromDouble(value), bits);
  }
}

TEST(DType, All16BitFloatsRoundTrip) {
  expectRoundTrip(halfToDouble, doubleToHalf);
  expectRoundTrip(bfloatToDouble, doubleToBfloat);
}

TEST(DType, HalfRoundsTiesToEven) {
  EXPECT_EQ(doubleToHalf(1 + 0x1p-11), 0x3c00);           // tie, down
  EXPECT_EQ(doubleToHalf(1 + 3 * 0x1p-11), 0x3c02);       // tie, up
  EXPECT_EQ(doubleToHalf(1 + 0x1p-11 + 0x1p-40), 0x3c01); // above the tie
  EXPECT_EQ(doubleToHalf(65519.999), 0x7bff);             // largest
  EXPECT_EQ(doubleToHalf(65520), 0x7c00);                 // infinite
  EXPECT_EQ(doubleToHalf(0x1p-25), 0);                    // tie, to zero
  EXPECT_EQ(doubleToHalf(-0x1.8p-25), 0x8001);            // smallest
  EXPECT_EQ(doubleToHalf(0x1p-14 - 0x1p-26), 0x0400);     // into the normals
}

TEST(DType, BfloatIsTheUpperHalfOfAFloat) {
  EXPECT_EQ(doubleToBfloat(1), 0x3f80);
  EXPECT_EQ(doubleToBfloat(1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(doubleToBfloat(1 + 3 * 0x1p-8), 0x3f82);
  EXPECT_EQ(doubleToBfloat(0x1.ffp127), 0x7f80);
  EXPECT_EQ(doubleToBfloat(0x1p-133), 0x0001);
}

TEST(Tensor, KeepsIntegersOf64Bits) {
  Tensor tensor = makeTensor(DType::I64, {1}, {});
  tensor.setInteger(0, INT64_MIN + 1);
  EXPECT_EQ(tensor.integer(0), INT64_MIN + 1);
}

TEST(Tensor, RefusesShapesBeyond63Bits) {
  EXPECT_EQ(messageOf(Tensor::allocate(DType::F32, {1LL << 40, 1LL << 40})),
            "the shape [1099511627776, 1099511627776] is too large");
  EXPECT_EQ(messageOf(Tensor::allocate(DType::I8, {1LL << 60})),
            "cannot allocate 1152921504606846976 bytes");
}

TEST(Tensor, ZeroMakesAnyShapeEmpty) {
  EXPECT_EQ(Tensor::allocate(DType::F32, {1LL << 62, 0, 1LL << 62})->bytes(),
            0u);
}
