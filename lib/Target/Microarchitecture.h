// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of LLVM's CPUs a machine is.
#ifndef MIXATTN_LIB_TARGET_MICROARCHITECTURE_H
#define MIXATTN_LIB_TARGET_MICROARCHITECTURE_H

#include "lib/Runtime/CpuRecord.h"

#include <string>

namespace mixattn {

/// The name of a machine's microarchitecture.
struct Microarchitecture {
  /// LLVM's name, "znver5" or "x86-64-v4".
  std::string name;
  /// A sentence that says why, where this is not what CPUID's model says.
  std::string doubt;
};

/// Names the CPU of `record`. A hypervisor may hide features, and may show
/// another model, but cannot add features: a model is believed that has all the
/// features that are there. Else the CPU is taken for its maker's oldest that
/// has them, and for a level of x86-64 where none has.
Microarchitecture nameMicroarchitecture(const CpuRecord &record);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_MICROARCHITECTURE_H
