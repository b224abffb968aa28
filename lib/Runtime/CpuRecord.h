// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The answers of CPUID and the system: a record of them describes a machine.
#ifndef MIXATTN_LIB_RUNTIME_CPURECORD_H
#define MIXATTN_LIB_RUNTIME_CPURECORD_H

#include <array>
#include <cstdint>
#include <map>
#include <utility>

namespace mixattn {

/// Answers of CPUID and of the operating system, from which all else follows:
/// those of another machine give what that machine is.
struct CpuRecord {
  enum Register { Eax, Ebx, Ecx, Edx };
  /// By leaf and subleaf, the four registers.
  std::map<std::pair<uint32_t, uint32_t>, std::array<uint32_t, 4>> answers;
  /// XCR0: the registers that the operating system saves.
  uint64_t savedState = 0;
  /// Logical processors that this process may use.
  int64_t cores = 1;
  /// Bytes of the data caches of levels 1 to 3 as the system has them; 0 where
  /// it says nothing.
  std::array<int64_t, 3> caches = {};

  /// A register of an answer; 0 where there is no answer.
  uint32_t get(uint32_t leaf, uint32_t subleaf, Register reg) const;
};

/// The record of this machine, made at the first call.
const CpuRecord &recordOfThisMachine();

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_CPURECORD_H
