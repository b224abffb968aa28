// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the planner knows of a CPU.

#ifndef MIXATTN_PASSES_PLAN_CPU_MODEL_H
#define MIXATTN_PASSES_PLAN_CPU_MODEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mixattn {

/// A CPU as predictions see it. passes/plan/plan.md has the table of defaults.
struct CpuModel {
  /// Floats in a vector register, and how many registers there are.
  int64_t lanes, registers;
  /// Vector multiply-adds that begin in a cycle: 1 where a product and its sum
  /// take an instruction each.
  double multiplyAdds;
  /// Whether one instruction multiplies pairs of bf16 and adds them in f32.
  bool hasBf16Products;
  /// Cycles a second under vector code on all cores.
  double hertz;
  int64_t cores;
  /// Bytes of each core's caches, and of the one that all share.
  int64_t l1, l2, l3;
  /// Bytes that one core reads in a cycle from its second cache, from the
  /// shared one, and from memory; and all cores together from memory.
  double l2Rate, l3Rate, memoryRate, allMemoryRate;

  /// Floating-point operations of f32 a second on one core.
  double peak() const { return 2 * multiplyAdds * double(lanes) * hertz; }
  /// Queries side by side that the register blocks of schedules have.
  int64_t widestTile() const { return lanes * (registers >= 32 ? 4 : 2); }
};

/// The CPU that LLVM calls `cpu`, as code sees it that uses `features`. With
/// `isNative` its cores and caches are this machine's.
CpuModel describeCpu(llvm::StringRef cpu, llvm::ArrayRef<std::string> features,
                     bool isNative);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_CPU_MODEL_H
