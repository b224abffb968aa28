// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The features that code may use, from a CPU's name or a machine's record.
#ifndef MIXATTN_LIB_TARGET_MACHINE_H
#define MIXATTN_LIB_TARGET_MACHINE_H

#include "lib/Runtime/MachineDescription.h"
#include "lib/Runtime/Result.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace mixattn {

/// An x86-64 CPU as code is generated for it, or the name of a GPU.
struct Machine {
  /// LLVM's name of the CPU, never "native", or of the GPU, "sm_80".
  std::string cpu;
  /// Whether it is a GPU: then nothing of what follows is known of it.
  bool isGpu = false;
  /// The features that code may use beyond the first x86-64: LLVM's names,
  /// sorted. This is the manifest's list, which a machine is tested against
  /// before a call; no feature outside it is left to the code generator.
  std::vector<std::string> features;
  /// The same as the code generator reads it: "-sse4a,+avx,+avx2".
  std::string featureString;
  /// Whether code is as for a CPU with AMX, but has other instructions in
  /// place of AMX's, to the same bits: for tests on any CPU with AVX-512.
  bool emulatesAmx = false;
  /// Of a machine that was asked.
  std::optional<CpuFacts> facts;
  /// Numbers of predictions that a file gave, by name.
  std::vector<std::pair<std::string, double>> calibration;
  /// A sentence that says why it is called `cpu`, where that is in doubt.
  std::string doubt;

  /// Whether `name` is among `features`.
  bool has(llvm::StringRef name) const;
};

/// The machine whose answers `record` holds.
Machine describeMachine(const CpuRecord &record);

/// The CPU `name`: "native", this machine's, or one of LLVM's names of 64-bit
/// x86 CPUs, either with "+emulated-amx" after it, or without. Any other name
/// is an error.
Result<Machine> lookUpMachine(llvm::StringRef name);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_MACHINE_H
