// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of a warp, by the unit that computes them.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_UNIT_COUNTS_H
#define MIXATTN_PASSES_SCHEDULE_GPU_UNIT_COUNTS_H

#include "dialect/attn/AttnOps.h"
#include "passes/plan/BlockClocks.h"
#include "passes/target/GpuModel.h"

namespace mixattn {

/// Instructions of one warp. Addresses, loops and barriers are left out.
struct UnitCounts {
  /// Products of tensor cores; exps, logarithms and inverses (MUFU); sums and
  /// products of f32; maxima, comparisons, choices, conversions and integers.
  double products = 0, exps = 0, fma = 0, alu = 0;
  /// Loads, copies and exchanges of lanes, which are issued only.
  double moves = 0;

  double issued() const { return products + exps + fma + alu + moves; }
  UnitCounts &operator+=(const UnitCounts &other);
  UnitCounts operator*(double times) const;
};

/// The work of a block of threads on one block of keys.
struct BlockCounts {
  /// The stage that the block belongs to; none where a kernel is the whole.
  llvm::StringRef stage;
  int64_t queries = 0, keys = 0;
  /// Output heads of the block, or columns of a contraction.
  int64_t heads = 1;
  /// Blocks of threads that share the columns of these heads.
  int64_t columnBlocks = 1;
  /// Turns of an inner loop, over heads that are weighed one after the other.
  int64_t turns = 1;
  /// Warps that compute on each quarter of a multiprocessor.
  int64_t warps = 1;
  /// The instructions of each of these warps.
  UnitCounts warp;
  /// Instructions, and multiply-adds of products, that come in addition for a
  /// block of keys if some query keeps weights of it. None where no weights are
  /// dropped after the softmax.
  UnitCounts keptWarp;
  double keptMultiplyAdds = 0;
  /// Multiply-adds of all products, and of those that the result needs.
  double multiplyAdds = 0, usefulMultiplyAdds = 0;
  /// Bytes that are read from shared memory and written there.
  double sharedBytes = 0;
  /// Bytes that are copied to shared memory, or loaded where a schedule copies
  /// none: what the block asks the device's memory for.
  double copiedBytes = 0;
  /// Bytes of all queries of the block, which it asks for once; 0 where they
  /// are among the others.
  double queryBytes = 0;
  /// Those of `copiedBytes` that are given scores.
  double givenBytes = 0;

  /// The clocks that `gpu` takes for them; those of its peak are by `best`,
  /// where its kernels do not use all of its units.
  BlockClocks clocksOn(const GpuModel &gpu, const GpuModel &best) const;
};

/// The share of their queries that blocks of `queries` queries have of `op`,
/// the last one among them: 1 where the number of queries is open.
double countShareThere(AttentionOpInterface op, int64_t queries);

/// Whether bodies read operands from windows, or all but given scores from the
/// device's memory.
enum class ReadFrom { Windows, Memory };

/// Counts what a warp, each thread of which holds `keys` / 2 elements in two
/// rows, does from the products of `op` to the powers of `heads` heads.
UnitCounts countPowers(AttentionOpInterface op, int64_t keys, int64_t heads,
                       ReadFrom from);

/// Counts what a warp, each thread of which holds `keys` / 2 elements in two
/// rows, does from the products of `op` to the weights of `heads` heads as
/// operands, and with the outputs, which it rescales: all but the products. Of
/// every eight weights the unit of exponentials computes `exps`.
UnitCounts countSoftmax(AttentionOpInterface op, int64_t keys, int64_t heads,
                        int64_t exps, ReadFrom from = ReadFrom::Windows);

/// Counts what a warp, each thread of which holds `keys` / 2 elements in two
/// rows, does to drop weights of `heads` heads after the softmax; nothing where
/// `op` drops none.
UnitCounts countDropped(AttentionOpInterface op, int64_t keys, int64_t heads);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_UNIT_COUNTS_H
