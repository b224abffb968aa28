// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that code is for, and what goes with it.
#include "tools/mixattn-compile/Targets.h"

#include "passes/target/GpuModel.h"

using namespace mixattn;

Result<Machine> mixattn::findTarget(const std::string &name) {
  if (!llvm::StringRef(name).starts_with("sm_"))
    return lookUpMachine(name);
  if (findGpu(name)) {
    Machine machine;
    machine.cpu = name;
    machine.isGpu = true;
    return machine;
  }
  std::string known;
  for (const GpuModel &each : getGpuModels())
    known += (known.empty() ? "" : ", ") + each.chip.str();
  return makeError("expected one of the GPUs {} as target, but got '{}'", known,
                   name);
}

Status mixattn::checkOptions(const Options &options, const Machine &machine) {
  bool areKernels = options.kind && isKernels(*options.kind);
  if (areKernels && !machine.isGpu)
    return makeError("expected a GPU as target of kernels, for instance "
                     "'--target=sm_80', but got '{}'",
                     machine.cpu);
  if (!options.cudaPath.empty() && !machine.isGpu)
    return makeError("expected no '--cuda-path' for '{}', which is no GPU",
                     machine.cpu);
  if (!machine.isGpu)
    return Success{};
  if (options.kind && !areKernels && !isLinked(*options.kind))
    return makeError("expected an output with suffix .mlir, .ptx, .cubin, "
                     ".fatbin or .so, or with none, for '{}', but got '{}'",
                     machine.cpu, options.output);
  if (options.threads || options.sanitizer != Sanitizer::None ||
      !options.isOptimized || options.isProfiled)
    return makeError("expected no '-O0', '--profile', '--threads' or "
                     "'--sanitize' for '{}', which is a GPU",
                     machine.cpu);
  return Success{};
}
