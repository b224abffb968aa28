// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading, checking and loading of artifacts.
#include "lib/Runtime/Artifact.h"
#include "lib/Runtime/CpuFeatures.h"
#include "lib/Runtime/ElfSection.h"
#include "lib/Runtime/Files.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mixattn;

namespace {
/// The last bytes of a compiled runner; the library lies right before them.
struct Trailer {
  uint64_t size;
  char magic[8];

  bool isOurs() const { return std::memcmp(magic, "MIXATTN1", 8) == 0; }
};
} // namespace

/// The library inside a compiled runner; any other file as it is.
static Result<std::string_view> findLibrary(std::string_view file) {
  Trailer trailer;
  if (file.size() < sizeof(trailer))
    return file;
  size_t end = file.size() - sizeof(trailer);
  std::memcpy(&trailer, file.data() + end, sizeof(trailer));
  if (!trailer.isOurs())
    return file;
  if (trailer.size > end)
    return makeError("expected a runner with a library of {} bytes inside, but "
                     "got {} bytes in all",
                     trailer.size, file.size());
  return file.substr(end - trailer.size, trailer.size);
}

Result<Artifact> Artifact::fromBytes(Buffer file, const std::string &place) {
  Result<std::string_view> library = findLibrary(file.view());
  if (!library)
    return inPlace(place, library.error());
  Result<ElfSection> section = findElfSection(*library, ".mixattn.manifest");
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
  artifact.place = place;
  artifact.file = std::move(file);
  artifact.library = *library;
  artifact.content = std::move(*manifest);
  artifact.isSharedLibrary = section->isSharedLibrary;
  artifact.machine = section->machine;
  return artifact;
}

Result<Artifact> Artifact::open(const std::string &path) {
  Result<Buffer> file = mapFile(path);
  if (!file)
    return file.error();
  return fromBytes(std::move(*file), path);
}

Result<std::optional<Artifact>>
Artifact::openEmbedded(const std::string &name) {
  static const std::string self = "/proc/self/exe";
  Trailer trailer = {};
  if (FILE *file = fopen(self.c_str(), "rb")) {
    constexpr long size = sizeof(trailer);
    if (fseek(file, -size, SEEK_END) != 0 ||
        fread(&trailer, sizeof(trailer), 1, file) != 1)
      trailer = {};
    fclose(file);
  }
  if (!trailer.isOurs())
    return std::optional<Artifact>();
  Result<Buffer> file = mapFile(self);
  if (!file)
    return file.error();
  Result<Artifact> artifact = fromBytes(std::move(*file), name);
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

bool Artifact::usesOpenMP() const {
  // The names of what a library takes from others are here.
  Result<ElfSection> names = findElfSection(library, ".dynstr");
  constexpr std::string_view prefix("\0__kmpc_", 8);
  return names && names->content.find(prefix) != std::string_view::npos;
}

/// A path that dlopen can have: the file's own, or one in memory where the
/// library is a part of the file, or came through a pipe.
Result<std::string> Artifact::libraryPath() const {
  if (place != "-" && library.size() == file.size())
    return place.find('/') == place.npos ? "./" + place : place;
  int memory = memfd_create("mixattn", MFD_CLOEXEC);
  if (memory < 0 ||
      write(memory, library.data(), library.size()) != ssize_t(library.size()))
    return makeError("{}: cannot be copied to memory: {}", place,
                     std::strerror(errno));
  return "/proc/self/fd/" + std::to_string(memory);
}

Result<LoadedEntry> Artifact::load(const Entry &entry) const {
  if (!isSharedLibrary)
    return makeError("{}: expected a shared library, but got an object", place);
  if (machine != EM_X86_64)
    return makeError("{}: expected code for {}, but got code for {}", place,
                     machineName(EM_X86_64), machineName(machine));
  if (Status check = checkCode(content); !check)
    return inPlace(place, check.error());
  if (Status check = checkSanitizer(content.sanitizer); !check)
    return inPlace(place, check.error());
  Result<std::string> path = libraryPath();
  if (!path)
    return path.error();
  void *handle = dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return makeError("{}: cannot be loaded: {}", place, dlerror());
  auto find = [&](const std::string &name) -> Result<void *> {
    if (void *symbol = dlsym(handle, name.c_str()))
      return symbol;
    return makeError("{}: expected a symbol '{}', but got none", place, name);
  };
  Result<void *> function = find(entry.symbol);
  if (!function)
    return function.error();
  LoadedEntry loaded = {reinterpret_cast<mixattn_entry>(*function)};
  if (content.target.isGpu()) {
    Result<void *> query = find("mixattn_workspace_" + entry.name);
    if (!query)
      return query.error();
    loaded.workspaceQuery = reinterpret_cast<mixattn_workspace_query>(*query);
    Result<void *> preparation = find("mixattn_prepare_" + entry.name);
    if (!preparation)
      return preparation.error();
    loaded.preparation = reinterpret_cast<mixattn_preparation>(*preparation);
  }
  if (!content.versions.empty()) {
    Result<void *> query = find("mixattn_version_" + entry.name);
    if (!query)
      return query.error();
    loaded.versionQuery = reinterpret_cast<mixattn_version_query>(*query);
  }
  if (entry.kernels) {
    Result<void *> profile =
        find("mixattn_profile_of_" + content.entries.front().name);
    if (!profile)
      return profile.error();
    loaded.profile = static_cast<mixattn_profile **>(*profile);
  }
  using Count = int (*)();
  if (void *count = dlsym(handle, "omp_get_max_threads"))
    loaded.threads = reinterpret_cast<Count>(count)();
  return loaded;
}
