// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that code is for, and what goes with it.
#include "tools/mixattn-compile/Targets.h"

#include "lib/Target/GpuImages.h"
#include "passes/target/Calibration.h"
#include "passes/target/GpuModel.h"

#include "llvm/ADT/StringExtras.h"

using namespace mixattn;

/// The machine that `name` stands for.
static Result<Machine> findTarget(const std::string &name) {
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

/// Why `machines`, several in their order, do not go together, or nothing.
static Status checkSeveral(llvm::ArrayRef<Machine> machines) {
  for (auto [left, right] : llvm::zip(machines, machines.drop_front())) {
    if (left.cpu == right.cpu)
      return makeError("expected '--target' to name a target once, but got "
                       "'{}' twice",
                       left.cpu);
    if (!right.isGpu && left.features == right.features)
      return makeError("expected '{}' or '{}', which have the same "
                       "instructions, but got both",
                       left.cpu, right.cpu);
    if (left.isGpu && capabilityOf(left.cpu) == capabilityOf(right.cpu))
      return makeError("expected '{}' or '{}', which are the same GPUs, but "
                       "got both",
                       left.cpu, right.cpu);
  }
  return Success{};
}

bool mixattn::hasSeveralCpus(llvm::ArrayRef<Machine> machines) {
  return machines.size() > 1 && !machines[1].isGpu;
}

Result<std::vector<Machine>> mixattn::findTargets(llvm::StringRef names,
                                                  llvm::StringRef numbers) {
  std::vector<Machine> machines;
  for (llvm::StringRef name : llvm::split(names, ',')) {
    auto machine = findTarget(name.str());
    if (!machine)
      return machine.error();
    machines.push_back(std::move(*machine));
  }
  // CPUs have no compute capability, and come first: those with AMX, then those
  // with AVX-512, then those of many instructions before those of few.
  auto rank = [](const Machine &machine) {
    return std::tuple(machine.isGpu, !machine.has("amx-bf16"),
                      !machine.has("avx512f"),
                      -int64_t(machine.features.size()),
                      capabilityOf(machine.cpu), machine.cpu);
  };
  llvm::sort(machines, [&](const Machine &left, const Machine &right) {
    return rank(left) < rank(right);
  });
  if (!numbers.empty()) {
    Machine &machine = machines.front();
    if (machine.isGpu)
      return makeError("expected no '--target-file' for '{}', which is a GPU",
                       machine.cpu);
    if (hasSeveralCpus(machines))
      return makeError("expected one CPU with '--target-file', but got '{}'",
                       names.str());
    auto given = readTargetFile(numbers, machine.cpu);
    if (!given)
      return given.error();
    machine.calibration = std::move(*given);
  }
  if (machines.size() > 1)
    if (Status fits = checkSeveral(machines); !fits)
      return fits.error();
  return machines;
}

Status mixattn::checkOptions(const Options &options,
                             llvm::ArrayRef<Machine> machines) {
  // A CPU where there is one, and a GPU where there is one.
  const Machine &machine = machines.front(), &gpu = machines.back();
  bool holdsSeveral =
      options.kind && !options.isReport() &&
      (options.kind == ArtifactKind::Fatbin || isLinked(*options.kind));
  if (machines.size() > 1 && !holdsSeveral)
    return makeError("expected one target, or a .fatbin, a .so or a runner, "
                     "which hold code for several, but got '{}'",
                     options.target);
  if (hasSeveralCpus(machines) && (options.embeds || options.isProfiled ||
                                   options.sanitizer != Sanitizer::None))
    return makeError("expected no '--embed', '--profile' or '--sanitize' for "
                     "several CPUs, but got '{}'",
                     options.target);
  if (options.embeds && gpu.isGpu)
    return makeError("expected no '--embed' for '{}', which is a GPU", gpu.cpu);
  if (options.embeds &&
      (options.isReport() || (options.kind && !isLinked(*options.kind))))
    return makeError("expected '--embed' with a .so, a runner or MLIR as "
                     "output");
  bool areKernels = options.kind && isKernels(*options.kind);
  if (areKernels && !machine.isGpu)
    return makeError("expected a GPU as target of kernels, for instance "
                     "'--target=sm_80', but got '{}'",
                     machine.cpu);
  if (!options.cudaPath.empty() && !gpu.isGpu)
    return makeError("expected no '--cuda-path' for '{}', which is no GPU",
                     gpu.cpu);
  if (!gpu.isGpu)
    return Success{};
  if (options.kind && !areKernels && !isLinked(*options.kind))
    return makeError("expected an output with suffix .mlir, .ptx, .cubin, "
                     ".fatbin or .so, or with none, for '{}', but got '{}'",
                     gpu.cpu, options.output);
  if (options.threads || options.sanitizer != Sanitizer::None ||
      !options.isOptimized || options.isProfiled)
    return makeError("expected no '-O0', '--profile', '--threads' or "
                     "'--sanitize' for '{}', which is a GPU",
                     gpu.cpu);
  return Success{};
}
