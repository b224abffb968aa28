// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long an attention takes, by each algorithm.

#ifndef MIXATTN_PASSES_PLAN_PREDICTOR_H
#define MIXATTN_PASSES_PLAN_PREDICTOR_H

#include "passes/target/CpuModel.h"
#include "passes/plan/Workload.h"

namespace mixattn {

struct Prediction {
  double seconds = 0;
  /// Memory in addition to arguments and results: of each thread, or on the
  /// plain path of the call.
  double bytes = 0;
};

/// Predicts one attention on one CPU with a number of threads. plan.md explains
/// the terms.
class Predictor {
public:
  Predictor(Workload work, const CpuModel &cpu, int64_t threads)
      : work(std::move(work)), cpu(cpu), threads(threads) {}

  Prediction predict(const PlanCase &plan, const PlanSizes &sizes) const;
  /// The part of the peak of all threads that a time of `seconds` means.
  double shareOfPeak(double seconds, const PlanSizes &sizes) const;
  /// Whether products are of pairs of bf16.
  bool hasPairs() const { return work.isBf16 && cpu.hasPairs(); }

  const Workload work;

private:
  Prediction predictTiles(const PlanCase &plan, const PlanSizes &sizes) const;
  Prediction predictDecode(const PlanCase &plan, const PlanSizes &sizes) const;
  Prediction predictChunks(const PlanCase &plan, const PlanSizes &sizes) const;
  Prediction predictPieces(const PlanCase &plan, const PlanSizes &sizes) const;
  Prediction predictPlain(const PlanSizes &sizes) const;

  double cyclesOfMoves(double rows, double readers) const;
  double slotsOfPair(const PlanCase &plan, double keys) const;
  /// `readers` are the threads that have a tile.
  double cyclesOfTile(const PlanCase &plan, const PlanSizes &sizes,
                      int64_t lanes, double readers) const;
  double scratchOf(const PlanCase &plan, int64_t lanes) const;
  double stripOf(const PlanSizes &sizes, int64_t lanes) const;
  /// Bytes that one of `readers` reads in a cycle of a set of `bytes`, where
  /// `all` bytes are read in turns.
  double readRate(double bytes, double all, double readers) const;
  /// Seconds of `count` pieces of work of equal or, if `isUneven`, of different
  /// length that threads share.
  double share(double cycles, double count, double longest,
               bool isUneven) const;
  double productSlots() const;
  double bytesOfFactor() const;
  double slotsOfExp(double hidden) const;

  const CpuModel cpu;
  int64_t threads;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_PREDICTOR_H
