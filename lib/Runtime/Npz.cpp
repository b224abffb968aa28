// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npz archives: members that are .npy files.
#include "lib/Runtime/Npz.h"
#include "lib/Runtime/Npy.h"
#include "lib/Runtime/Zip.h"

using namespace mixattn;

static constexpr uint32_t localMagic = 0x04034b50;
static constexpr uint32_t centralMagic = 0x02014b50;
static constexpr uint32_t endMagic = 0x06054b50;
/// From this size on numbers stand in the zip64 format.
static constexpr uint32_t elsewhere = 0xffffffff;

template <typename T> static void put(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
}

Result<std::vector<std::pair<std::string, Tensor>>>
mixattn::readNpz(std::string_view file,
                 const std::function<Status(const std::string &name)> &check) {
  Result<std::vector<ZipMember>> members = readZipDirectory(file);
  if (!members)
    return members.error();
  std::vector<std::pair<std::string, Tensor>> tensors;
  uint64_t stored = 0, inflated = 0;
  for (const ZipMember &member : *members) {
    std::string place = "member '" + member.name + "'";
    std::string_view name = member.name;
    if (name.size() < 4 || name.substr(name.size() - 4) != ".npy")
      return inPlace(place, makeError("expected a name that ends in .npy"));
    name.remove_suffix(4);
    if (check)
      if (Status wanted = check(std::string(name)); !wanted)
        return wanted.error();
    Result<ZipContent> content = readZipMember(file, member);
    if (!content)
      return inPlace(place, content.error());
    // Members may lie in one place.
    uint64_t &total = content->isStored() ? stored : inflated;
    uint64_t most = file.size() * (content->isStored() ? 1 : mostDeflated);
    total += content->view().size();
    if (total > most)
      return inPlace(place, makeError("expected members of at most {} bytes in "
                                      "all, but got {}",
                                      most, total));
    Result<Tensor> tensor = readNpy(content->view());
    if (!tensor)
      return inPlace(place, tensor.error());
    tensors.emplace_back(name, std::move(*tensor));
  }
  return tensors;
}

/// The fields that a local header and a directory entry share.
static void putCommon(std::string &bytes, uint32_t checksum, uint32_t size,
                      size_t nameSize) {
  put<uint16_t>(bytes, 20);       // version that can read it: 2.0
  put<uint16_t>(bytes, 0x800);    // the name is UTF-8
  put<uint16_t>(bytes, 0);        // stored
  put<uint32_t>(bytes, 0x210000); // 1980-01-01: equal inputs give equal bytes
  put<uint32_t>(bytes, checksum);
  put<uint32_t>(bytes, size);
  put<uint32_t>(bytes, size);
  put<uint16_t>(bytes, static_cast<uint16_t>(nameSize));
  put<uint16_t>(bytes, 0); // no extra field
}

Result<std::string> mixattn::writeNpz(const std::vector<NamedTensor> &tensors) {
  std::string file, directory;
  for (auto &[tensorName, tensor] : tensors) {
    std::string name = tensorName + ".npy";
    std::string content = writeNpy(*tensor);
    size_t offset = file.size();
    if (offset + content.size() + name.size() >= elsewhere - (1 << 20))
      return makeError("'{}': expected less than 4 GiB in an .npz archive, use "
                       ".safetensors",
                       tensorName);
    uint32_t size = static_cast<uint32_t>(content.size());
    put(file, localMagic);
    putCommon(file, zipChecksum(content), size, name.size());
    file += name + content;
    put(directory, centralMagic);
    put<uint16_t>(directory, 20); // version that made it
    putCommon(directory, zipChecksum(content), size, name.size());
    directory.append(10, '\0'); // no comment, first disk, no attributes
    put(directory, static_cast<uint32_t>(offset));
    directory += name;
  }
  uint32_t start = static_cast<uint32_t>(file.size());
  file += directory;
  put(file, endMagic);
  put<uint32_t>(file, 0); // one disk
  put(file, static_cast<uint16_t>(tensors.size()));
  put(file, static_cast<uint16_t>(tensors.size()));
  put(file, static_cast<uint32_t>(directory.size()));
  put(file, start);
  put<uint16_t>(file, 0); // no comment
  return file;
}
