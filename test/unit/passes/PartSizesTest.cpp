// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the keys (attn.parts): how many there are, and that entries compute
// the same.

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace mlir;
using namespace mixattn;

TEST(PartSizes, AreOneOrTwoOrAMultipleOfFourUpTo64) {
  for (int64_t block : {16, 64})
    for (int64_t split : {block, 4 * block, 16 * block})
      for (int64_t keys = 1; keys < 3000; ++keys) {
        auto [count, length] = getPartSizes(keys, split, block);
        ASSERT_LE(count, 64) << keys;
        ASSERT_TRUE(length <= split || count == 64) << keys;
        ASSERT_EQ(length % block, 0) << keys;
        ASSERT_GE(count * length, keys);
        ASSERT_TRUE(count <= 2 || count % 4 == 0) << keys;
        int64_t fewer =
            count <= 2 ? count - 1 : std::max<int64_t>(2, count - 4);
        ASSERT_GT(keys, fewer * split) << "too many parts";
      }
  auto countOf = [](int64_t keys) {
    return getPartSizes(keys, 1024, 64).first;
  };
  EXPECT_EQ(countOf(0), 0);
  EXPECT_EQ(countOf(1024), 1);
  EXPECT_EQ(countOf(1025), 2);
  EXPECT_EQ(countOf(2049), 4);
  EXPECT_EQ(countOf(2703), 4);
  EXPECT_EQ(countOf(4096), 4);
  EXPECT_EQ(countOf(4097), 8);
  EXPECT_EQ(countOf(65536), 64);
  EXPECT_EQ(getPartSizes(200000, 1024, 64), std::make_pair(64l, 3136l));
}

TEST(PartSizes, AreWhatEntriesCompute) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect>();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  for (int64_t split : {64, 256, 1024})
    for (int64_t keys = 0; keys < 9000; keys += 61) {
      // Folded, as all of it is known.
      Value number = arith::ConstantIndexOp::create(builder, loc, keys);
      PartSizes emitted = emitPartSizes(builder, loc, number, split, 64);
      auto [count, length] = getPartSizes(keys, split, 64);
      ASSERT_EQ(getConstantIntValue(emitted.count), count) << keys;
      ASSERT_EQ(getConstantIntValue(emitted.length), length) << keys;
    }
}
