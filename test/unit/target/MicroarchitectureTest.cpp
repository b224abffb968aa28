// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines are recognised from records of their answers: of four kinds, and of
// hypervisors that hide or disguise. Each record says which part of it was
// recorded and which was composed.
#include "lib/Target/Microarchitecture.h"

#include "lib/Runtime/CpuFeatures.h"
#include "lib/Target/Machine.h"
#include "test/unit/target/Records.h"

#include "llvm/ADT/StringExtras.h"

using namespace mixattn;

/// The features that all machines with AVX2 have, and then AVX-512.
static const std::string zen3 = "aes avx avx2 bmi bmi2 f16c fma lzcnt movbe "
                                "pclmul popcnt sse3 sse4.1 sse4.2 ssse3 vaes "
                                "vpclmulqdq";
static const std::string avx512 =
    "avx512bf16 avx512bitalg avx512bw avx512cd avx512dq avx512f";
static const std::string rest =
    "bmi bmi2 f16c fma gfni lzcnt movbe pclmul popcnt sse3 sse4.1 sse4.2 ssse3 "
    "vaes vpclmulqdq";

static std::string featuresOf(const Machine &machine) {
  return llvm::join(machine.features, " ");
}

/// Expects a record to be read without doubt as CPU `cpu` of these facts and
/// features.
static void expectMachine(const char *record, const char *cpu,
                          const std::string &facts,
                          const std::string &features) {
  Machine machine = describeMachine(readRecord(record));
  EXPECT_EQ(machine.cpu, cpu);
  EXPECT_EQ(machine.doubt, "");
  EXPECT_EQ(toText(*machine.facts), facts);
  EXPECT_EQ(featuresOf(machine), features);
}

TEST(Microarchitecture, Zen4Guest) {
  expectMachine("epyc-9004-guest", "znver4",
                "vendor=AuthenticAMD,family=25,model=17,stepping=1,cores=2,"
                "l1=32768,l2=1048576,l3=33554432,l3_threads=2",
                "aes avx avx2 " + avx512 +
                    " avx512ifma avx512vbmi avx512vbmi2 avx512vl avx512vnni "
                    "avx512vpopcntdq " +
                    rest);
}

TEST(Microarchitecture, Zen5) {
  expectMachine("epyc-9005", "znver5",
                "vendor=AuthenticAMD,family=26,model=2,stepping=1,cores=96,"
                "l1=49152,l2=1048576,l3=33554432,l3_threads=8",
                "aes avx avx2 " + avx512 +
                    " avx512ifma avx512vbmi avx512vbmi2 avx512vl avx512vnni "
                    "avx512vpopcntdq avxvnni " +
                    rest);
}

TEST(Microarchitecture, SapphireRapids) {
  expectMachine("xeon-sapphire-rapids", "sapphirerapids",
                "vendor=GenuineIntel,family=6,model=143,stepping=8,cores=72,"
                "l1=49152,l2=2097152,l3=86507520,l3_threads=128",
                "aes amx-bf16 amx-int8 amx-tile avx avx2 " + avx512 +
                    " avx512fp16 avx512ifma avx512vbmi avx512vbmi2 avx512vl "
                    "avx512vnni avx512vpopcntdq avxvnni " +
                    rest);
}

TEST(Microarchitecture, Zen3HasAvx2Alone) {
  expectMachine("epyc-7003", "znver3",
                "vendor=AuthenticAMD,family=25,model=1,stepping=1,cores=128,"
                "l1=32768,l2=524288,l3=33554432,l3_threads=16",
                zen3);
}

// A guest whose model is disguised: features are not.
TEST(Microarchitecture, GraniteRapidsThatCallsItselfRocketLake) {
  Machine machine = describeMachine(readRecord("xeon-granite-rapids-guest"));
  EXPECT_EQ(machine.cpu, "graniterapids");
  EXPECT_EQ(machine.doubt,
            "GenuineIntel family 6 model 167 stepping 1 is 'rocketlake', but "
            "has 'amx-bf16', which that lacks: taken for 'graniterapids', the "
            "oldest of its maker's with all its features");
  EXPECT_EQ(machine.facts->l3, int64_t(480) << 20);
  EXPECT_EQ(machine.facts->l3Threads, 2);
  EXPECT_TRUE(machine.has("amx-tile"));
  EXPECT_TRUE(machine.has("avx512fp16"));
}

// A model is believed where features are hidden, and those are not used.
TEST(Microarchitecture, GraniteRapidsWithoutAmx) {
  CpuRecord record = readRecord("xeon-granite-rapids-no-amx");
  Machine machine = describeMachine(record);
  EXPECT_EQ(machine.cpu, "graniterapids");
  EXPECT_EQ(machine.doubt, "");
  EXPECT_FALSE(machine.has("amx-tile"));
  EXPECT_TRUE(machine.has("avx512fp16"));
  EXPECT_NE(machine.featureString.find("-amx-tile,"), std::string::npos);

  // Disguised, too, nothing tells it from the generation before.
  record.answers[{1, 0}][CpuRecord::Eax] = 0x000a0671;
  machine = describeMachine(record);
  EXPECT_EQ(machine.cpu, "sapphirerapids");
  EXPECT_FALSE(machine.has("amx-tile"));
}

// Registers that the system does not save are not used.
TEST(Microarchitecture, StateThatIsNotSaved) {
  CpuRecord record = readRecord("xeon-sapphire-rapids");
  record.savedState = 0xe7;
  Machine machine = describeMachine(record);
  EXPECT_EQ(machine.cpu, "sapphirerapids");
  EXPECT_FALSE(machine.has("amx-tile"));
  EXPECT_TRUE(machine.has("avx512f"));
  record.savedState = 0x7;
  machine = describeMachine(record);
  EXPECT_EQ(machine.cpu, "sapphirerapids");
  EXPECT_FALSE(machine.has("avx512f"));
  EXPECT_FALSE(machine.has("avx512bf16"));
  EXPECT_TRUE(machine.has("avx2"));
  record.savedState = 0;
  machine = describeMachine(record);
  EXPECT_FALSE(machine.has("avx"));
  EXPECT_TRUE(machine.has("sse4.2"));
}

// A feature is not used where one is hidden that LLVM takes it to imply.
TEST(Microarchitecture, HalfOfAFeature) {
  CpuRecord record = readRecord("epyc-9005");
  record.answers[{7, 0}][CpuRecord::Ebx] &= ~(1u << 16); // avx512f
  Machine machine = describeMachine(record);
  EXPECT_EQ(machine.cpu, "znver5");
  EXPECT_FALSE(machine.has("avx512f"));
  EXPECT_FALSE(machine.has("avx512bf16"));
  EXPECT_FALSE(machine.has("avx512vl"));
  EXPECT_TRUE(machine.has("avx2"));
}

TEST(Microarchitecture, UnknownModels) {
  // As if of a later family.
  CpuRecord record = readRecord("epyc-9005");
  record.answers[{1, 0}][CpuRecord::Eax] = 0x00c00f10;
  Microarchitecture named = nameMicroarchitecture(record);
  EXPECT_EQ(named.name, "znver5");
  EXPECT_EQ(named.doubt,
            "AuthenticAMD family 27 model 1 stepping 0 is not known: taken for "
            "'znver5', the oldest of its maker's with all its features");
  // With a feature that none of its maker's has.
  record.answers[{7, 0}][CpuRecord::Edx] |= 1u << 23; // avx512fp16
  named = nameMicroarchitecture(record);
  EXPECT_EQ(named.name, "x86-64-v4");
  EXPECT_EQ(named.doubt,
            "AuthenticAMD family 27 model 1 stepping 0 is not known: taken for "
            "'x86-64-v4', as no CPU of its maker's is known with all its "
            "features");
  // Of another maker.
  record = readRecord("epyc-7003");
  record.answers[{0, 0}][CpuRecord::Ebx] = 0x6f677948; // "Hygo"
  EXPECT_EQ(nameMicroarchitecture(record).name, "x86-64-v3");
  EXPECT_EQ(nameMicroarchitecture({}).name, "x86-64");
}

TEST(Microarchitecture, CachesOfTheSystem) {
  CpuRecord record = readRecord("epyc-9004-guest");
  for (uint32_t subleaf = 0; subleaf < 4; ++subleaf)
    record.answers.erase({0x8000001d, subleaf});
  record.caches[2] = 16 << 20;
  CpuFacts facts = factsOf(record);
  EXPECT_EQ(facts.l1, 32 << 10);
  EXPECT_EQ(facts.l2, 1 << 20);
  EXPECT_EQ(facts.l3, 16 << 20);
  EXPECT_EQ(facts.l3Threads, 0);
}

// The runner finds the features that the description names.
TEST(Microarchitecture, RunnerAgrees) {
  for (const char *name :
       {"epyc-7003", "epyc-9004-guest", "epyc-9005", "xeon-sapphire-rapids",
        "xeon-granite-rapids-guest", "xeon-granite-rapids-no-amx"}) {
    CpuRecord record = readRecord(name);
    Machine machine = describeMachine(record);
    EXPECT_GE(machine.features.size(), 17u);
    for (const std::string &feature : machine.features)
      EXPECT_TRUE(hasCpuFeature(record, feature)) << name << ": " << feature;
  }
}
