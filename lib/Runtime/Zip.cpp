// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of zip archives: APPNOTE 6.3.10, sections 4.3.7 (local
// header), 4.3.12 (central directory) and 4.3.16 (its end).
#include "lib/Runtime/Zip.h"
#include <cstring>
#include <optional>
#include <zlib.h>

using namespace mixattn;

static constexpr uint32_t localMagic = 0x04034b50;
static constexpr uint32_t centralMagic = 0x02014b50;
static constexpr uint32_t endMagic = 0x06054b50;
static constexpr size_t localSize = 30, centralSize = 46, endSize = 22;
/// Sizes of this value stand in the zip64 format instead.
static constexpr uint32_t elsewhere = 0xffffffff;

template <typename T> static T get(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

static Error notAnArchive() {
  return makeError("expected a zip archive, but got something else");
}

/// The end record lies at the end, before a comment of at most 64 KiB.
static std::optional<size_t> findEnd(std::string_view file) {
  if (file.size() < endSize)
    return std::nullopt;
  size_t last = file.size() - endSize;
  size_t first = last > 0xffff ? last - 0xffff : 0;
  for (size_t at = last + 1; at-- > first;)
    if (get<uint32_t>(file, at) == endMagic &&
        at + endSize + get<uint16_t>(file, at + 20) == file.size())
      return at;
  return std::nullopt;
}

Result<std::vector<ZipMember>>
mixattn::readZipDirectory(std::string_view file) {
  std::optional<size_t> end = findEnd(file);
  if (!end)
    return notAnArchive();
  size_t count = get<uint16_t>(file, *end + 10);
  size_t at = get<uint32_t>(file, *end + 16);
  std::vector<ZipMember> members;
  for (; count; --count) {
    if (at > *end || *end - at < centralSize ||
        get<uint32_t>(file, at) != centralMagic)
      return notAnArchive();
    size_t nameSize = get<uint16_t>(file, at + 28);
    size_t extraSize = get<uint16_t>(file, at + 30);
    size_t commentSize = get<uint16_t>(file, at + 32);
    if (*end - at < centralSize + nameSize + extraSize + commentSize)
      return notAnArchive();
    members.push_back(
        {std::string(file.substr(at + centralSize, nameSize)),
         get<uint16_t>(file, at + 8), get<uint16_t>(file, at + 10),
         get<uint32_t>(file, at + 16), get<uint32_t>(file, at + 20),
         get<uint32_t>(file, at + 24), get<uint32_t>(file, at + 42)});
    at += centralSize + nameSize + extraSize + commentSize;
  }
  return members;
}

/// The bytes of a member as they lie in the archive.
static Result<std::string_view> packedBytes(std::string_view file,
                                            const ZipMember &member) {
  if (member.packed == elsewhere || member.size == elsewhere ||
      member.offset == elsewhere)
    return makeError("expected less than 4 GiB, but got a zip64 member");
  if (member.flags & 1)
    return makeError("expected plain content, but got an encrypted member");
  uint64_t at = member.offset;
  if (at + localSize > file.size() || get<uint32_t>(file, at) != localMagic)
    return notAnArchive();
  at += localSize + get<uint16_t>(file, at + 26) + get<uint16_t>(file, at + 28);
  if (at + member.packed > file.size())
    return makeError("expected {} packed bytes, but the archive ends in them",
                     member.packed);
  return file.substr(at, member.packed);
}

static Result<Buffer> inflateMember(std::string_view packed, uint64_t size) {
  Error damaged = makeError("expected {} bytes of deflated content, but got "
                            "something else",
                            size);
  if (size / mostDeflated > packed.size())
    return damaged;
  Result<Buffer> content = Buffer::allocate(size);
  if (!content)
    return content;
  z_stream stream = {};
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef *>(content->data());
  stream.avail_out = static_cast<uInt>(size);
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return damaged;
  int code = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (code != Z_STREAM_END || stream.total_out != size)
    return damaged;
  return content;
}

uint32_t mixattn::zipChecksum(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

Result<ZipContent> mixattn::readZipMember(std::string_view file,
                                          const ZipMember &member) {
  Result<std::string_view> packed = packedBytes(file, member);
  if (!packed)
    return packed.error();
  ZipContent content(*packed);
  if (member.method == 8) {
    Result<Buffer> buffer = inflateMember(*packed, member.size);
    if (!buffer)
      return buffer.error();
    content = ZipContent(std::move(*buffer));
  } else if (member.method != 0) {
    return makeError("expected a stored or deflated member, but got zip "
                     "method {}",
                     member.method);
  }
  uint32_t checksum = zipChecksum(content.view());
  if (checksum != member.checksum)
    return makeError("expected content with checksum {}, but got {}",
                     member.checksum, checksum);
  return content;
}
