// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All files that one compilation leaves: the code, its manifest, its header.
#ifndef MIXATTN_LIB_TARGET_ARTIFACT_H
#define MIXATTN_LIB_TARGET_ARTIFACT_H

#include "lib/Runtime/Files.h"
#include "lib/Target/Object.h"

#include <string>

namespace mixattn {
class WeightsSection;
struct Manifest;

/// The kinds of artifacts that a module in the LLVM dialect is compiled to.
enum class ArtifactKind {
  LlvmIr,
  Assembly,
  Object,
  SharedLibrary,
  Runner,
  Ptx,
  Cubin,
  Fatbin
};

/// Whether an artifact of `kind` holds kernels of a GPU and no code of a host.
bool isKernels(ArtifactKind kind);

/// The code that an artifact of `kind`, which is no kernels, is made from.
CodeKind codeKindOf(ArtifactKind kind);

/// Whether an artifact of `kind` is linked, from one object or from several.
bool isLinked(ArtifactKind kind);

/// Makes the files of an artifact from `code`, of kind `codeKindOf(kind)`, and
/// adds them to `files`. Only what is linked may come from several objects, and
/// hold `weights`, which last until the files are written. The artifact itself
/// goes to `path`. An object, shared library or runner in an ordinary file gets
/// two more next to it: NAME.json, which is `manifestText`, and NAME.h, the C
/// header made from `manifest`; kernels get the first of them.
Status makeArtifact(ArtifactKind kind, const std::string &path,
                    std::vector<std::string> code, const Manifest &manifest,
                    const std::string &manifestText, OutputFiles &files,
                    const WeightsSection *weights = nullptr);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_ARTIFACT_H
