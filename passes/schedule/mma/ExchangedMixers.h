// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers of weights that heads of a block exchange.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_EXCHANGED_MIXERS_H
#define MIXATTN_PASSES_SCHEDULE_MMA_EXCHANGED_MIXERS_H

#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/mma/ExchangeSizes.h"

namespace mixattn::mma {

/// The mixers of a block in shared memory, as products take them. Those of f16
/// are times a power of two of the query and the output head, by which no mixed
/// weight is beyond f16, and as few as can be below it.
struct ExchangedMixers {
  const ExchangeSizes &sizes;
  /// The mixers, and what takes their powers of two out again.
  mlir::Value tile, inverses;
  /// The batch row, the first query, and queries that there are.
  mlir::Value batch, firstQuery, numQueries;

  explicit ExchangedMixers(const ExchangeSizes &sizes) : sizes(sizes) {}

  /// Writes them. Others read them after a barrier.
  void emit(mlir::ImplicitLocOpBuilder &b, KernelBuffers &buffers,
            mlir::Value team);
  /// The mixer's element from head `from` to head `to`, of the query in `row`.
  mlir::Value emitAt(mlir::ImplicitLocOpBuilder &b, mlir::Value row,
                     mlir::Value from, mlir::Value to) const;
  /// What takes powers of two of weights and mixers out of `head` again, a
  /// number of each row.
  mlir::Value emitInverseRows(mlir::ImplicitLocOpBuilder &b,
                              mlir::Value head) const;

private:
  mlir::Value emitScaled(mlir::ImplicitLocOpBuilder &b, mlir::Value row,
                         mlir::Value column, mlir::Value mixer) const;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_EXCHANGED_MIXERS_H
