// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All files that one compilation leaves: the code, its manifest, its header.
#include "lib/Target/Artifact.h"

#include "lib/Runtime/Manifest.h"
#include "lib/Target/CHeader.h"
#include "lib/Target/FfiObjects.h"
#include "lib/Target/Runner.h"
#include "lib/Target/SharedLibrary.h"

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

Status mixattn::makeArtifact(ArtifactKind kind, const std::string &path,
                             std::vector<std::string> code,
                             const Manifest &manifest,
                             const std::string &manifestText,
                             OutputFiles &files) {
  assert((code.size() == 1 || isLinked(kind)) && "one file holds one object");
  if (isLinked(kind))
    for (std::string &object : makeFfiObjects(manifest))
      code.push_back(std::move(object));
  Result<std::string> bytes = isLinked(kind)
                                  ? linkSharedLibrary(code, manifest.sanitizer)
                                  : std::move(code.front());
  if (bytes && kind == ArtifactKind::Runner)
    bytes = makeRunner(findRunner(), *bytes);
  if (!bytes)
    return bytes.error();
  Status added = files.add(path, std::move(*bytes), isLinked(kind));
  bool isDescribed = isKernels(kind) || codeKindOf(kind) == CodeKind::Object;
  if (!added || !isDescribed || !isOrdinaryFile(path))
    return added;
  added = files.add(withSuffix(path, "json"), manifestText + "\n");
  if (!added || isKernels(kind))
    return added;
  return files.add(withSuffix(path, "h"), makeCHeader(manifest));
}
