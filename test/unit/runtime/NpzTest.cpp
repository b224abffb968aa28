// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of .npz archives, good and bad. test/tools/mixattn-run-npz.test reads
// archives that NumPy compressed.
#include "lib/Runtime/Npz.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

static std::string makeArchive() {
  Tensor one = makeTensor(DType::F32, {2}, {1, 2});
  Tensor two = makeTensor(DType::I64, {0, 3}, {});
  return *writeNpz({{"one", &one}, {"two", &two}});
}

static std::string readError(std::string_view file) {
  return messageOf(readNpz(file));
}

/// The archive with a field of the first directory entry overwritten.
template <typename T> static std::string withField(size_t offset, T value) {
  std::string file = makeArchive();
  size_t at = file.find("PK\x01\x02");
  std::memcpy(&file[at + offset], &value, sizeof(value));
  return file;
}

TEST(Npz, RoundTrips) {
  auto tensors = readNpz(makeArchive());
  ASSERT_EQ(tensors->size(), 2u);
  EXPECT_EQ((*tensors)[0].first, "one");
  EXPECT_EQ((*tensors)[0].second.number(1), 2);
  EXPECT_EQ((*tensors)[1].first, "two");
  EXPECT_EQ((*tensors)[1].second.shape(), (Shape{0, 3}));
  EXPECT_EQ(readNpz(*writeNpz({}))->size(), 0u);
}

// Members that nobody asks for are not read, damaged as they may be.
TEST(Npz, AsksBeforeItReads) {
  std::string file = makeArchive();
  file[file.find("<f4")] = '>';
  std::string asked;
  EXPECT_EQ(messageOf(readNpz(file,
                              [&](const std::string &name) -> Status {
                                asked += name;
                                return makeError("expected another name");
                              })),
            "expected another name");
  EXPECT_EQ(asked, "one");
}

TEST(Npz, EqualInputsGiveEqualBytes) {
  EXPECT_EQ(makeArchive(), makeArchive());
}

// A small file does not ask for much memory.
TEST(Npz, MembersInOnePlace) {
  Tensor ones = makeTensor(DType::F32, {250}, std::vector<double>(250, 1));
  std::string file = *writeNpz({{"ones", &ones}});
  size_t entry = file.find("PK\x01\x02"), end = file.find("PK\x05\x06");
  std::string again = file.substr(entry, end - entry);
  uint16_t count = 2;
  std::memcpy(&file[end + 8], &count, sizeof(count));
  std::memcpy(&file[end + 10], &count, sizeof(count));
  file.insert(end, again);
  EXPECT_EQ(readError(file), "member 'ones.npy': expected members of at most "
                             "1296 bytes in all, but got 2256");
}

TEST(Npz, Truncated) {
  std::string file = makeArchive();
  EXPECT_EQ(readError(""), "expected a zip archive, but got something else");
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(readNpz(std::string_view(file).substr(0, size)));
}

TEST(Npz, DamagedContent) {
  std::string file = makeArchive();
  file[file.find("<f4")] = '>';
  EXPECT_EQ(readError(file).substr(0, 45),
            "member 'one.npy': expected content with check");
  EXPECT_EQ(readError(withField<uint32_t>(16, 7)),
            "member 'one.npy': expected content with checksum 7, but got "
            "3886795418");
}

TEST(Npz, UnsupportedMembers) {
  EXPECT_EQ(readError(withField<uint16_t>(10, 12)),
            "member 'one.npy': expected a stored or deflated member, but got "
            "zip method 12");
  EXPECT_EQ(readError(withField<uint16_t>(8, 1)),
            "member 'one.npy': expected plain content, but got an encrypted "
            "member");
  EXPECT_EQ(readError(withField<uint32_t>(24, 0xffffffff)),
            "member 'one.npy': expected less than 4 GiB, but got a zip64 "
            "member");
  EXPECT_EQ(readError(withField<uint8_t>(46 + 6, 'x')),
            "member 'one.npx': expected a name that ends in .npy");
}

TEST(Npz, OffsetsOutside) {
  EXPECT_EQ(readError(withField<uint32_t>(42, 0x7fffffff)),
            "member 'one.npy': expected a zip archive, but got something else");
  EXPECT_EQ(readError(withField<uint32_t>(20, 0x7fffffff)),
            "member 'one.npy': expected 2147483647 packed bytes, but the "
            "archive ends in them");
}

TEST(Npz, NotDeflated) {
  EXPECT_EQ(readError(withField<uint16_t>(10, 8)),
            "member 'one.npy': expected 136 bytes of deflated content, but got "
            "something else");
}

/// A small member that claims to hold gigabytes costs no memory.
TEST(Npz, Bomb) {
  std::string file = withField<uint16_t>(10, 8);
  uint32_t size = 0xf0000000;
  std::memcpy(&file[file.find("PK\x01\x02") + 24], &size, sizeof(size));
  EXPECT_EQ(readError(file),
            "member 'one.npy': expected 4026531840 bytes of deflated content, "
            "but got something else");
}
