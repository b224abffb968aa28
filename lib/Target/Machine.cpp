// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The features that code may use, from a CPU's name or a machine's record.
#include "lib/Target/Machine.h"

#include "lib/Runtime/CpuFeatures.h"
#include "lib/Target/Microarchitecture.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mixattn;
using llvm::StringRef;

/// Features that generated code profits from and that the runtime can test for
/// (lib/Runtime/CpuFeatures.cpp knows each of these names). Closed under what
/// LLVM lets one feature imply, and sorted.
static constexpr StringRef usableFeatures[] = {"aes",
                                               "amx-bf16",
                                               "amx-int8",
                                               "amx-tile",
                                               "avx",
                                               "avx2",
                                               "avx512bf16",
                                               "avx512bitalg",
                                               "avx512bw",
                                               "avx512cd",
                                               "avx512dq",
                                               "avx512f",
                                               "avx512fp16",
                                               "avx512ifma",
                                               "avx512vbmi",
                                               "avx512vbmi2",
                                               "avx512vl",
                                               "avx512vnni",
                                               "avx512vpopcntdq",
                                               "avxvnni",
                                               "bmi",
                                               "bmi2",
                                               "f16c",
                                               "fma",
                                               "gfni",
                                               "lzcnt",
                                               "movbe",
                                               "pclmul",
                                               "popcnt",
                                               "sse3",
                                               "sse4.1",
                                               "sse4.2",
                                               "ssse3",
                                               "vaes",
                                               "vpclmulqdq"};

/// Features that every x86-64 CPU has: always on, and never listed.
static constexpr StringRef baseFeatures[] = {"64bit", "cmov", "cx8",  "fxsr",
                                             "mmx",   "sse",  "sse2", "x87"};

bool Machine::has(StringRef name) const {
  return llvm::is_contained(features, name);
}

/// The features of CPU `cpu`, by LLVM's names.
static llvm::StringMap<bool> listFeatures(StringRef cpu) {
  llvm::StringMap<bool> present;
  llvm::SmallVector<StringRef> ofCpu;
  llvm::X86::getFeaturesForCPU(cpu, ofCpu);
  for (StringRef feature : ofCpu) {
    present[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, present);
  }
  return present;
}

/// Whether the machine of `record` has `name` and all that it implies: what is
/// added to the code generator's list brings that with it.
static bool hasWhole(const CpuRecord &record, StringRef name) {
  llvm::StringMap<bool> implied;
  llvm::X86::updateImpliedFeatures(name, /*Enabled=*/true, implied);
  return hasCpuFeature(record, name) &&
         llvm::all_of(implied, [&](const auto &feature) {
           return hasCpuFeature(record, feature.first());
         });
}

/// Fills in the two feature lists of `machine`. Removals first: LLVM reads
/// from left to right, and an addition brings with it what it implies.
static void setFeatures(Machine &machine,
                        const llvm::StringMap<bool> &present) {
  std::vector<std::string> removed, added;
  for (const auto &feature : present) {
    StringRef name = feature.first();
    if (llvm::is_contained(baseFeatures, name))
      continue;
    if (feature.second && llvm::is_contained(usableFeatures, name)) {
      machine.features.push_back(name.str());
      added.push_back("+" + name.str());
    } else {
      removed.push_back("-" + name.str());
    }
  }
  llvm::sort(machine.features);
  llvm::sort(removed);
  llvm::sort(added);
  removed.insert(removed.end(), added.begin(), added.end());
  machine.featureString = llvm::join(removed, ",");
}

Machine mixattn::describeMachine(const CpuRecord &record) {
  Machine machine;
  Microarchitecture named = nameMicroarchitecture(record);
  machine.cpu = named.name;
  machine.doubt = named.doubt;
  machine.facts = factsOf(record);
  llvm::StringMap<bool> present = listFeatures(machine.cpu);
  for (StringRef feature : usableFeatures)
    present[feature] = false;
  for (auto &feature : present)
    feature.second = hasWhole(record, feature.first());
  setFeatures(machine, present);
  return machine;
}

/// The CPU `name`, without a suffix.
static Result<Machine> lookUpCpu(StringRef name) {
  if (name == "native")
    return describeMachine(recordOfThisMachine());
  if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return makeError("expected 'native' or the name of a 64-bit x86 CPU as "
                     "target, but got '{}'",
                     name.str());
  Machine machine;
  machine.cpu = name.str();
  setFeatures(machine, listFeatures(machine.cpu));
  return machine;
}

Result<Machine> mixattn::lookUpMachine(StringRef name) {
  bool emulatesAmx = name.consume_back("+emulated-amx");
  Result<Machine> machine = lookUpCpu(name);
  if (!machine || !emulatesAmx)
    return machine;
  machine->emulatesAmx = true;
  if (!machine->has("avx512dq"))
    return makeError("expected a CPU with AVX-512 before '+emulated-amx', but "
                     "got '{}'",
                     name.str());
  return machine;
}
