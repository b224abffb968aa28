// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine in the words of the planner, the manifest and the tools.
#ifndef MIXATTN_LIB_RUNTIME_MACHINEDESCRIPTION_H
#define MIXATTN_LIB_RUNTIME_MACHINEDESCRIPTION_H

#include "lib/Runtime/CpuRecord.h"
#include "lib/Runtime/Result.h"
#include <map>
#include <string>
#include <string_view>

namespace mixattn {

/// A machine as CPUID and the system describe it.
struct CpuFacts {
  /// Letters and digits of the maker's name, "GenuineIntel"; empty where no
  /// machine was asked, and then so are the three numbers.
  std::string vendor;
  int64_t family = 0, model = 0, stepping = 0;
  /// Logical processors that a process may use.
  int64_t cores = 0;
  /// Bytes of each core's data caches, and of the one that cores share; 0
  /// where nothing says.
  int64_t l1 = 0, l2 = 0, l3 = 0;
  /// Logical processors that share the last; 0 where nothing says.
  int64_t l3Threads = 0;
};

/// The same with what follows from the microarchitecture.
struct MachineDescription : CpuFacts {
  /// Cycles a second under vector code on all cores.
  double hertz = 0;
  /// Vector multiply-adds that begin in a cycle, and those of pairs of bf16 (0:
  /// there are none).
  double multiplyAdds = 0, pairProducts = 0;
  /// Whether all other vector arithmetic takes the ports of multiply-adds.
  bool sharesPorts = false;
  /// Numbers that a file gave in place of the microarchitecture's, by name.
  std::map<std::string, double> calibration;
};

/// Reads a record; caches come from CPUID, else from the system.
CpuFacts factsOf(const CpuRecord &record);

/// The facts as one word, in which a pass takes them:
/// "vendor=AuthenticAMD,family=25,…,l3_threads=2"; and back.
std::string toText(const CpuFacts &facts);
Result<CpuFacts> parseCpuFacts(std::string_view text);

/// The machine as a sentence for people.
std::string toSentence(const MachineDescription &machine);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_MACHINEDESCRIPTION_H
