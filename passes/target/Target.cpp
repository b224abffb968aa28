// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what is known of a target.

#include "passes/target/Target.h"

#include "passes/target/CpuModel.h"
#include "passes/target/GpuModel.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;

/// How far predicted speeds of GPUs are off published ones, in thousandths: the
/// least and the most of the table in passes/plan/plan.md.
static constexpr int64_t residuals[] = {-67, 520};

static bool isGpu(TargetAttr target) {
  return target.getFamily() != TargetFamily::X86;
}

std::string mixattn::describeTarget(TargetAttr target) {
  if (!isGpu(target)) {
    CpuModel cpu = describeCpu(target);
    return toSentence(cpu) + (cpu.hasAmx ? "; products of bf16 by AMX" : "");
  }
  const GpuModel &gpu = describeGpu(target);
  return llvm::formatv(
      "{0}, {1} multiprocessors at {2:F2} GHz; {3} TFLOP/s of 16-bit floats by "
      "{4}, {5} GB/s; all predicted from data sheets, {6}",
      gpu.product, gpu.multiprocessors, gpu.hertz / 1e9,
      int64_t(gpu.peak() / 1e12),
      target.getFamily() == TargetFamily::Wgmma ? "wgmma" : "mma.sync",
      int64_t(gpu.memoryRate / 1e9), describeResiduals(target));
}

std::string mixattn::describeResiduals(TargetAttr target) {
  if (!isGpu(target))
    return "";
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("speeds %+.1f %% to %+.1f %% off published ones",
                      residuals[0] / 10.0, residuals[1] / 10.0);
  return text;
}

std::string mixattn::describeWorkers(TargetAttr target) {
  if (isGpu(target))
    return llvm::formatv("{0} multiprocessors",
                         describeGpu(target).multiprocessors);
  int64_t threads = describeCpu(target).threads;
  return llvm::formatv(threads == 1 ? "{0} thread" : "{0} threads", threads);
}

Object mixattn::describeTargetAsJson(TargetAttr target) {
  if (isGpu(target)) {
    const GpuModel &gpu = describeGpu(target);
    return Object{{"gpu", Object{{"chip", gpu.chip},
                                 {"product", gpu.product},
                                 {"multiprocessors", gpu.multiprocessors},
                                 {"hertz", gpu.hertz},
                                 {"flops", gpu.peak()},
                                 {"multiply_adds", gpu.products},
                                 {"exps", gpu.exps},
                                 {"others", gpu.others},
                                 {"residuals_per_mille", Array(residuals)}}}};
  }
  CpuModel cpu = describeCpu(target);
  Object described = describeAsJson(cpu);
  described["lanes"] = cpu.lanes;
  described["registers"] = cpu.registers;
  described["flops"] = cpu.peak();
  described["name"] = target.getChip();
  Object numbers;
  for (const CalibrationNumber &number : getCalibrationNumbers())
    numbers[number.name] = number.in(cpu);
  described["numbers"] = std::move(numbers);
  return Object{{"threads", cpu.threads}, {"cpu", std::move(described)}};
}

Object mixattn::describeForManifest(TargetAttr target) {
  if (isGpu(target))
    return Object{
        {"arch", "nvptx64"}, {"cpu", target.getChip()}, {"features", Array()}};
  // No CPU has what is emulated.
  std::vector<std::string> features = target.getFeatureNames();
  llvm::erase(features, emulatedAmx.str());
  return Object{{"arch", "x86_64"},
                {"cpu", target.getChip()},
                {"features", Array(features)},
                {"machine", describeAsJson(describeCpu(target))}};
}
