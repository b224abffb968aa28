// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for one GPU, or for several in one artifact.
#include "tools/mixattn-compile/GpuArtifact.h"

#include "lib/Target/LaunchTable.h"
#include "lib/Target/MergeManifests.h"

using namespace mixattn;

/// The code in the form that the output has; objects of what is linked.
static Result<std::vector<std::string>>
makeGpuCode(const Options &options, llvm::ArrayRef<GpuKernels> kernels,
            const Manifest &manifest, const std::string &text) {
  if (options.kind == ArtifactKind::Ptx)
    return std::vector<std::string>{kernels.front().ptx};
  CudaTools tools(options.cudaPath);
  if (!isKernels(*options.kind)) {
    auto images = makeImages(tools, kernels);
    if (!images)
      return images.error();
    return makeLaunchObjects(manifest, text, *images);
  }
  auto code = options.kind == ArtifactKind::Cubin
                  ? tools.assemble(kernels.front().ptx, kernels.front().chip)
                  : makeFatbin(tools, kernels);
  if (!code)
    return code.error();
  return std::vector<std::string>{std::move(*code)};
}

ExitCode mixattn::compileForGpus(const Options &options,
                                 llvm::ArrayRef<Machine> machines,
                                 const llvm::MemoryBuffer &source,
                                 OutputFiles &files) {
  std::vector<GpuKernels> kernels;
  std::vector<std::string> manifests;
  for (const Machine &machine : machines) {
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(
        source.getBuffer(), source.getBufferIdentifier());
    Compilation compilation(options, machine, std::move(copy));
    if (ExitCode code =
            compilation.run(kernels, manifests, machines.size() > 1))
      return code;
  }
  std::string text = mergeManifests(manifests);
  auto manifest = parseManifest(text);
  if (!manifest)
    return report(manifest.error());
  auto code = makeGpuCode(options, kernels, *manifest, text);
  if (!code)
    return report(code.error());
  Status added = makeArtifact(*options.kind, options.output, std::move(*code),
                              *manifest, text, files);
  return added ? done : report(added.error());
}
