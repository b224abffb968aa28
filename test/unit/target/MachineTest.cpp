// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines: what is listed is what the code generator may use, for every CPU.
#include "lib/Target/Machine.h"

#include "lib/Runtime/CpuFeatures.h"
#include "test/unit/target/Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include "gtest/gtest.h"

using namespace mixattn;

/// LLVM's names of what machines with a given CPU can do beyond x86-64 and what
/// is no instruction: the code generator's features, less those that tune.
static std::vector<std::string> featuresOfGenerator(const Machine &machine) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string reason;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, machine.cpu,
                                    machine.featureString));
  EXPECT_TRUE(subtarget->isCPUStringValid(machine.cpu)) << machine.cpu;
  std::vector<std::string> names;
  for (const llvm::SubtargetFeatureKV &feature :
       subtarget->getEnabledProcessorFeatures())
    names.push_back(feature.Key);
  return names;
}

/// Vector instructions, and the few scalar ones that compilers use.
static bool isUsedByCode(llvm::StringRef name) {
  return name.starts_with("avx") || name.starts_with("amx") ||
         name.starts_with("sse4") || name.starts_with("bmi") ||
         llvm::is_contained(
             {"sse3",    "ssse3",     "popcnt", "fma",        "fma4",
              "xop",     "tbm",       "f16c",   "lzcnt",      "movbe",
              "aes",     "pclmul",    "vaes",   "vpclmulqdq", "gfni",
              "sha",     "sha512",    "sm3",    "sm4",        "egpr",
              "ndd",     "ccmp",      "nf",     "cf",         "zu",
              "ppx",     "push2pop2", "crc32",  "sahf",       "adx",
              "movdiri", "movdir64b", "raoint", "cmpccxadd"},
             name);
}

/// Expects that `machine` lists what the code generator may use for it.
static void expectListed(const Machine &machine) {
  EXPECT_TRUE(llvm::is_sorted(machine.features)) << machine.cpu;
  std::vector<std::string> used = featuresOfGenerator(machine);
  llvm::erase_if(used,
                 [](const std::string &name) { return !isUsedByCode(name); });
  llvm::sort(used);
  EXPECT_EQ(machine.features, used) << machine.cpu;
  // A library with code for several CPUs asks for each.
  for (const std::string &feature : machine.features)
    EXPECT_FALSE(
        answersWith(feature).value_or(std::vector<CpuAnswer>()).empty())
        << feature;
}

TEST(Machine, ListsWhatTheGeneratorMayUse) {
  llvm::SmallVector<llvm::StringRef> cpus;
  llvm::X86::fillValidCPUArchList(cpus, /*Only64Bit=*/true);
  cpus.push_back("native");
  for (llvm::StringRef cpu : cpus) {
    auto machine = lookUpMachine(cpu);
    ASSERT_TRUE(bool(machine)) << cpu.str();
    expectListed(*machine);
  }
  for (const char *name :
       {"epyc-7003", "epyc-9004-guest", "epyc-9005", "xeon-sapphire-rapids",
        "xeon-granite-rapids-guest", "xeon-granite-rapids-no-amx"}) {
    CpuRecord record = readRecord(name);
    expectListed(describeMachine(record));
    // AVX, but no system that saves its registers.
    record.savedState = 0;
    expectListed(describeMachine(record));
  }
}

TEST(Machine, NativeRunsHere) {
  auto machine = lookUpMachine("native");
  ASSERT_TRUE(bool(machine));
  EXPECT_NE(machine->cpu, "native");
  EXPECT_TRUE(bool(checkTarget({"x86_64", machine->cpu, machine->features})));
}

TEST(Machine, Conversions) {
  EXPECT_FALSE(lookUpMachine("x86-64-v2")->has("f16c"));
  EXPECT_TRUE(lookUpMachine("x86-64-v3")->has("f16c"));
  EXPECT_FALSE(lookUpMachine("x86-64-v4")->has("avx512bf16"));
  EXPECT_TRUE(lookUpMachine("znver4")->has("avx512bf16"));
  EXPECT_TRUE(lookUpMachine("znver4")->has("avx512vl"));
}

TEST(Machine, RefusesOtherNames) {
  for (const char *name :
       {"", "Native", "pentium4", "i686", "cortex-a53", "x86"})
    EXPECT_EQ(lookUpMachine(name).message(),
              "expected 'native' or the name of a 64-bit x86 CPU as target, "
              "but got '" +
                  std::string(name) + "'");
}
