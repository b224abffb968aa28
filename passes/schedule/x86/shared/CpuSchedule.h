// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared part of the records of x86's schedules.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_CPU_SCHEDULE_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_CPU_SCHEDULE_H

#include "passes/plan/Schedule.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn::x86 {

/// A schedule for one CPU, with the terms that all predictions share;
/// passes/plan/plan.md explains them.
class CpuSchedule : public Schedule {
public:
  CpuSchedule(const CpuModel &cpu, llvm::StringLiteral name,
              llvm::StringLiteral summary,
              llvm::ArrayRef<PlanNumberKind> numbers = {})
      : Schedule(name, summary, numbers), cpu(cpu) {}

  double flopsOfPeak(const Workload &work) const override {
    return cpu.peak() / productSlots(work) * double(cpu.threads);
  }
  llvm::StringRef boundOf(const Workload &work,
                          const PlanSizes &sizes) const override;
  double secondsOfCall() const override;
  std::string whyNotNumbers(const PlanCase &plan) const override;

protected:
  /// Tiles of the sizes that `plan` gives, else of the usual ones.
  TileSizes sizesOf(const PlanCase &plan) const;

  /// Whether products are of pairs of bf16, by AMX or by vectors.
  bool hasPairs(const Workload &work) const {
    bool areOfF32 = work.kind == Workload::Kind::Linear;
    return work.isBf16 && ((cpu.hasPairs() && !areOfF32) || usesAmx(work));
  }
  /// Whether AMX computes the products: of linear attentions those of thirds.
  bool usesAmx(const Workload &work) const {
    return cpu.hasAmx && work.isBf16 &&
           (work.kind == Workload::Kind::Softmax ||
            work.kind == Workload::Kind::Linear ||
            work.kind == Workload::Kind::Contraction);
  }
  /// Slots of a multiply-add of products, of which pairs of bf16 have two.
  double productSlots(const Workload &work) const;
  /// Bytes of an element of queries and of weights, as products take them.
  double bytesOfFactor(const Workload &work) const {
    return hasPairs(work) ? 2 : 4;
  }
  /// The time of a kernel of rows that does so many operations and exps, and
  /// moves so many bytes.
  double secondsOfRows(double operations, double exps, double bytes) const;
  /// Cycles of the arithmetic of such rows.
  double cyclesOfRows(double operations, double exps) const;
  /// Slots of an exp, the part `hidden` of which is under products.
  double slotsOfExp(double hidden) const;
  /// Bytes that one of `readers` reads in a cycle of a set of `bytes`, where
  /// `all` bytes are read in turns.
  double readRate(double bytes, double all, double readers) const;
  /// Seconds of `count` pieces of work of equal or, if `isUneven`, of different
  /// length that threads share.
  double share(double cycles, double count, double longest,
               bool isUneven) const;
  /// Bytes of the tiles of one group of heads for `lanes` queries: the queries
  /// and the sums.
  double bytesOfTiles(const Workload &work, double lanes) const;
  /// Cycles in which the operands and results of `rows` rows of a pool move.
  double cyclesOfMoves(const Workload &work, double rows, double readers) const;

  const CpuModel cpu;
};

/// Why no schedule writes code for `op`, or nothing: an operand has no
/// elements, or the code would be too much. It is written out for each feature
/// of a head, each head of those that meet and each component of a key.
std::string whyNoCode(mlir::Operation *op);

/// Why no schedule that makes scores computes `op`, or nothing.
std::string whyNoScores(mlir::Operation *op);

/// The numbers that plans on x86 may have.
constexpr PlanNumberKind widthNumber = {
    "width", "queries side by side: a power of 2 from those of a vector up to "
             "the widest tile"};
constexpr PlanNumberKind blockNumber = {
    "block", "keys that are scored before they are pooled, or rows of a chunk "
             "or piece: a multiple of 16 up to 1024"};
constexpr PlanNumberKind splitNumber = {
    "split",
    "keys that a part has at most where 64 parts are enough: a multiple of the "
    "block"};

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_CPU_SCHEDULE_H
