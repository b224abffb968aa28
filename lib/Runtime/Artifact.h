// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled artifact: its manifest, and its entries as functions.
#ifndef MIXATTN_LIB_RUNTIME_ARTIFACT_H
#define MIXATTN_LIB_RUNTIME_ARTIFACT_H

#include "lib/Runtime/Buffer.h"
#include "lib/Runtime/Manifest.h"
#include <optional>

namespace mixattn {

/// An object or a shared library made by mixattn-compile. Its manifest is read
/// without loading it. A loaded library stays until the process ends.
class Artifact {
public:
  /// Reads a file, or standard input (`-`). Errors name the path.
  static Result<Artifact> open(const std::string &path);
  /// The artifact that a compiled runner carries behind its own end, a shared
  /// library and the trailer {uint64_t size, "MIXATTN1"}; nothing where this
  /// executable carries none.
  static Result<std::optional<Artifact>> openEmbedded();

  const Manifest &manifest() const { return content; }
  /// How errors call the artifact.
  const std::string &path() const { return place; }

  /// The entry of that name; with an empty name the only one.
  Result<const Entry *> find(std::string_view name) const;

  /// Makes an entry callable: checks that this machine can run it, loads the
  /// library, finds the symbol.
  Result<mixattn_entry> load(const Entry &entry) const;

private:
  static Result<Artifact> fromBytes(Buffer file, std::string place,
                                    bool isOnDisk);
  Result<void *> openLibrary() const;

  std::string place;
  Buffer file;
  Manifest content;
  bool isSharedLibrary = false;
  /// Whether `place` is a path that dlopen can have.
  bool isOnDisk = false;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_ARTIFACT_H
