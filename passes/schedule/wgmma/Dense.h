// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of contractions on wgmma.

#ifndef MIXATTN_PASSES_SCHEDULE_WGMMA_DENSE_H
#define MIXATTN_PASSES_SCHEDULE_WGMMA_DENSE_H

#include "passes/plan/Schedule.h"

namespace mixattn::wgmma {

/// Turns `kernel`, of a contraction of f16 or bf16, into a grid of blocks of
/// threads, which have at most `sharedBytes` bytes of shared memory. Each has
/// 128 rows of the result and up to 128 columns, whose sums are in the
/// registers of two warpgroups. One thread fills rings of both sides by TMA,
/// 64 terms at a time. The kernel's pointwise ops are computed on the sums
/// before these are written.
void scheduleDense(KernelOp kernel, int64_t sharedBytes);

/// The record of this schedule.
std::unique_ptr<Schedule> makeDense(TargetAttr target);

} // namespace mixattn::wgmma

#endif // MIXATTN_PASSES_SCHEDULE_WGMMA_DENSE_H
