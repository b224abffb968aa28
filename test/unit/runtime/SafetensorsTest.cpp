// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of safetensors files, good and bad.
#include "lib/Runtime/Safetensors.h"
#include "test/unit/runtime/Utilities.h"
#include <chrono>

using namespace mixattn;

/// A file with that index and `bytes` bytes of elements.
static std::string makeFile(std::string_view index, size_t bytes) {
  uint64_t length = index.size();
  std::string file(reinterpret_cast<const char *>(&length), sizeof(length));
  file += index;
  return file.append(bytes, '\0');
}

static std::string openError(std::string_view file) {
  return messageOf(SafetensorsFile::open(makeBuffer(file)));
}

/// The error of a file with one tensor 'w' with these members.
static std::string openErrorOf(const std::string &members, size_t bytes) {
  return openError(makeFile("{\"w\":{" + members + "}}", bytes));
}

TEST(Safetensors, RoundTrips) {
  Tensor one = makeTensor(DType::BF16, {3}, {1, 2, 3});
  Tensor two = makeTensor(DType::I1, {0}, {});
  Tensor three = makeTensor(DType::F64, {}, {5});
  std::string bytes =
      writeSafetensors({{"one", &one}, {"two", &two}, {"three", &three}});
  auto file = SafetensorsFile::open(makeBuffer(bytes));
  ASSERT_TRUE(file) << file.message();
  EXPECT_EQ(file->names().size(), 3u);
  EXPECT_EQ(dump(*file->load("one")), dump(one));
  EXPECT_EQ(dump(*file->load("two")), dump(two));
  EXPECT_EQ(dump(*file->load("three")), dump(three));
}

// In a time that grows with the number of tensors: not with its square, which
// would be minutes.
TEST(Safetensors, ManyTensors) {
  constexpr int count = 60000;
  std::string index = "{";
  for (int i = 0; i < count; ++i)
    index += (i ? ",\"w" : "\"w") + std::to_string(i) +
             "\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[" +
             std::to_string(i) + "," + std::to_string(i + 1) + "]}";
  auto start = std::chrono::steady_clock::now();
  auto file = SafetensorsFile::open(makeBuffer(makeFile(index + "}", count)));
  ASSERT_TRUE(file) << file.message();
  for (const std::string &name : file->names())
    ASSERT_TRUE(file->load(name));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Safetensors, MetadataIsNotATensor) {
  auto file = SafetensorsFile::open(
      makeBuffer(makeFile("{\"__metadata__\":{\"format\":\"pt\"}}  ", 0)));
  EXPECT_EQ(file->names().size(), 0u);
}

TEST(Safetensors, TypesThatWeLackMattterWhenLoaded) {
  auto file = SafetensorsFile::open(makeBuffer(makeFile(
      "{\"w\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2)));
  EXPECT_EQ(messageOf(file->load("w")),
            "expected one of the dtypes F16 BF16 F32 F64 BOOL I8 I16 I32 I64, "
            "but got 'U8'");
}

TEST(Safetensors, BadLengths) {
  EXPECT_EQ(openError("{}"), "expected a safetensors file, but got 2 bytes");
  EXPECT_EQ(
      openError(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10)),
      "expected an index of at most 2 bytes, but got "
      "18446744073709551615");
}

TEST(Safetensors, BadJson) {
  EXPECT_EQ(openError(makeFile("{\"w\":", 0)),
            "expected JSON, but got something else");
  EXPECT_EQ(openError(makeFile("[]", 0)), "expected an object, but got array");
  EXPECT_EQ(openError(makeFile("{\"w\":1}", 0)),
            "'w': expected an object, but got number");
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[2]", 8),
            "'w': expected a member 'data_offsets', but got none");
  EXPECT_EQ(
      openErrorOf("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]", 8),
      "'w': expected two offsets, but got 1");
  EXPECT_EQ(
      openErrorOf("\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]", 8),
      "'w'.shape[0]: expected a size, but got -2");
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[2.5],\"data_offsets\":"
                        "[0,8]",
                        8),
            "'w'.shape[0]: expected an integer of 64 bits, but got number");
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":"
                        "[0,18446744073709551615]",
                        8),
            "'w'.data_offsets[1]: expected an integer of 64 bits, but got "
            "number");
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":"
                        "[0,8]},\"v\":{},\"w\":{\"dtype\":\"F32\"",
                        8),
            "expected each name of an object once, but got 'w' again");
  // Deep nesting must not overflow a stack.
  EXPECT_EQ(openError(makeFile(std::string(1000000, '['), 0)),
            "expected JSON, but got something else");
}

TEST(Safetensors, OffsetsOutside) {
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":"
                        "[4,12]",
                        8),
            "'w': expected offsets within 8 bytes, but got 4 and 12");
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":"
                        "[0,9223372036854775807]",
                        8),
            "'w': expected offsets within 8 bytes, but got 0 and "
            "9223372036854775807");
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":"
                        "[8,0]",
                        8),
            "'w': expected offsets within 8 bytes, but got 8 and 0");
}

TEST(Safetensors, OverlapsAndHoles) {
  EXPECT_EQ(
      openError(makeFile(
          "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
          "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}",
          12)),
      "'b': expected the tensor to start at byte 8, where the one before it "
      "ends, but got 4");
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":"
                        "[4,8]",
                        8),
            "'w': expected the tensor to start at byte 0, where the one before "
            "it ends, but got 4");
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":"
                        "[0,4]",
                        8),
            "expected 4 bytes of elements, but got 8");
}

TEST(Safetensors, SizesThatDisagree) {
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":"
                        "[0,8]",
                        8),
            "'w': expected 12 bytes for F32 of shape [3], but got 8");
  EXPECT_EQ(openErrorOf("\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],"
                        "\"data_offsets\":[0,8]",
                        8),
            "'w': the shape [4611686018427387904, 4] is too large");
}
