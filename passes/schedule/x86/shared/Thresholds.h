// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thresholds of emitted code, chosen on Zen 5 with two threads.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_THRESHOLDS_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_THRESHOLDS_H

#include <cstdint>

namespace mixattn::thresholds {

// A call that has no more work than these does it on one thread: waking another
// takes as long.

/// Scores of online and panel, all heads together; and multiply-adds of their
/// products and pools, of which scores of many features have more.
constexpr int64_t fewScores = 1 << 14, fewAttended = 1 << 21;
/// Keys of decode, times heads; and rows that its parts are put together in.
constexpr int64_t fewKeys = 1 << 9, fewMergedRows = 1 << 10;
/// Multiply-adds of states and reads of linear attention.
constexpr int64_t fewStateTerms = 1 << 20;
/// Multiply-adds of a pool whose weights are given.
constexpr int64_t fewPooled = 1 << 20;
/// Multiply-adds of terms of queries and keys, and of projections.
constexpr int64_t fewTerms = 1 << 20, fewProjected = 1 << 18;
/// Turns of the loops of ops on rows: an estimate, not measured.
constexpr int64_t fewTurns = 1 << 15;

/// Chunks of linear attention between a row that is read and the one that
/// memory is asked for.
constexpr int64_t chunksAhead = 2;
/// Steps of products for each unit of work on weights, from which on the work
/// of all heads hides under one head's products.
constexpr int64_t fewestSteps = 4;

} // namespace mixattn::thresholds

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_THRESHOLDS_H
