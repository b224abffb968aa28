// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of .npy files, good and bad.
#include "lib/Runtime/Npy.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

/// A file of version 1 with that header and content.
static std::string makeFile(std::string header, std::string_view content,
                            char version = 1) {
  header += '\n';
  std::string file = "\x93NUMPY";
  file += {version, 0, static_cast<char>(header.size() & 0xff),
           static_cast<char>(header.size() >> 8)};
  if (version > 1)
    file += {0, 0};
  return file.append(header).append(content);
}

static std::string readError(const std::string &file) {
  return messageOf(readNpy(file));
}

static std::string readErrorOf(const std::string &header) {
  return readError(makeFile(header, "abcdefgh"));
}

static constexpr char f32Header[] =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";

TEST(Npy, EveryDTypeRoundTrips) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64,
                      DType::I1, DType::I8, DType::I16, DType::I32, DType::I64})
    for (Shape shape :
         {Shape{}, Shape{3}, Shape{0}, Shape{2, 0, 5}, Shape{2, 3}}) {
      Tensor tensor = makeTensor(dtype, shape, {});
      for (int64_t i = 0; i < tensor.elements(); ++i)
        tensor.setNumber(i, static_cast<double>(i));
      std::string file = writeNpy(tensor);
      EXPECT_EQ((file.size() - tensor.bytes()) % 64, 0u);
      EXPECT_EQ(dump(*readNpy(file)), dump(tensor));
    }
}

TEST(Npy, WritesAsNumPyDoes) {
  std::string file = writeNpy(makeTensor(DType::BF16, {1}, {1}));
  EXPECT_EQ(file.substr(0, 67), std::string("\x93NUMPY\x01\0\x76\0", 10) +
                                    "{'descr': '|V2', 'fortran_order': False, "
                                    "'shape': (1,), }");
}

TEST(Npy, ReadsAllVersionsAndKeyOrders) {
  for (char version : {1, 2, 3})
    EXPECT_TRUE(readNpy(makeFile(f32Header, "abcdefgh", version)));
  EXPECT_TRUE(readNpy(makeFile(
      "{'shape':(2,),'fortran_order':False,'descr':'<f4'}", "abcdefgh")));
}

TEST(Npy, TruncatedOrOversized) {
  std::string file = makeFile(f32Header, "abcdefgh");
  EXPECT_EQ(readError(file.substr(0, file.size() - 1)),
            "expected 8 bytes of elements, but got 7");
  EXPECT_EQ(readError(file + "i"), "expected 8 bytes of elements, but got 9");
  EXPECT_EQ(readError(file.substr(0, 20)),
            "expected a header of 58 bytes, but the file ends in it");
  for (size_t size : {0, 5, 7})
    EXPECT_EQ(readError(file.substr(0, size)),
              "expected an .npy file, but got something else");
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(readNpy(std::string_view(file).substr(0, size)));
}

TEST(Npy, OtherFiles) {
  EXPECT_EQ(readError("PK\x03\x04 and so on"),
            "expected an .npy file, but got something else");
  EXPECT_EQ(readError(makeFile(f32Header, "abcdefgh", 4)),
            "expected .npy version 1, 2 or 3, but got 4");
}

TEST(Npy, HeaderTooLong) {
  std::string file("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12);
  EXPECT_EQ(readError(file),
            "expected a header of at most 10000 bytes, but got 2147483647");
}

TEST(Npy, HeaderMalformed) {
  for (const char *header :
       {"", "{", "{}", "[]", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': '1'}",
        "{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}"})
    EXPECT_EQ(readErrorOf(header),
              "expected a header with descr, fortran_order and shape, but got "
              "something else")
        << header;
}

TEST(Npy, WrongElements) {
  EXPECT_EQ(readErrorOf("{'descr': '>f4', 'fortran_order': False, 'shape': "
                        "(2,)}"),
            "expected little-endian elements, but got '>f4'");
  EXPECT_EQ(readErrorOf("{'descr': '|O', 'fortran_order': False, 'shape': "
                        "(1,)}"),
            "expected numbers, but got Python objects");
  EXPECT_EQ(readErrorOf("{'descr': '<c8', 'fortran_order': False, 'shape': "
                        "(1,)}"),
            "expected one of the dtypes f2 V2 f4 f8 b1 i1 i2 i4 i8, but got "
            "'<c8'");
  // Control characters of a header are escaped in messages.
  EXPECT_EQ(readErrorOf("{'descr': '<\x1b[2J\x7f\xc2\x9b\xc3\xa9\n', "
                        "'fortran_order': False, 'shape': (1,)}"),
            "expected one of the dtypes f2 V2 f4 f8 b1 i1 i2 i4 i8, but got "
            "'<\\x1b[2J\\x7f\\xc2\\x9b\xc3\xa9\\x0a'");
  EXPECT_EQ(readErrorOf("{'descr': '<f4', 'fortran_order': True, 'shape': "
                        "(2, 1)}"),
            "expected elements in C order, but got Fortran order");
  EXPECT_EQ(readErrorOf("{'descr': '|b1', 'fortran_order': False, 'shape': "
                        "(8,)}"),
            "expected booleans to be 0 or 1, but got 97");
}

TEST(Npy, HugeDims) {
  EXPECT_EQ(readErrorOf("{'descr': '<f4', 'fortran_order': False, 'shape': "
                        "(4611686018427387904, 4)}"),
            "the shape [4611686018427387904, 4] is too large");
  EXPECT_EQ(readErrorOf("{'descr': '<f4', 'fortran_order': False, 'shape': "
                        "(1000000000000,)}"),
            "expected 4000000000000 bytes of elements, but got 8");
}

TEST(Npy, ManyDims) {
  auto fileOf = [](size_t dims) {
    std::string shape;
    for (size_t dim = 0; dim < dims; ++dim)
      shape += "1,";
    return makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                        shape + ")}",
                    "abcd");
  };
  Result<Tensor> most = readNpy(fileOf(64));
  ASSERT_TRUE(most);
  Result<Tensor> again = readNpy(writeNpy(*most));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->shape(), Shape(64, 1));
  EXPECT_EQ(readError(fileOf(65)), "expected at most 64 dims, but got 65");
  EXPECT_EQ(readError(fileOf(4000)), "expected at most 64 dims, but got 4000");
}
