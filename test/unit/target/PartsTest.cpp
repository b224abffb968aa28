// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/Parts.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mixattn;

namespace {

class PartsTest : public testing::Test {
protected:
  std::unique_ptr<llvm::Module> parse(const std::string &text) {
    llvm::SMDiagnostic error;
    return llvm::parseAssemblyString(text, error, context);
  }

  /// The texts of the parts.
  static std::vector<std::string> cut(llvm::Module &code, unsigned count) {
    return compileParts(code, count, [](llvm::Module &part) {
      EXPECT_FALSE(llvm::verifyModule(part, &llvm::errs()));
      std::string text;
      llvm::raw_string_ostream stream(text);
      part.print(stream, nullptr);
      return text;
    });
  }

  static size_t count(const std::vector<std::string> &texts,
                      const std::string &what) {
    size_t found = 0;
    for (const std::string &text : texts)
      found += text.find(what) != std::string::npos;
    return found;
  }

  llvm::LLVMContext context;
};

} // namespace

static const char *calls = R"(
  @number = private unnamed_addr constant float 2.0
  @counter = internal global i32 0
  @unused = internal constant i32 7
  define float @entry(float %x) {
    %a = call float @twice(float %x)
    %b = call float @more(float %a)
    ret float %b
  }
  define internal float @twice(float %x) {
    %two = load float, ptr @number
    %y = fmul float %x, %two
    ret float %y
  }
  define internal float @more(float %x) {
    %two = load float, ptr @number
    %n = load i32, ptr @counter
    %m = add i32 %n, 1
    store i32 %m, ptr @counter
    %y = call float @llvm.fabs.f32(float %x)
    %z = fadd float %y, %two
    ret float %z
  }
  declare float @llvm.fabs.f32(float)
)";

TEST_F(PartsTest, EachFunctionIsInOnePart) {
  auto code = parse(calls);
  std::vector<std::string> parts = cut(*code, 3);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(count(parts, "define float @entry"), 1u);
  EXPECT_EQ(count(parts, "define hidden float @twice"), 1u);
  EXPECT_EQ(count(parts, "define hidden float @more"), 1u);
  // The largest comes first.
  EXPECT_NE(parts[0].find("@more(float %x) {"), std::string::npos);
  EXPECT_EQ(count(parts, "declare hidden float @twice"), 1u);
}

TEST_F(PartsTest, WhatOnlyOthersUseIsKept) {
  auto code = parse(R"(
    define linkonce_odr i32 @power() {
      ret i32 1
    }
    define i32 @entry() {
      %x = call i32 @power()
      ret i32 %x
    }
  )");
  EXPECT_EQ(count(cut(*code, 2), "define hidden i32 @power"), 1u);
}

TEST_F(PartsTest, NumbersAreWhereTheyAreReadAndVariablesOnce) {
  auto code = parse(calls);
  std::vector<std::string> parts = cut(*code, 3);
  EXPECT_EQ(count(parts, "@number = private unnamed_addr constant"), 2u);
  EXPECT_EQ(count(parts, "@counter = hidden global i32 0"), 1u);
  EXPECT_EQ(count(parts, "@unused"), 0u);
}

TEST_F(PartsTest, TheyAreTheSameEachTime) {
  auto one = parse(calls), other = parse(calls);
  EXPECT_EQ(cut(*one, 2), cut(*other, 2));
}

TEST_F(PartsTest, LittleCodeIsOnePart) {
  auto code = parse(calls);
  EXPECT_EQ(countParts(*code), 1u);
}

TEST_F(PartsTest, MuchCodeIsSeveral) {
  std::string text = "define float @f(float %x0) {\n";
  for (int i = 0; i < 9000; ++i)
    text += "  %x" + std::to_string(i + 1) + " = fadd float %x" +
            std::to_string(i) + ", 1.0\n";
  auto code = parse(text + "  ret float %x9000\n}\n");
  EXPECT_EQ(countParts(*code), 2u);
}
