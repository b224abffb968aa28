// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts of a CPU that the planner uses.

#ifndef MIXATTN_PASSES_PLAN_CPU_MODEL_H
#define MIXATTN_PASSES_PLAN_CPU_MODEL_H

#include "lib/Runtime/MachineDescription.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mixattn {

/// A CPU as predictions see it. passes/plan/plan.md has the table of
/// microarchitectures.
struct CpuModel : MachineDescription {
  /// Floats in a vector register, and how many registers there are.
  int64_t lanes = 0, registers = 0;
  /// Bytes that one core reads in a cycle from its second cache, from the
  /// shared one, and from memory; and all cores together from memory.
  double l2Rate = 0, l3Rate = 0, memoryRate = 0, allMemoryRate = 0;

  /// Whether one instruction multiplies pairs of bf16 and adds them in f32.
  bool hasPairs() const { return pairProducts > 0; }
  /// Floating-point operations of f32 a second on one core.
  double peak() const { return 2 * multiplyAdds * double(lanes) * hertz; }
  /// Queries side by side that the register blocks of schedules have.
  int64_t widestTile() const { return lanes * (registers >= 32 ? 4 : 2); }
};

/// The CPU that LLVM calls `cpu`, as code sees it that uses `features`. Cores
/// and caches are those of `facts`, where there are facts and they say them.
CpuModel describeCpu(llvm::StringRef cpu, llvm::ArrayRef<std::string> features,
                     const std::optional<CpuFacts> &facts = std::nullopt);

/// The facts of a pass's option `machine`: none where it is empty.
Result<std::optional<CpuFacts>> readMachine(const std::string &option);

/// The `machine` of lib/Runtime/manifest.md.
llvm::json::Object describeAsJson(const MachineDescription &machine);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_CPU_MODEL_H
