// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the section of weights.
#include "lib/Target/WeightsSection.h"
#include "lib/Runtime/ElfSection.h"
#include "lib/Target/SharedLibrary.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

static std::string read(const ByteSource &bytes) {
  std::string all;
  EXPECT_TRUE(bytes([&](std::string_view piece) {
    all.append(piece);
    return true;
  }));
  return all;
}

static std::string linkWith(const WeightsSection &section) {
  auto linked = linkSharedLibrary({section.makeObject()}, Sanitizer::None);
  EXPECT_TRUE(linked) << linked.message();
  auto filled = section.fill(*linked);
  EXPECT_TRUE(filled) << filled.message();
  std::string all = read(filled->bytes);
  EXPECT_EQ(filled->size, all.size());
  return all;
}

TEST(WeightsSection, HoldsBytesInLines) {
  WeightsSection section;
  ASSERT_TRUE(section.add("one", 3, SizedBytes::of("abc").bytes));
  std::string many(10000, 'x');
  ASSERT_TRUE(section.add("two", many.size(), SizedBytes::of(many).bytes));
  std::string library = linkWith(section);
  auto found = findElfSection(library, weightsSection);
  ASSERT_TRUE(found) << found.message();
  EXPECT_EQ(found->content, "abc" + std::string(61, '\0') + many);
  EXPECT_TRUE(found->isSharedLibrary);
  // The rest moved by whole pages.
  EXPECT_TRUE(findElfSection(library, ".dynstr"));
}

TEST(WeightsSection, StopsWhereAPieceIsNotTaken) {
  WeightsSection section;
  ASSERT_TRUE(section.add("one", 3, SizedBytes::of("abc").bytes));
  auto linked = linkSharedLibrary({section.makeObject()}, Sanitizer::None);
  auto filled = section.fill(*linked);
  int pieces = 0;
  EXPECT_FALSE(filled->bytes([&](std::string_view) { return ++pieces < 3; }));
  EXPECT_EQ(pieces, 3);
}

TEST(WeightsSection, IsAtMostAsLargeAsALibrary) {
  WeightsSection section;
  ByteSource none = [](const ByteSink &) { return true; };
  constexpr uint64_t most = 2080374784;
  EXPECT_TRUE(section.add("one", most - 64, none));
  EXPECT_EQ(messageOf(section.add("two", 65, none)),
            "expected at most 2080374784 bytes of weights for '--embed', but "
            "got more");
  EXPECT_EQ(messageOf(section.add("two", UINT64_MAX, none)),
            "expected at most 2080374784 bytes of weights for '--embed', but "
            "got more");
  EXPECT_TRUE(section.add("two", 64, none));
}

TEST(WeightsSection, IsNotFilledWhereItIsNot) {
  WeightsSection section, other;
  ASSERT_TRUE(section.add("one", 3, SizedBytes::of("abc").bytes));
  ASSERT_TRUE(other.add("one", 4, SizedBytes::of("abcd").bytes));
  auto linked = linkSharedLibrary({other.makeObject()}, Sanitizer::None);
  EXPECT_EQ(messageOf(section.fill(*linked)),
            "the linker left no place for weights");
}
