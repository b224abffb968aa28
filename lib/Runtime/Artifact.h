// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled artifact: its manifest, and its entries as functions.
#ifndef MIXATTN_LIB_RUNTIME_ARTIFACT_H
#define MIXATTN_LIB_RUNTIME_ARTIFACT_H

#include "lib/Runtime/Buffer.h"
#include "lib/Runtime/Call.h"
#include "lib/Runtime/Manifest.h"
#include <optional>

namespace mixattn {

/// An object, a shared library or a compiled runner made by mixattn-compile.
/// Its manifest is read without loading it. A loaded library stays until the
/// process ends.
class Artifact {
public:
  /// Reads a file, or standard input (`-`). Errors name the path.
  static Result<Artifact> open(const std::string &path);
  /// The artifact inside this executable, if it is a compiled runner. Errors
  /// call it `name`.
  static Result<std::optional<Artifact>> openEmbedded(const std::string &name);

  const Manifest &manifest() const { return content; }
  /// How errors call the artifact.
  const std::string &path() const { return place; }

  /// Leaves of an artifact for CPUs and for GPUs what is for one of the two.
  void narrowTo(bool isGpu) { content = content.halfFor(isGpu); }

  /// Whether the shared library calls OpenMP's runtime, without which it has
  /// one thread.
  bool usesOpenMP() const;

  /// The entry of that name; with an empty name the only one.
  Result<const Entry *> find(std::string_view name) const;

  /// Makes an entry callable: checks that this machine and process can run it,
  /// loads the library, finds the symbol.
  Result<LoadedEntry> load(const Entry &entry) const;

private:
  static Result<Artifact> fromBytes(Buffer file, const std::string &place);
  Result<std::string> libraryPath() const;

  std::string place;
  Buffer file;
  /// The object or shared library in `file`.
  std::string_view library;
  Manifest content;
  bool isSharedLibrary = false;
  /// The processor of `library`, as ELF numbers them.
  uint16_t machine = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_ARTIFACT_H
