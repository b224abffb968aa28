// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of predictions, measured on one machine (Zen 5, AVX-512) but
// where it says another, and thresholds of schedules; passes/plan/plan.md says
// where each of the former acts.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_CALIBRATION_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_CALIBRATION_H

#include <cstdint>

namespace mixattn::calibration {

// Slots are turns of a port that begins one vector multiply-add a cycle.

/// A product of queries and keys over D features takes D + this many slots for
/// each vector of scores: its sums are stored.
constexpr double scoreOverhead = 1.6;
/// Pooling a block of K keys takes K + this many slots for each vector of
/// values: its sums are loaded, rescaled and stored.
constexpr double poolOverhead = 2.5;
/// An exp of a vector under the products of the next block's scores, and alone;
/// the slots of such products that hide one.
constexpr double hiddenExp = 3, nakedExp = 11, hidingSlots = 48;
/// The same of either where all vector arithmetic takes the ports of
/// multiply-adds, measured on Granite Rapids: nothing is hidden.
constexpr double sharedExp = 13;
/// Products by AMX, measured on Granite Rapids: a multiply-add of a vector of
/// scores or values; storing a vector of scores; loading and storing sums,
/// which a multiply-add has its share of for each key of a block; and the
/// weight of a score, after them.
constexpr double amxMultiplyAdd = 0.0725, amxStore = 2.7, amxSums = 3.7,
                 amxWeight = 14;
/// A multiply-add of a mixer, and any other operation on a vector of scores.
constexpr double mix = 1.4, other = 1.2;
/// An element of a mask, bias or noise, which is transposed; one of Philox.
constexpr double read = 4, draw = 30;
/// The time that products take with one vector of queries, and with two,
/// relative to the widest tile: narrower ones wait for loads.
constexpr double oneVector = 1.7, twoVectors = 1.02;
/// The part of the time that the tiles of a block add for each size of the
/// first cache by which they exceed it, and the most that they add.
constexpr double overflow = 0.03, mostOverflow = 0.05;
/// The part of the second cache that tiles may fill in addition to keys and
/// values, and the part of the time that they add for each size of that cache
/// beyond it.
constexpr double roomy = 0.25, crowding = 0.15;
/// The same of AMX, whose tiles, a block of keys and its values are all read
/// from the first cache.
constexpr double amxOverflow = 0.25;
/// The part of reading keys and values that products by AMX do not hide, which
/// take less time.
constexpr double amxExposed = 0.5;
/// How often over the traffic of a panel's strip counts: what is written is
/// read and evicted, too. Granite Rapids hides part of it.
constexpr double strip = 2, sharedStrip = 0.3;

// Cycles.

/// Packing an element of a query, or storing one of a result.
constexpr double pack = 0.8;
/// Starting a tile of queries, and a block of keys in it.
constexpr double tile = 300, block = 30;
/// A call, and what it takes more to wake other threads.
constexpr double call = 4000, wake = 20000;
/// The factor of several threads: the clock, memory, the end that all wait for.
constexpr double threads = 1.02;

/// The slots that decode takes in addition to the multiply-adds of a query and
/// a row of keys or values; and the part of the shorter one of products and
/// reading that the other does not hide.
constexpr double decodeRow = 8, exposed = 0.5;
/// A vector of a part's sums that is put together with the others'.
constexpr double merge = 4;

/// The part of the peak that the products of chunks of linear attention reach.
constexpr double linearShare = 0.75;

/// The part of the peak that the products of a band reach; the slots that an
/// element of a pool's result takes in addition to them; the cycles of any
/// other operation of a pool's rows.
constexpr double pieceShare = 0.42, pieceOverhead = 3, pieceOther = 0.3;

/// The part of the peak that products of dense layers reach, and the cycles of
/// packing a vector of their right side: measured on Zen 4.
constexpr double denseShare = 0.95, packedVector = 2;
/// The part of AMX's peak that they reach on Granite Rapids.
constexpr double amxDenseShare = 0.35;

/// The slots that an operation of ops on rows takes, loads and divisions
/// included: an estimate, not measured.
constexpr double rowOther = 1.5;

/// Scalar code of the plain path, in cycles: a multiply-add, another operation,
/// an exp.
constexpr double plainMultiplyAdd = 0.8, plainOther = 3, plainExp = 12;

// Thresholds of emitted code, chosen on Zen 5 with two threads. A call that has
// no more work than these does it on one thread: waking another takes as long.

/// Scores of online and panel, all heads together.
constexpr int64_t fewScores = 1 << 14;
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
/// memory is asked for: chosen on Zen 5.
constexpr int64_t chunksAhead = 2;
/// Steps of products for each unit of work on weights, from which on the work
/// of all heads hides under one head's products: chosen on Zen 5.
constexpr int64_t fewestSteps = 4;

} // namespace mixattn::calibration

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_CALIBRATION_H
