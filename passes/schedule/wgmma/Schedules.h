// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules for sm_90a.

#ifndef MIXATTN_PASSES_SCHEDULE_WGMMA_SCHEDULES_H
#define MIXATTN_PASSES_SCHEDULE_WGMMA_SCHEDULES_H

#include "passes/plan/Schedule.h"

namespace mixattn::wgmma {

/// Turns `kernel`, on buffers, into a grid of blocks of threads.
///
///     producer     fill Q   fill K0  fill V0  fill K1  fill V1  fill K2 …
///                      |        |        |        |  (a stage must be empty)
///     consumer         Q K0ᵀ           Q K1ᵀ           Q K2ᵀ
///     tensor cores     ------          ------ P0 V0    ------ P1 V1
///     exps                    P0 ….           P1 ….           P2 ….
///
/// One thread fills rings of tiles in shared memory by TMA; two warpgroups, of
/// 64 queries of one head each, empty them. Scores, weights and outputs are in
/// registers. While the tensor cores pool the values of one block of keys, the
/// exponentials of the next one are computed. Blocks of keys come last one
/// first, so that most of those that not every query sees come first.
///
/// The grid has a block of threads for each multiprocessor, or for each item if
/// there are fewer: a block of queries of a group of heads. A block of threads
/// computes one item after the other. Its producer goes on to the next one at
/// once, so that tiles of that come while the last results are finished. No
/// result depends on how many blocks there are.
///
/// Outputs go to memory by TMA, too, from a tile of their own. A block may have
/// `sharedBytes` bytes of shared memory.
///
/// Of every eight weights the unit of exponentials computes `exps`, and
/// polynomials the others.
void scheduleOnline(KernelOp kernel, int64_t sharedBytes, int64_t exps);

/// The record of this schedule.
std::unique_ptr<Schedule> makeOnline(TargetAttr target);

} // namespace mixattn::wgmma

#endif // MIXATTN_PASSES_SCHEDULE_WGMMA_SCHEDULES_H
