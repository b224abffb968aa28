// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices of the planner.
#include "passes/plan/Planner.h"

#include "passes/Pipelines/Pipelines.h"
#include "passes/target/CpuModel.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mixattn;

namespace {

/// A CPU that depends on no machine.
CpuModel someCpu() { return describeCpu("znver5", {"avx2", "avx512f", "fma"}); }

class PlannerTest : public testing::Test {
protected:
  PlannerTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<AttnDialect>();
  }

  /// Plans the attention of `text`.
  llvm::SmallVector<PlanCase> plan(const std::string &text, int64_t threads) {
    mlir::Builder b(&context);
    return plan(text,
                TargetAttr::get(&context, TargetFamily::X86, "znver5",
                                b.getStrArrayAttr({"avx2", "avx512f", "fma"}),
                                threads, {}, {}));
  }
  llvm::SmallVector<PlanCase> plan(const std::string &text, TargetAttr target) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    llvm::SmallVector<PlanCase> cases;
    PlanTarget planTarget(target);
    FunctionSizes sizes(function);
    function.walk([&](AttentionOpInterface op) {
      cases = Planner(op, sizes, planTarget).makePlan();
    });
    return cases;
  }

  /// The case of `cases` that is taken at these sizes.
  static PlanCase caseAt(llvm::ArrayRef<PlanCase> cases, int64_t queries,
                         int64_t keys, int64_t batch = 1) {
    return *llvm::find_if(cases, [&](const PlanCase &each) {
      return each.holds(batch, queries, keys);
    });
  }

  /// A softmax of `queries` and `keys`, each a number or `?`.
  static std::string softmax(const std::string &queries,
                             const std::string &keys,
                             const std::string &type = "f32",
                             int64_t heads = 8) {
    std::string head = "tensor<1x" + std::to_string(heads) + "x";
    std::string q = head + queries + "x64x" + type + ">";
    std::string k = head + keys + "x64x" + type + ">";
    return "func.func @f(%q: " + q + ", %k: " + k + ") -> " + q +
           " {\n  %o = attn.generic scores(%q, %k : " + q + ", " + k +
           ") pool(%k : " + k + ") -> " + q + "\n  return %o : " + q + "\n}";
  }

  /// The same of any batch.
  static std::string ofAnyBatch(std::string text) {
    for (size_t at = 0; (at = text.find("tensor<1x", at)) != text.npos; ++at)
      text.replace(at, 9, "tensor<?x");
    return text;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(PlannerTest, FewQueriesDecode) {
  llvm::SmallVector<PlanCase> cases = plan(softmax("?", "?"), 2);
  for (int64_t keys : {100, 2048, 100000})
    EXPECT_EQ(caseAt(cases, 1, keys).algorithm, "decode") << keys;
  for (int64_t threads : {1, 16, 64})
    EXPECT_EQ(caseAt(plan(softmax("?", "?"), threads), 1, 100000).algorithm,
              "decode")
        << threads;
  EXPECT_EQ(caseAt(cases, 1, 2048).get("split"), 1024);
  EXPECT_EQ(caseAt(cases, 4, 2048).algorithm, "decode");
  EXPECT_EQ(caseAt(cases, 64, 2048).algorithm, "online");
  EXPECT_EQ(cases.back().algorithm, "online");
  EXPECT_TRUE(cases.back().isUnconditional());
}

TEST_F(PlannerTest, StaticSizesDecideAtOnce) {
  llvm::SmallVector<PlanCase> open = plan(softmax("?", "?"), 2);
  for (int64_t queries : {1, 4, 64, 100}) {
    llvm::SmallVector<PlanCase> cases =
        plan(softmax(std::to_string(queries), "2048"), 2);
    ASSERT_EQ(cases.size(), 1u) << queries;
    EXPECT_EQ(cases[0].algorithm, caseAt(open, queries, 2048).algorithm)
        << queries;
  }
}

TEST_F(PlannerTest, ThreadsShareFewKeys) {
  // Threads of one head share the parts of its keys.
  llvm::SmallVector<PlanCase> cases =
      plan(softmax("?", "?", "f32", /*heads=*/1), 2);
  EXPECT_EQ(caseAt(cases, 1, 1024).get("split"), 256);
  EXPECT_EQ(caseAt(cases, 1, 8192).algorithm, "decode");
}

TEST_F(PlannerTest, GpusDecodeFewQueries) {
  auto target = TargetAttr::get(&context, TargetFamily::Mma, "sm_80", {},
                                /*threads=*/0, {}, {});
  for (const char *queries : {"1", "64", "2048"}) {
    llvm::SmallVector<PlanCase> cases =
        plan(softmax(queries, "2048", "bf16"), target);
    ASSERT_EQ(cases.size(), 1u) << queries;
    EXPECT_EQ(cases[0].algorithm,
              queries == std::string("2048") ? "online" : "decode")
        << queries;
  }
  llvm::SmallVector<PlanCase> cases = plan(softmax("?", "?", "bf16"), target);
  EXPECT_EQ(cases.back().algorithm, "online");
  EXPECT_TRUE(cases.back().isUnconditional());
  // To merge parts takes longer than few keys.
  EXPECT_EQ(caseAt(cases, 1, 100).algorithm, "online");
  EXPECT_EQ(caseAt(cases, 1, 2048).algorithm, "decode");
  EXPECT_EQ(caseAt(cases, 64, 50000).algorithm, "decode");
  EXPECT_EQ(caseAt(cases, 257, 50000).algorithm, "online");
  // A large batch fills the multiprocessors with fewer queries.
  cases = plan(ofAnyBatch(softmax("?", "?", "bf16")), target);
  EXPECT_EQ(caseAt(cases, 64, 50000, /*batch=*/1).algorithm, "decode");
  EXPECT_EQ(caseAt(cases, 1, 50000, /*batch=*/64).algorithm, "decode");
  EXPECT_EQ(caseAt(cases, 64, 50000, /*batch=*/64).algorithm, "online");
}

TEST_F(PlannerTest, GpusKeepFewBytesOfMixedWeights) {
  auto target = TargetAttr::get(&context, TargetFamily::Mma, "sm_80", {},
                                /*threads=*/0, {}, {});
  // Powers of 256 queries are four times as many bytes as keys and values.
  auto mixed = [](const std::string &queries, const std::string &keys) {
    std::string text = softmax(queries, keys, "bf16");
    text.replace(text.find("%k: "), 4, "%m: tensor<8x8xbf16>, %k: ");
    text.replace(text.find("pool("), 5, "postmix(%m : tensor<8x8xbf16>) pool(");
    return text;
  };
  EXPECT_EQ(plan(mixed("256", "1024"), target)[0].algorithm, "decode");
  EXPECT_EQ(plan(mixed("256", "131072"), target)[0].algorithm, "two_pass");
  EXPECT_EQ(plan(mixed("32", "131072"), target)[0].algorithm, "decode");
}

TEST_F(PlannerTest, CasesLoseLittle) {
  mlir::Builder b(&context);
  auto cpu = [&](const char *chip, std::vector<llvm::StringRef> features,
                 int64_t threads) {
    return TargetAttr::get(&context, TargetFamily::X86, chip,
                           b.getStrArrayAttr(features), threads, {}, {});
  };
  auto gpu = [&](TargetFamily family, const char *chip) {
    return TargetAttr::get(&context, family, chip, {}, 0, {}, {});
  };
  for (TargetAttr target :
       {cpu("znver4", {"avx2", "avx512f", "fma"}, 1),
        cpu("znver5", {"avx2", "avx512f", "fma"}, 16),
        cpu("x86-64-v3", {"avx2", "fma"}, 2),
        cpu("graniterapids", {"amx-bf16", "amx-tile", "avx2", "avx512f", "fma"},
            2),
        gpu(TargetFamily::Mma, "sm_80"), gpu(TargetFamily::Wgmma, "sm_90a")}) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        ofAnyBatch(softmax("?", "?", "bf16")), &context);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    PlanTarget planTarget(target);
    FunctionSizes sizes(function);
    function.walk([&](AttentionOpInterface op) {
      Planner planner(op, sizes, planTarget);
      llvm::SmallVector<PlanCase> cases = planner.makePlan();
      EXPECT_LE(cases.size(), mostPlanCases);
      // On CPUs no case asks for the batch.
      bool isCpu = target.getFamily() == TargetFamily::X86;
      std::vector<int64_t> batches = {1};
      if (!isCpu)
        batches.insert(batches.end(), {6, 50});
      for (int64_t batch : batches)
        for (int64_t queries : {1, 3, 12, 50, 300, 3000})
          for (int64_t keys : {100, 700, 2000, 5000}) {
            PlanSizes at = {batch, queries, keys};
            double least = planner.predict(planner.choose(at), at).seconds;
            PlanCase there = caseAt(cases, queries, keys, batch);
            // Times jump where a tile ends, cases between sizes of the grid do
            // not.
            EXPECT_LE(planner.predict(there, at).seconds, 2 * least)
                << target.getChip().str() << ": " << batch << " of " << queries
                << " x " << keys;
          }
    });
  }
}

TEST_F(PlannerTest, UsualSizesKeepTheirPlan) {
  for (int64_t threads : {1, 2, 16, 64}) {
    PlanCase usual = plan(softmax("2048", "2048"), threads).back();
    llvm::SmallVector<PlanCase> cases = plan(softmax("?", "?"), threads);
    EXPECT_EQ(caseAt(cases, 2048, 2048), usual) << threads;
    for (const PlanCase &each : cases)
      EXPECT_TRUE(each.isUnconditional() || !each.holds(1, 2048, 2048));
  }
  // By AMX several candidates are near at all sizes.
  mlir::Builder b(&context);
  for (int64_t threads : {1, 2}) {
    auto target = TargetAttr::get(
        &context, TargetFamily::X86, "graniterapids",
        b.getStrArrayAttr({"amx-bf16", "amx-tile", "avx2", "avx512f", "fma"}),
        threads, {}, {});
    PlanCase usual = plan(softmax("2048", "2048", "bf16"), target).back();
    EXPECT_EQ(caseAt(plan(softmax("?", "?", "bf16"), target), 2048, 2048),
              usual)
        << threads;
  }
}

TEST_F(PlannerTest, LargerBlocksByAmx) {
  auto blockOf = [&](std::vector<llvm::StringRef> features) {
    mlir::Builder b(&context);
    auto target = TargetAttr::get(&context, TargetFamily::X86, "graniterapids",
                                  b.getStrArrayAttr(features), 2, {}, {});
    return plan(softmax("2048", "2048", "bf16"), target)[0].get("block");
  };
  std::vector<llvm::StringRef> wide = {"avx2", "avx512f", "fma"}, amx = wide;
  amx.insert(amx.end(), {"amx-bf16", "amx-tile"});
  EXPECT_EQ(blockOf(amx), 256);
  EXPECT_LE(blockOf(wide), 128);
}

TEST_F(PlannerTest, FewQueriesDecodeByAmx) {
  mlir::Builder b(&context);
  std::vector<llvm::StringRef> amx = {"amx-bf16", "amx-tile", "avx2", "avx512f",
                                      "fma"};
  auto target = TargetAttr::get(&context, TargetFamily::X86, "graniterapids",
                                b.getStrArrayAttr(amx), 1, {}, {});
  // Values are transposed for them, too, which takes longer than the rest.
  for (const char *queries : {"4", "16"}) {
    llvm::SmallVector<PlanCase> cases =
        plan(softmax(queries, "4096", "bf16"), target);
    EXPECT_EQ(cases[0].algorithm,
              queries == std::string("4") ? "decode" : "online")
        << queries;
  }
}

TEST_F(PlannerTest, ForcedPlansAreRead) {
  std::string error;
  std::optional<ForcedPlan> forced =
      parseForcedPlan("decode,split=2048,block=32", error);
  ASSERT_TRUE(forced);
  EXPECT_EQ(forced->algorithm, "decode");
  using Numbers = std::vector<std::pair<std::string, int64_t>>;
  EXPECT_EQ(forced->numbers, (Numbers{{"split", 2048}, {"block", 32}}));
  for (const char *text :
       {"", "online,", ",width=16", "online,width", "online,width=x",
        "online,width=0", "online,width=16,width=16", "online,,block=16"})
    EXPECT_FALSE(parseForcedPlan(text, error)) << text;
}

TEST_F(PlannerTest, ForcedPlansAreOfTheTable) {
  auto whyNot = [&](TargetFamily family, const char *text) {
    std::string error;
    auto target =
        TargetAttr::get(&context, family, "any", {}, /*threads=*/0, {}, {});
    return whyNoPlan(*parseForcedPlan(text, error), schedulesFor(target));
  };
  EXPECT_EQ(whyNot(TargetFamily::X86, "panel,width=16,block=32"), "");
  EXPECT_EQ(whyNot(TargetFamily::X86, "fast"),
            "expected online, panel, decode, chunked_linear, banded, dense, "
            "rows_dense or unfused as plan, but got 'fast'");
  EXPECT_EQ(whyNot(TargetFamily::X86, "online,split=64"),
            "expected width, block as numbers of online, but got 'split'");
  EXPECT_EQ(whyNot(TargetFamily::X86, "unfused,block=64"),
            "expected nothing as numbers of unfused, but got 'block'");
  EXPECT_EQ(whyNot(TargetFamily::Mma, "panel"),
            "expected online, dense, two_pass, decode, chunked_linear, "
            "spanned_linear, banded or unfused as plan, but got 'panel'");
  EXPECT_EQ(whyNot(TargetFamily::Wgmma, "panel"),
            "expected online, online_mma, dense, dense_mma, two_pass, decode, "
            "chunked_linear, spanned_linear, banded or unfused as plan, but "
            "got 'panel'");
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

TEST(CpuModelTest, ExpsOverlapOrNot) {
  CpuModel zen3 = describeCpu("znver3", {"avx2", "fma"});
  EXPECT_FALSE(zen3.overlapsExps);
  CpuModel zen5 = describeCpu("znver5", {"avx2", "fma"});
  EXPECT_TRUE(zen5.overlapsExps);
  EXPECT_GT(zen3.costs.decodeRow, zen5.costs.decodeRow);
}

TEST(CpuModelTest, OneMultiplyAddACycle) {
  std::vector<std::string> wide = {"avx2", "avx512f", "fma"};
  CpuModel zen4 = describeCpu("znver4", wide),
           zen5 = describeCpu("znver5", wide);
  EXPECT_LT(zen4.costs.nakedExp, zen5.costs.nakedExp);
  EXPECT_LT(zen4.costs.decodeRow, zen5.costs.decodeRow);
  EXPECT_DOUBLE_EQ(zen4.slotsOfSquare(), 1);
  EXPECT_DOUBLE_EQ(zen5.slotsOfSquare(), 2);
  // All its arithmetic shares the port of its multiply-adds.
  EXPECT_DOUBLE_EQ(describeCpu("rocketlake", wide).slotsOfSquare(), 2);
  EXPECT_TRUE(zen4.narrowTilesKeepUp());
  EXPECT_FALSE(zen5.narrowTilesKeepUp());
  EXPECT_TRUE(zen4.asksIntoL2);
  EXPECT_FALSE(zen5.asksIntoL2);
  EXPECT_DOUBLE_EQ(zen4.l2Rate, 29);
  EXPECT_DOUBLE_EQ(zen5.l2Rate, 64);
  // In 256 bits two begin, and one load of a register brings half as much.
  CpuModel narrow = describeCpu("znver4", {"avx2", "fma"});
  EXPECT_FALSE(narrow.narrowTilesKeepUp());
  EXPECT_DOUBLE_EQ(narrow.l2Rate, 29);
  EXPECT_DOUBLE_EQ(describeCpu("znver5", {"avx2", "fma"}).l2Rate, 32);
  // Ports that are shared have costs of their own.
  EXPECT_FALSE(describeCpu("rocketlake", wide).narrowTilesKeepUp());
}

TEST(CpuModelTest, PairsWhereTheyAreFaster) {
  std::vector<std::string> wide = {"avx2", "avx512bf16", "avx512f", "fma"};
  EXPECT_TRUE(describeCpu("znver5", wide).hasPairs());
  EXPECT_TRUE(describeCpu("znver4", wide).hasPairs());
  // Half the rate of f32 is the rate of widened numbers.
  EXPECT_FALSE(describeCpu("graniterapids", wide).hasPairs());
}

TEST(CpuModelTest, AmxByFeature) {
  CpuModel rapids = describeCpu(
      "graniterapids", {"amx-bf16", "amx-tile", "avx2", "avx512f", "fma"});
  EXPECT_TRUE(rapids.hasAmx);
  EXPECT_FALSE(rapids.emulatesAmx);
  CpuModel zen =
      describeCpu("znver5", {"avx2", "avx512f", emulatedAmx.str(), "fma"});
  EXPECT_TRUE(zen.hasAmx);
  EXPECT_TRUE(zen.emulatesAmx);
  // Its squares meet rows of 16 lanes.
  EXPECT_FALSE(describeCpu("graniterapids", {"amx-bf16", "avx2"}).hasAmx);
}

} // namespace
