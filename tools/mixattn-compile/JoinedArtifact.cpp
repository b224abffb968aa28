// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for GPUs, and for several targets in one artifact.
#include "tools/mixattn-compile/JoinedArtifact.h"

#include "lib/Target/DispatchObjects.h"
#include "lib/Target/LaunchTable.h"
#include "lib/Target/MergeManifests.h"

using namespace mixattn;

namespace {
/// The code of a module, for all targets of an artifact.
struct AllCode {
  /// For CPUs; none where there are GPUs alone.
  std::vector<std::string> hostObjects;
  std::vector<GpuKernels> kernels;
  /// The manifest of the artifact.
  std::string text;
};
} // namespace

/// The objects of a library: what launches kernels, and where there is code for
/// CPUs what chooses.
static Result<std::vector<std::string>>
makeObjects(const CudaTools &tools, AllCode code, const Manifest &manifest) {
  std::vector<std::string> objects = std::move(code.hostObjects);
  bool isForGpusAlone = objects.empty();
  if (!code.kernels.empty()) {
    auto images = makeImages(tools, code.kernels);
    if (!images)
      return images.error();
    auto launch = isForGpusAlone
                      ? makeLaunchObjects(manifest, code.text, *images)
                      : makeLaunchObjects(manifest.halfFor(/*isGpu=*/true),
                                          code.text, *images, cudaPrefix);
    if (!launch)
      return launch.error();
    llvm::append_range(objects, *launch);
  }
  if (!isForGpusAlone)
    llvm::append_range(objects, makeDispatchObjects(manifest, code.text));
  return objects;
}

/// The code in the form that the output has; objects of what is linked.
static Result<std::vector<std::string>>
joinCode(const Options &options, AllCode code, const Manifest &manifest) {
  const std::vector<GpuKernels> &kernels = code.kernels;
  if (options.kind == ArtifactKind::Ptx)
    return std::vector<std::string>{kernels.front().ptx};
  CudaTools tools(options.cudaPath);
  if (!isKernels(*options.kind))
    return makeObjects(tools, std::move(code), manifest);
  auto made = options.kind == ArtifactKind::Cubin
                  ? tools.assemble(kernels.front().ptx, kernels.front().chip)
                  : makeFatbin(tools, kernels);
  if (!made)
    return made.error();
  return std::vector<std::string>{std::move(*made)};
}

/// Compiles `source` for each of `machines`.
static ExitCode compileAll(const Options &options,
                           llvm::ArrayRef<Machine> machines,
                           const llvm::MemoryBuffer &source, AllCode &made) {
  std::vector<std::string> manifests, hostManifests;
  for (const Machine &machine : machines) {
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(
        source.getBuffer(), source.getBufferIdentifier());
    Compilation compilation(options, machine, std::move(copy));
    ExitCode code =
        machine.isGpu
            ? compilation.run(made.kernels, manifests, machines.size() > 1)
            : compilation.run(made.hostObjects, hostManifests);
    if (code)
      return code;
  }
  if (hostManifests.empty()) {
    made.text = mergeManifests(manifests);
    return done;
  }
  made.text = mergeVersions(hostManifests);
  if (!manifests.empty())
    made.text = joinManifests(made.text, mergeManifests(manifests));
  return done;
}

ExitCode mixattn::compileJoined(const Options &options,
                                llvm::ArrayRef<Machine> machines,
                                const llvm::MemoryBuffer &source,
                                OutputFiles &files) {
  AllCode all;
  if (ExitCode code = compileAll(options, machines, source, all))
    return code;
  std::string text = all.text;
  auto manifest = parseManifest(text);
  if (!manifest)
    return report(manifest.error());
  auto code = joinCode(options, std::move(all), *manifest);
  if (!code)
    return report(code.error());
  Status added = makeArtifact(*options.kind, options.output, std::move(*code),
                              *manifest, text, files);
  return added ? done : report(added.error());
}
