// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All files that one compilation leaves: the code, its manifest, its header.
#include "lib/Target/Artifact.h"

#include "lib/Runtime/Manifest.h"
#include "lib/Target/CHeader.h"
#include "lib/Target/FfiObjects.h"
#include "lib/Target/Runner.h"
#include "lib/Target/SharedLibrary.h"
#include "lib/Target/WeightsSection.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace mixattn;

bool mixattn::isKernels(ArtifactKind kind) {
  return kind == ArtifactKind::Ptx || kind == ArtifactKind::Cubin ||
         kind == ArtifactKind::Fatbin;
}

CodeKind mixattn::codeKindOf(ArtifactKind kind) {
  switch (kind) {
  case ArtifactKind::LlvmIr:
    return CodeKind::LlvmIr;
  case ArtifactKind::Assembly:
    return CodeKind::Assembly;
  case ArtifactKind::Object:
  case ArtifactKind::SharedLibrary:
  case ArtifactKind::Runner:
    return CodeKind::Object;
  case ArtifactKind::Ptx:
  case ArtifactKind::Cubin:
  case ArtifactKind::Fatbin:
    break;
  }
  llvm_unreachable("kernels are made from PTX");
}

bool mixattn::isLinked(ArtifactKind kind) {
  return kind == ArtifactKind::SharedLibrary || kind == ArtifactKind::Runner;
}

/// `path` with `suffix` instead of its own.
static std::string withSuffix(const std::string &path, llvm::StringRef suffix) {
  llvm::SmallString<128> other(path);
  llvm::sys::path::replace_extension(other, suffix);
  return other.str().str();
}

/// The bytes of a library of `code`, with what suits every library.
static Result<SizedBytes> makeLibrary(std::vector<std::string> code,
                                      const Manifest &manifest,
                                      const WeightsSection *weights) {
  for (std::string &object : makeFfiObjects(manifest))
    code.push_back(std::move(object));
  if (weights)
    code.push_back(weights->makeObject());
  Result<std::string> linked = linkSharedLibrary(code, manifest.sanitizer);
  if (!linked)
    return linked.error();
  if (weights)
    return weights->fill(std::move(*linked));
  return SizedBytes::of(std::move(*linked));
}

Status mixattn::makeArtifact(ArtifactKind kind, const std::string &path,
                             std::vector<std::string> code,
                             const Manifest &manifest,
                             const std::string &manifestText,
                             OutputFiles &files,
                             const WeightsSection *weights) {
  assert((code.size() == 1 || isLinked(kind)) && "one file holds one object");
  assert((!weights || isLinked(kind)) && "sections are linked");
  Result<SizedBytes> made =
      isLinked(kind) ? makeLibrary(std::move(code), manifest, weights)
                     : SizedBytes::of(std::move(code.front()));
  if (made && kind == ArtifactKind::Runner)
    made = makeRunner(findRunner(), std::move(*made));
  if (!made)
    return made.error();
  Status added = files.add(path, std::move(made->bytes), isLinked(kind));
  bool isDescribed = isKernels(kind) || codeKindOf(kind) == CodeKind::Object;
  if (!added || !isDescribed || !isOrdinaryFile(path))
    return added;
  added = files.add(withSuffix(path, "json"), manifestText + "\n");
  if (!added || isKernels(kind))
    return added;
  return files.add(withSuffix(path, "h"), makeCHeader(manifest));
}
