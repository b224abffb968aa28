// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instructions a machine has, by LLVM's names.
#ifndef MIXATTN_LIB_RUNTIME_CPUFEATURES_H
#define MIXATTN_LIB_RUNTIME_CPUFEATURES_H

#include "lib/Runtime/CpuRecord.h"
#include "lib/Runtime/Manifest.h"

namespace mixattn {

/// Whether a machine, operating system included, has that feature. Names
/// that only tune code, or stand for instructions that no compiled attention
/// contains (system, keys, transactions), count as there; a name that nobody
/// knows counts as missing.
bool hasCpuFeature(const CpuRecord &record, std::string_view name);

/// An error that names what this machine lacks, if it cannot run the target.
/// Code for GPUs asks nothing of the CPU, and its driver knows the GPU.
Status checkTarget(const Target &target);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_CPUFEATURES_H
