// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instructions a machine has, by LLVM's names.
#ifndef MIXATTN_LIB_RUNTIME_CPUFEATURES_H
#define MIXATTN_LIB_RUNTIME_CPUFEATURES_H

#include "lib/Runtime/CpuRecord.h"
#include "lib/Runtime/Manifest.h"
#include <optional>
#include <vector>

namespace mixattn {

/// An answer of a machine that has a feature: `(register & mask) >= least`, and
/// the operating system saves all of `state`, bits of XCR0.
struct CpuAnswer {
  uint32_t leaf, subleaf;
  CpuRecord::Register reg;
  uint32_t mask, least, state;
};

/// The answers of a machine that has the feature of that name: none where it
/// only tunes code, or stands for instructions that no compiled attention
/// contains (system, keys, transactions); nothing where nobody knows it.
std::optional<std::vector<CpuAnswer>> answersWith(std::string_view name);

/// Whether a machine, operating system included, has that feature. A name that
/// nobody knows counts as missing.
bool hasCpuFeature(const CpuRecord &record, std::string_view name);

/// An error that names what this machine lacks, if it cannot run the target.
/// Code for GPUs asks nothing of the CPU, and its driver knows the GPU.
Status checkTarget(const Target &target);
/// The same of a manifest's code: of that for several CPUs it runs one.
Status checkCode(const Manifest &manifest);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_CPUFEATURES_H
