// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of a pool on a GPU, which grids make before its rows are computed.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_POOL_TABLES_H
#define MIXATTN_PASSES_SCHEDULE_GPU_POOL_TABLES_H

#include "dialect/attn/AttnOps.h"
#include "passes/body/IndexMath.h"

namespace mixattn::gpus {

/// Buffers of numbers of 32 bits; null where the pool needs none.
struct PoolTables {
  /// [N]: the column that a row reads, its own outside windows.
  mlir::Value columns;
  /// [C]: the numbers of the errors, by head and row, those of one row as they
  /// are given. Null where they are given in this order.
  mlir::Value order;
};

/// Emits the tables of `kernel`. Where the entry says so of an argument, errors
/// come in order and windows are disjoint: then a block writes each window.
/// Else a thread goes over all of them for each row or error, so that of
/// windows that overlap the last counts. Windows beyond the rows are left out.
PoolTables emitPoolTables(mlir::ImplicitLocOpBuilder &b, KernelOp kernel);

/// Element (row, column) of `buffer`, integers, as an i64.
mlir::Value readPlace(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                      mlir::Value row, int64_t column);

} // namespace mixattn::gpus

#endif // MIXATTN_PASSES_SCHEDULE_GPU_POOL_TABLES_H
