// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of machines as text.
#include "lib/Runtime/MachineDescription.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

TEST(MachineDescription, FactsAsText) {
  CpuFacts facts = {"AuthenticAMD", 26, 2, 1, 96, 49152, 1048576, 33554432, 16};
  std::string text = toText(facts);
  EXPECT_EQ(text, "vendor=AuthenticAMD,family=26,model=2,stepping=1,cores=96,"
                  "l1=49152,l2=1048576,l3=33554432,l3_threads=16");
  Result<CpuFacts> read = parseCpuFacts(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(toText(*read), text);
  for (const std::string &wrong :
       {std::string(), std::string("znver5"), text + ",l4=1", text + ",",
        text.substr(0, text.size() - 2), "family=1," + text,
        std::string("vendor=x,family=-1,model=0,stepping=0,cores=0,l1=0,l2=0,"
                    "l3=0,l3_threads=0")})
    EXPECT_EQ(messageOf(parseCpuFacts(wrong)),
              "expected a machine like 'vendor=,family=0,model=0,stepping=0,"
              "cores=0,l1=0,l2=0,l3=0,l3_threads=0', but got '" +
                  wrong + "'");
}

TEST(MachineDescription, Sentences) {
  MachineDescription machine;
  machine.cores = 1;
  machine.l1 = 49152;
  machine.l2 = 1280 * 1024;
  machine.l3 = 32 << 20;
  machine.hertz = 4.2e9;
  machine.multiplyAdds = 1;
  EXPECT_EQ(toSentence(machine),
            "1 core at 4.2 GHz; caches of 48 KiB, 1280 KiB, "
            "32 MiB; a cycle begins 1 multiply-add");
  static_cast<CpuFacts &>(machine) = {
      "GenuineIntel", 6, 173, 1, 2, 49152, 2 << 20, int64_t(480) << 20, 2};
  machine.multiplyAdds = 2;
  machine.pairProducts = 0.5;
  machine.sharesPorts = true;
  EXPECT_EQ(toSentence(machine),
            "GenuineIntel family 6 model 173 stepping 1; 2 cores at 4.2 GHz; "
            "caches of 48 KiB, 2 MiB, 480 MiB for 2 threads; a cycle begins 2 "
            "multiply-adds or 0.5 of bf16 pairs, on the ports of all vector "
            "arithmetic");
}
