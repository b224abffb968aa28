// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading, checking and loading of artifacts.
#include "lib/Runtime/Artifact.h"
#include "lib/Runtime/CpuFeatures.h"
#include "lib/Runtime/ElfSection.h"
#include "lib/Runtime/Files.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mixattn;

namespace {
/// The last bytes of a compiled runner.
struct Trailer {
  uint64_t size;
  char magic[8];
};
} // namespace

static constexpr char trailerMagic[] = "MIXATTN1";

Result<Artifact> Artifact::fromBytes(Buffer file, std::string place,
                                     bool isOnDisk) {
  Result<ElfSection> section = findElfSection(file.view(), ".mixattn.manifest");
  if (!section)
    return inPlace(place, section.error());
  // The text ends in a NUL; padding may follow.
  std::string_view text = section->content;
  std::string_view rest = text.substr(std::min(text.find('\0'), text.size()));
  if (rest.find_first_not_of('\0') != std::string_view::npos)
    return inPlace(place, makeError("expected one manifest, but got several"));
  text.remove_suffix(rest.size());
  Result<Manifest> manifest = parseManifest(text);
  if (!manifest)
    return inPlace(place, manifest.error());
  Artifact artifact;
  artifact.isSharedLibrary = section->isSharedLibrary;
  artifact.isOnDisk = isOnDisk;
  artifact.place = std::move(place);
  artifact.file = std::move(file);
  artifact.content = std::move(*manifest);
  return artifact;
}

Result<Artifact> Artifact::open(const std::string &path) {
  Result<Buffer> file = readFile(path);
  if (!file)
    return file.error();
  return fromBytes(std::move(*file), path, path != "-");
}

Result<std::optional<Artifact>> Artifact::openEmbedded() {
  static constexpr char self[] = "/proc/self/exe";
  int descriptor = ::open(self, O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  Trailer trailer = {};
  constexpr off_t trailerSize = sizeof(trailer);
  if (descriptor < 0)
    return std::optional<Artifact>();
  bool found = fstat(descriptor, &status) == 0 &&
               pread(descriptor, &trailer, sizeof(trailer),
                     status.st_size - trailerSize) == trailerSize &&
               std::memcmp(trailer.magic, trailerMagic, 8) == 0 &&
               trailer.size <= uint64_t(status.st_size - trailerSize);
  Result<Buffer> file = Buffer::allocate(found ? trailer.size : 0);
  if (found && file)
    found = pread(descriptor, file->data(), trailer.size,
                  status.st_size - trailerSize - off_t(trailer.size)) ==
            ssize_t(trailer.size);
  close(descriptor);
  if (!file)
    return file.error();
  if (!found)
    return std::optional<Artifact>();
  Result<Artifact> artifact = fromBytes(std::move(*file), self, false);
  if (!artifact)
    return artifact.error();
  return std::optional<Artifact>(std::move(*artifact));
}

/// The names in quotes, for a sentence.
static std::string listNames(const std::vector<Entry> &entries) {
  std::string list;
  for (const Entry &entry : entries)
    list += (list.empty() ? "'" : ", '") + entry.name + "'";
  return list;
}

Result<const Entry *> Artifact::find(std::string_view name) const {
  const std::vector<Entry> &entries = content.entries;
  if (name.empty() && entries.size() == 1)
    return &entries.front();
  for (const Entry &entry : entries)
    if (entry.name == name)
      return &entry;
  if (name.empty())
    return makeError("{}: expected --entry=NAME with one of {}", place,
                     listNames(entries));
  return makeError("{}: expected an entry among {}, but got '{}'", place,
                   listNames(entries), name);
}

/// dlopen wants a path; one in memory will do.
Result<void *> Artifact::openLibrary() const {
  std::string path = place.find('/') == place.npos ? "./" + place : place;
  if (!isOnDisk) {
    int memory = memfd_create("mixattn", MFD_CLOEXEC);
    if (memory < 0 ||
        write(memory, file.data(), file.size()) != ssize_t(file.size()))
      return makeError("{}: cannot be copied to memory: {}", place,
                       std::strerror(errno));
    path = "/proc/self/fd/" + std::to_string(memory);
  }
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError("{}: cannot be loaded: {}", place, dlerror());
  return library;
}

Result<mixattn_entry> Artifact::load(const Entry &entry) const {
  if (!isSharedLibrary)
    return makeError("{}: expected a shared library, but got an object", place);
  if (Status check = checkTarget(content.target); !check)
    return inPlace(place, check.error());
  Result<void *> library = openLibrary();
  if (!library)
    return library.error();
  void *symbol = dlsym(*library, entry.symbol.c_str());
  if (!symbol)
    return makeError("{}: expected a symbol '{}', but got none", place,
                     entry.symbol);
  return reinterpret_cast<mixattn_entry>(symbol);
}
