// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of a pool that are made before its rows are computed.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_POOL_POOL_TABLES_H
#define MIXATTN_PASSES_SCHEDULE_X86_POOL_POOL_TABLES_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Buffers of indices; null where there are no windows, or no error.
struct PoolTables {
  /// [N]: the column that a row reads, its own outside windows.
  mlir::Value columns;
  /// [C] and [P + 1]: piece p of the rows of all heads has the errors
  /// `order[ends[p]]` to before `order[ends[p + 1]]`, in the order in which
  /// they are given.
  mlir::Value order, ends;
};

/// Emits the tables of `kernel`, a pool whose heads have `pieces` pieces of
/// `sizes.block` rows each, one number after the other. Of windows that overlap
/// the last counts; what windows and errors say beyond the rows is left out.
PoolTables emitPoolTables(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
                          const TileSizes &sizes, mlir::Value pieces);

/// Element (row, column) of `buffer`, integers, as an index.
mlir::Value readIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                      mlir::Value row, int64_t column);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_POOL_POOL_TABLES_H
