// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a CPU name means: the features that generated code may use.
#include "lib/Target/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mixattn;
using llvm::StringRef;

/// Features that generated code profits from and that the runtime can test for
/// (lib/Runtime/CpuFeatures.cpp knows each of these names). Closed under what
/// LLVM lets one feature imply, and sorted.
static constexpr StringRef usableFeatures[] = {
    "aes",          "avx",        "avx2",       "avx512bf16",
    "avx512bitalg", "avx512bw",   "avx512cd",   "avx512dq",
    "avx512f",      "avx512fp16", "avx512ifma", "avx512vbmi",
    "avx512vbmi2",  "avx512vl",   "avx512vnni", "avx512vpopcntdq",
    "avxvnni",      "bmi",        "bmi2",       "f16c",
    "fma",          "gfni",       "lzcnt",      "movbe",
    "pclmul",       "popcnt",     "sse3",       "sse4.1",
    "sse4.2",       "ssse3",      "vaes",       "vpclmulqdq"};

/// What every x86-64 CPU has: always on, and never listed.
static constexpr StringRef baseFeatures[] = {"64bit", "cmov", "cx8",  "fxsr",
                                             "mmx",   "sse",  "sse2", "x87"};

bool Machine::has(StringRef name) const {
  return llvm::is_contained(features, name);
}

/// What the CPU `machine.cpu` has, by LLVM's names; `isNative`: this one.
static llvm::StringMap<bool> listFeatures(const Machine &machine,
                                          bool isNative) {
  llvm::StringMap<bool> present;
  llvm::SmallVector<StringRef> ofCpu;
  llvm::X86::getFeaturesForCPU(machine.cpu, ofCpu);
  for (StringRef feature : ofCpu) {
    present[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, present);
  }
  if (isNative)
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      present[feature.first()] = feature.second;
  return present;
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

Result<Machine> mixattn::lookUpMachine(StringRef name) {
  auto isKnown = [](StringRef cpu) {
    return llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) !=
           llvm::X86::CK_None;
  };
  bool isNative = name == "native";
  Machine machine;
  machine.cpu = isNative ? llvm::sys::getHostCPUName().str() : name.str();
  // A virtual machine may hide its model, but not its features.
  if (isNative && !isKnown(machine.cpu))
    machine.cpu = "x86-64";
  if (!isKnown(machine.cpu))
    return makeError("expected 'native' or the name of a 64-bit x86 CPU as "
                     "target, but got '{}'",
                     name.str());

  setFeatures(machine, listFeatures(machine, isNative));
  return machine;
}
