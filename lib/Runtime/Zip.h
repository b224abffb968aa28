// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the zip format that archives of tensors need.
#ifndef MIXATTN_LIB_RUNTIME_ZIP_H
#define MIXATTN_LIB_RUNTIME_ZIP_H

#include "lib/Runtime/Buffer.h"
#include <cstdint>

namespace mixattn {

/// Deflate makes nothing smaller than by this factor.
constexpr uint64_t mostDeflated = 1032;

/// A member of an archive as the central directory lists it.
struct ZipMember {
  std::string name;
  unsigned flags, method;
  uint32_t checksum;
  uint64_t packed, size, offset;
};

/// The content of a member: a part of the archive, or what it inflates to.
class ZipContent {
public:
  explicit ZipContent(std::string_view stored) : stored(stored) {}
  explicit ZipContent(Buffer inflated)
      : inflated(std::move(inflated)), isInflated(true) {}
  std::string_view view() const {
    return isInflated ? inflated.view() : stored;
  }

  /// Whether the content lies in the archive's own bytes.
  bool isStored() const { return !isInflated; }

private:
  std::string_view stored;
  Buffer inflated;
  bool isInflated = false;
};

/// The members of an archive, in its order.
Result<std::vector<ZipMember>> readZipDirectory(std::string_view file);

/// The content of a stored or deflated member, its checksum compared; that of a
/// stored one stays where it lies in `file`.
Result<ZipContent> readZipMember(std::string_view file,
                                 const ZipMember &member);

/// The checksum that zip keeps of a member.
uint32_t zipChecksum(std::string_view bytes);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_ZIP_H
