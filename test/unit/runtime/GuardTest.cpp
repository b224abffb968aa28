// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of memory next to inaccessible pages.
#include "lib/Runtime/Guard.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

TEST(GuardDeathTest, NothingLiesBehindTheEnd) {
  auto memory = GuardedMemory::allocate(5, Flush::AtEnd);
  std::memset(memory->data(), 1, 5);
  EXPECT_DEATH(*static_cast<volatile char *>(memory->data() + 5), "");
}

TEST(GuardDeathTest, NothingLiesBeforeTheStart) {
  auto memory = GuardedMemory::allocate(5000, Flush::AtStart);
  std::memset(memory->data(), 1, 5000);
  EXPECT_DEATH(*static_cast<volatile char *>(memory->data() - 1), "");
}

TEST(GuardDeathTest, EmptyMemoryHoldsNothing) {
  auto memory = GuardedMemory::allocate(0, Flush::AtEnd);
  EXPECT_DEATH(*static_cast<volatile char *>(memory->data()), "");
  EXPECT_DEATH(*static_cast<volatile char *>(memory->data() - 1), "");
}

TEST(GuardDeathTest, ReadOnlyMemoryCanBeRead) {
  auto memory = GuardedMemory::allocate(5, Flush::AtEnd);
  memory->data()[4] = 7;
  memory->makeReadOnly();
  EXPECT_EQ(memory->data()[4], 7);
  EXPECT_DEATH(*static_cast<volatile char *>(memory->data()) = 1, "");
}

TEST(Guard, TooMuchMemory) {
  EXPECT_EQ(messageOf(GuardedMemory::allocate(size_t(1) << 60, Flush::AtEnd)),
            "cannot allocate 1152921504606846976 bytes");
}

TEST(GuardDeathTest, AnAccessIsToldAndEndsTheProcess) {
  auto memory = GuardedMemory::allocate(5, Flush::AtEnd);
  AccessHandler handler("what happened");
  EXPECT_EXIT(*static_cast<volatile char *>(memory->data() + 5),
              testing::ExitedWithCode(1), "what happened");
}
