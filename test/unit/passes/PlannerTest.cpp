// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices of the planner, also among algorithms that have no schedule.
#include "passes/plan/Planner.h"

#include "passes/Pipelines/Pipelines.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mixattn;

namespace {

/// A CPU that depends on no machine.
CpuModel someCpu() { return describeCpu("znver5", {"avx2", "avx512f", "fma"}); }

bool supportsAll(Algorithm algorithm, mlir::Operation *op, std::string &why) {
  bool isMixed = llvm::cast<AttentionOpInterface>(op).hasPostmix();
  if (algorithm == (isMixed ? Algorithm::Online : Algorithm::Panel))
    why = "not of this kind";
  return why.empty();
}

class PlannerTest : public testing::Test {
protected:
  PlannerTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// Plans the attention of `text`.
  llvm::SmallVector<PlanCase> plan(const std::string &text, int64_t threads) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    llvm::SmallVector<PlanCase> cases;
    PlanTarget target{someCpu(), std::nullopt, supportsAll};
    target.cpu.threads = threads;
    FunctionSizes sizes(function);
    function.walk([&](AttentionOpInterface op) {
      cases = Planner(op, sizes, target).makePlan();
    });
    return cases;
  }

  /// A softmax of `queries` and `keys`, each a number or `?`.
  static std::string softmax(const std::string &queries,
                             const std::string &keys) {
    std::string q = "tensor<1x8x" + queries + "x64xf32>";
    std::string k = "tensor<1x8x" + keys + "x64xf32>";
    return "func.func @f(%q: " + q + ", %k: " + k + ") -> " + q +
           " {\n  %o = attn.generic scores(%q, %k : " + q + ", " + k +
           ") pool(%k : " + k + ") -> " + q + "\n  return %o : " + q + "\n}";
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(PlannerTest, FewQueriesDecode) {
  llvm::SmallVector<PlanCase> cases = plan(softmax("?", "?"), 2);
  ASSERT_GE(cases.size(), 2u);
  EXPECT_EQ(cases[0].algorithm, Algorithm::Decode);
  EXPECT_EQ(cases[0].split, 1024);
  EXPECT_EQ(cases[0].when[0], SizeRange());
  EXPECT_GE(cases[0].when[1].atMost, 4);
  EXPECT_LE(cases[0].when[1].atMost, 16);
  EXPECT_EQ(cases[0].when[2], SizeRange());
  EXPECT_EQ(cases.back().algorithm, Algorithm::Online);
  EXPECT_TRUE(cases.back().isUnconditional());
}

TEST_F(PlannerTest, StaticSizesDecideAtOnce) {
  int64_t last = plan(softmax("?", "?"), 2)[0].when[1].atMost;
  for (int64_t queries : {int64_t(1), last, int64_t(64), int64_t(100)}) {
    llvm::SmallVector<PlanCase> cases =
        plan(softmax(std::to_string(queries), "2048"), 2);
    ASSERT_EQ(cases.size(), 1u) << queries;
    EXPECT_EQ(cases[0].algorithm,
              queries <= last ? Algorithm::Decode : Algorithm::Online)
        << queries;
  }
}

TEST_F(PlannerTest, ForcedPlansAreRead) {
  std::string error;
  std::optional<ForcedPlan> forced =
      parseForcedPlan("decode,split=2048,block=32", error);
  ASSERT_TRUE(forced);
  EXPECT_EQ(forced->algorithm, Algorithm::Decode);
  EXPECT_EQ(forced->lanes, 0);
  EXPECT_EQ(forced->block, 32);
  EXPECT_EQ(forced->split, 2048);
  for (const char *text :
       {"", "fast", "online,", "online,lanes", "online,lanes=x",
        "online,lanes=0", "online,lanes=16,lanes=16", "online,tile=16"})
    EXPECT_FALSE(parseForcedPlan(text, error)) << text;
}

TEST(CpuModelTest, FollowsFeatures) {
  CpuModel wide = someCpu();
  EXPECT_EQ(wide.lanes, 16);
  EXPECT_EQ(wide.widestTile(), 64);
  EXPECT_FALSE(wide.hasPairs());
  EXPECT_DOUBLE_EQ(wide.peak(), 4.2e9 * 64);
  CpuModel half = describeCpu("x86-64-v3", {"avx2", "fma"});
  EXPECT_EQ(half.lanes, 8);
  EXPECT_EQ(half.widestTile(), 16);
  CpuModel first = describeCpu("x86-64", {});
  EXPECT_EQ(first.lanes, 4);
  EXPECT_DOUBLE_EQ(first.multiplyAdds, 1);
}

TEST(CpuModelTest, TakesFactsOfAMachine) {
  CpuFacts facts = {"GenuineIntel",     6, 173, 1, 2, 0, 1 << 20,
                    int64_t(480) << 20, 2};
  CpuModel native =
      describeCpu("graniterapids", {"avx512bf16", "avx512f"}, facts);
  EXPECT_EQ(native.model, 173);
  EXPECT_EQ(native.cores, 2);
  // The microarchitecture's values fill in what the machine does not say.
  EXPECT_EQ(native.l1, 48 << 10);
  EXPECT_EQ(native.l2, 1 << 20);
  EXPECT_EQ(native.l3, int64_t(480) << 20);
  EXPECT_DOUBLE_EQ(native.peak(), 3.5e9 * 64);
}

TEST(CpuModelTest, PortsByMicroarchitecture) {
  std::vector<std::string> wide = {"avx2", "avx512bf16", "avx512f", "fma"};
  CpuModel zen5 = describeCpu("znver5", wide);
  EXPECT_DOUBLE_EQ(zen5.pairProducts, 2);
  EXPECT_FALSE(zen5.sharesPorts);
  EXPECT_DOUBLE_EQ(describeCpu("znver4", wide).multiplyAdds, 1);
  CpuModel intel = describeCpu("graniterapids", wide);
  EXPECT_DOUBLE_EQ(intel.multiplyAdds, 2);
  EXPECT_DOUBLE_EQ(intel.pairProducts, 0.5);
  EXPECT_TRUE(intel.sharesPorts);
  EXPECT_DOUBLE_EQ(intel.l2Rate, 42);
  EXPECT_DOUBLE_EQ(describeCpu("rocketlake", wide).multiplyAdds, 1);
  // In 256 bits other arithmetic has a port of its own.
  CpuModel narrow = describeCpu("graniterapids", {"avx2", "fma"});
  EXPECT_FALSE(narrow.sharesPorts);
  EXPECT_DOUBLE_EQ(narrow.pairProducts, 0);
  EXPECT_DOUBLE_EQ(describeCpu("znver1", {"avx2", "fma"}).multiplyAdds, 1);
  EXPECT_DOUBLE_EQ(describeCpu("znver3", {"avx2", "fma"}).multiplyAdds, 2);
}

} // namespace
