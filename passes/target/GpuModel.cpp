// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of GPUs.

#include "passes/target/GpuModel.h"

using namespace mixattn;

// clang-format off
static constexpr TargetFamily mma = TargetFamily::Mma,
                              wgmma = TargetFamily::Wgmma;
/// From sm_90 on mma.sync does half of what a data sheet says, or less: only
/// wgmma and tcgen05 reach that.
static constexpr GpuModel models[] = {
    {"sm_80", "A100 40 GB", mma, 108, 1.41e9, 1024, 16, 64, 1.555e12, 163 << 10},
    {"sm_86", "A40", mma, 84, 1.74e9, 512, 16, 128, 0.696e12, 99 << 10},
    {"sm_89", "L40S", mma, 142, 2.52e9, 512, 16, 128, 0.864e12, 99 << 10},
    {"sm_90", "H100 SXM", mma, 132, 1.83e9, 1024, 16, 128, 3.35e12, 227 << 10},
    {"sm_90a", "H100 SXM", wgmma, 132, 1.83e9, 2048, 16, 128, 3.35e12, 227 << 10},
    {"sm_100", "B200", mma, 148, 1.85e9, 1024, 16, 128, 8e12, 227 << 10},
    {"sm_103", "B300", mma, 148, 1.85e9, 1024, 32, 128, 8e12, 227 << 10},
    {"sm_120", "RTX 5090", mma, 170, 2.41e9, 512, 16, 128, 1.792e12, 99 << 10}};
// clang-format on

llvm::ArrayRef<GpuModel> mixattn::getGpuModels() { return models; }

const GpuModel *mixattn::findGpu(llvm::StringRef chip) {
  for (const GpuModel &each : models)
    if (each.chip == chip)
      return &each;
  return nullptr;
}

const GpuModel &mixattn::describeGpu(TargetAttr target) {
  const GpuModel *found = findGpu(target.getChip());
  return found ? *found : models[0];
}

const GpuModel *mixattn::findGpuForMma(TargetAttr target) {
  return findGpu(target.getChip().rtrim('a'));
}
