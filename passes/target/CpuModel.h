// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CPU as planner, schedules and lowerings see it.

#ifndef MIXATTN_PASSES_TARGET_CPU_MODEL_H
#define MIXATTN_PASSES_TARGET_CPU_MODEL_H

#include "dialect/attn/AttnOps.h"
#include "lib/Runtime/MachineDescription.h"
#include "passes/target/Calibration.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace mixattn {

/// The one description of a CPU. passes/plan/plan.md has the table of
/// microarchitectures.
struct CpuModel : MachineDescription {
  /// Floats in a vector register, and how many registers there are.
  int64_t lanes = 0, registers = 0;
  /// Whether one instruction multiplies and adds.
  bool hasFma = false;
  /// Threads that a call is planned for.
  int64_t threads = 1;
  /// Bytes that one core reads in a cycle from its second cache, from the
  /// shared one, and from memory; and all cores together from memory.
  double l2Rate = 0, l3Rate = 0, memoryRate = 0, allMemoryRate = 0;

  /// The constants of predictions.
  Calibration costs;

  /// Steps that a turn of a pool's products has, and half as many those of
  /// scores: even, at least 2.
  int64_t stepsInTurn = 2;

  /// Whether exps overlap with products whose code they stand in. Else they
  /// wait in the queue that products need, and come after a block's products.
  bool overlapsExps = true;

  /// Whether code that reads from memory asks for rows into the second cache
  /// alone: the first one is taken to have too few requests under way.
  bool asksIntoL2 = false;

  /// Whether instructions that take the whole number off a number, and that
  /// multiply by a power of 2, take a slot each: those of AVX-512 on Intel's
  /// CPUs.
  bool scalesByPowers = false;

  /// Whether code may use AMX for products of bf16, and whether it has to
  /// compute what AMX does by other instructions.
  bool hasAmx = false, emulatesAmx = false;

  /// Whether reading what does not lie in the second cache takes time although
  /// hardware reads ahead.
  bool readsSlowly() const { return costs.hiddenReads < 1; }
  /// Whether products with one vector of queries take about as long for each as
  /// the widest tile's: loads keep up with multiply-adds.
  bool narrowTilesKeepUp() const { return costs.oneVector < 1.1; }
  /// Whether one instruction multiplies pairs of bf16 and adds them in f32, and
  /// takes less time than to widen them and to multiply them in f32.
  bool hasPairs() const { return 2 * pairProducts > multiplyAdds; }
  /// The slots of a multiply-add that one of a pair takes.
  double slotsOfPair() const { return 0.5 * multiplyAdds / pairProducts; }
  /// Whether one multiply-add of 512 bits begins in a cycle, and other
  /// arithmetic begins beside it: Zen 4.
  bool multipliesOnceACycle() const {
    return lanes == 16 && multiplyAdds == 1 && !sharesPorts;
  }
  /// The slots that decode takes to square a difference and to add it.
  double slotsOfSquare() const { return multipliesOnceACycle() ? 1 : 2; }
  /// Floating-point operations of f32 a second on one core.
  double peak() const { return 2 * multiplyAdds * double(lanes) * hertz; }
  /// Queries side by side that the register blocks of schedules have.
  int64_t widestTile() const { return lanes * (registers >= 32 ? 4 : 2); }
  /// Rows of a product whose sums fit the registers together with a row of
  /// operands and a broadcast, for tiles of `vectors` registers a row. A CPU
  /// that begins two multiply-adds a cycle, each of four cycles, waits with
  /// fewer than 8 sums, and with 8 whenever one of them is late.
  int64_t rowsInRegisters(int64_t vectors) const {
    constexpr int64_t fewestSums = 12;
    return std::max<int64_t>(1, std::max(fewestSums, registers / 2) / vectors);
  }
  /// The same if nothing but a product uses registers: besides the sums there
  /// are a row of operands, a broadcast and one to spare.
  int64_t mostRowsInRegisters(int64_t vectors) const {
    return std::max<int64_t>(1, (registers - 2) / vectors - 1);
  }
};

/// Stands among a target's features where code is scheduled for AMX, and what
/// AMX does is computed by AVX-512.
constexpr llvm::StringLiteral emulatedAmx = "emulated-amx";

/// The CPU that LLVM calls `cpu`, as code sees it that uses `features`. Cores
/// and caches are those of `facts`, where there are facts and they say them.
CpuModel describeCpu(llvm::StringRef cpu, llvm::ArrayRef<std::string> features,
                     const std::optional<CpuFacts> &facts = std::nullopt);

/// The CPU of `target`, which is of family x86.
CpuModel describeCpu(TargetAttr target);

/// The CPU that the module of `op` is compiled for.
CpuModel describeCpuOf(mlir::Operation *op);

/// The numbers as a target's `calibration`, null where there are none.
mlir::DictionaryAttr toAttribute(llvm::ArrayRef<GivenNumber> numbers,
                                 mlir::MLIRContext *context);

/// The facts that are there as a target's `machine`.
mlir::DictionaryAttr toAttribute(const CpuFacts &machine,
                                 mlir::MLIRContext *context);

/// The `machine` of lib/Runtime/manifest.md.
llvm::json::Object describeAsJson(const MachineDescription &machine);

} // namespace mixattn

#endif // MIXATTN_PASSES_TARGET_CPU_MODEL_H
