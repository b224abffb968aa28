// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for GPUs, one or several in one artifact, and for a CPU with them.
#include "tools/mixattn-compile/GpuArtifact.h"

#include "lib/Target/DispatchObjects.h"
#include "lib/Target/LaunchTable.h"
#include "lib/Target/MergeManifests.h"

using namespace mixattn;

namespace {
/// The code of a module, for all targets of an artifact.
struct AllCode {
  /// For a CPU; none where there are GPUs alone.
  std::vector<std::string> hostObjects;
  std::vector<GpuKernels> kernels;
  /// The manifest of the artifact.
  std::string text;
};
} // namespace

/// The objects of a library: what launches kernels, and where there is code for
/// a CPU what chooses.
static Result<std::vector<std::string>>
makeObjects(const CudaTools &tools, AllCode code, const Manifest &manifest) {
  auto images = makeImages(tools, code.kernels);
  if (!images)
    return images.error();
  if (code.hostObjects.empty())
    return makeLaunchObjects(manifest, code.text, *images);
  auto launch = makeLaunchObjects(manifest.halfFor(/*isGpu=*/true), code.text,
                                  *images, cudaPrefix);
  if (!launch)
    return launch.error();
  std::vector<std::string> objects = std::move(code.hostObjects);
  for (auto &more : {*launch, makeDispatchObjects(manifest, code.text)})
    llvm::append_range(objects, more);
  return objects;
}

/// The code in the form that the output has; objects of what is linked.
static Result<std::vector<std::string>>
makeGpuCode(const Options &options, AllCode code, const Manifest &manifest) {
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
  std::vector<std::string> manifests;
  std::string hostManifest;
  for (const Machine &machine : machines) {
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(
        source.getBuffer(), source.getBufferIdentifier());
    Compilation compilation(options, machine, std::move(copy));
    ExitCode code =
        machine.isGpu
            ? compilation.run(made.kernels, manifests, machines.size() > 1)
            : compilation.run(made.hostObjects, hostManifest);
    if (code)
      return code;
  }
  made.text = mergeManifests(manifests);
  if (!hostManifest.empty())
    made.text = joinManifests(hostManifest, made.text);
  return done;
}

ExitCode mixattn::compileForGpus(const Options &options,
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
  auto code = makeGpuCode(options, std::move(all), *manifest);
  if (!code)
    return report(code.error());
  Status added = makeArtifact(*options.kind, options.output, std::move(*code),
                              *manifest, text, files);
  return added ? done : report(added.error());
}
