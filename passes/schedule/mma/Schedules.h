// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules for NVIDIA's GPUs.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_SCHEDULES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_SCHEDULES_H

#include "passes/plan/Schedule.h"

namespace mixattn::mma {

struct ExchangeSizes;

/// Turns `kernel`, on buffers, into a grid of blocks of threads.
///
/// Four warps share 128 queries of one head, or 64 of a group of heads whose
/// scores are mixed from those of all channels. Each warp holds 32 or 16 of
/// them, its scores and its outputs in registers, and walks over blocks of
/// keys: while one block is worked on, the next is copied to shared memory, of
/// which a block takes at most `sharedBytes` bytes. Any number of queries and
/// keys will do. Head sizes are up to 256; queries, keys and values are f16 or
/// bf16. Rows are copied in the largest pieces, of 16 bytes or less, that
/// divide them, and padded with zeros to a multiple of 16 elements.
///
/// Where weights mix over heads that read the same keys and values, rows are
/// those of a query's heads one after the other, and heads mix outputs in the
/// end (OutputMixer.h).
///
/// The counts of the grid are blocks of queries, groups of heads, batch.
///
/// Of every eight weights the unit of exponentials computes `exps`, and
/// polynomials the others.
void scheduleOnline(KernelOp kernel, int64_t sharedBytes, int64_t exps);

/// Turns `kernel`, of `attn.softmax_factors` or of `attn.pool_mixed`, into a
/// grid of blocks of threads with 64 queries each, 16 a warp. The first adds up
/// the rows of one head; the second goes over the heads in each block of keys,
/// makes their weights again, and mixes them for a group of output heads, of
/// which it has the outputs in registers. Where scores of channels meet before
/// the softmax, both score all channels for a group of heads.
///
/// The counts of the grids are blocks of queries, groups of heads, batch.
void scheduleSoftmaxFactors(KernelOp kernel, int64_t sharedBytes);
void schedulePoolMixed(KernelOp kernel, int64_t sharedBytes);
/// The second where a block has all heads, as `sizes` say.
void schedulePoolExchanged(KernelOp kernel, const ExchangeSizes &sizes);

/// Turns `kernel`, of `attn.parts`, into a grid of blocks of threads with a
/// part of the keys each. A block has the queries of all heads that read the
/// same keys and values: 16 rows a warp, up to 128, or two groups of as many.
/// It writes sums of what powers weigh, and the rows' references and sums of
/// powers. Where weights mix, it reads no values, and writes the powers.
///
/// The counts of the grid are blocks of queries times parts, groups of heads,
/// batch.
void scheduleParts(KernelOp kernel, int64_t sharedBytes);

/// Turns `kernel`, of `attn.pool_parts`, into a grid of warps with a part of
/// the keys each, up to 16 queries and some output heads, for which it mixes
/// the powers of all heads and pools values.
///
/// The counts of the grid are blocks of queries times parts, groups of heads,
/// batch.
void schedulePoolParts(KernelOp kernel, int64_t sharedBytes);

/// Adds `decode` and its stages to those of `family`, as `addTwoPass` does.
void addDecode(ScheduleTable &table, TargetFamily family);

/// Adds `two_pass` and its stages to those of `family`: all GPUs have what they
/// are made of.
void addTwoPass(ScheduleTable &table, TargetFamily family);

/// Adds every schedule of the family by mma.sync to `table`.
void addSchedules(ScheduleTable &table);

/// Adds the schedules that `online` and `dense` make to those of `family`,
/// whose GPUs have mma.sync, too; those by mma.sync for what these do not take,
/// and all others.
void addSchedulesBelow(ScheduleTable &table, TargetFamily family,
                       ScheduleTable::Factory online,
                       ScheduleTable::Factory dense);

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_SCHEDULES_H
