// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of queries and keys of a linear attention, and the states between.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_TILE_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_TILE_H

#include "passes/schedule/x86/linear/LinearFeatures.h"

namespace mixattn {

/// Emits steps of the linear schedule for one item: a batch row, one key head
/// and the query heads that read it, or all heads where a mixer joins states.
///
/// A query reads by one product: its features and its scores with the keys of
/// its chunk, side by side in `left`, times states and values, one below the
/// other in `right`. The same row times `totals` is the denominator.
class LinearTile : public FeatureRows {
public:
  LinearTile(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
             const TileSizes &sizes, mlir::Value scratch);

  /// Key heads whose states a query reads side by side, query heads that read
  /// the same; how often that is per batch row.
  int64_t numSources() const { return sources; }
  int64_t numReaders() const { return readers; }
  int64_t numGroups() const { return groups; }
  /// The columns of a state, and of one head's features.
  int64_t valueColumns() const { return pooledColumns; }
  int64_t featureColumns() const { return columns; }

  /// Each takes its scratch, and without scratch only counts: causal attention
  /// of item `number`,
  void emitCausal(mlir::Value number);
  /// the state of key head `number` (of all batch rows) over all keys, in rows
  /// of `states` and columns of `totals`,
  void emitState(mlir::Value number, mlir::Value states, mlir::Value totals);
  /// what head `number` (of all batch rows) makes of the states of all key
  /// heads by an MLP, in rows of `mixed` and columns of `mixedTotals`,
  void emitMixedState(mlir::Value number, mlir::Value states,
                      mlir::Value stateTotals, mlir::Value mixed,
                      mlir::Value mixedTotals);
  /// and what item `item` of `chunks` chunks of queries for each query head (of
  /// all batch rows) reads of them.
  void emitReads(mlir::Value item, mlir::Value chunks, mlir::Value states,
                 mlir::Value totals);

  mlir::Value sizeOf(OperandDim of) {
    return b.createOrFold<mlir::memref::DimOp>(operands.bufferOf(of.value),
                                               of.dim);
  }
  int64_t chunkSize() const { return sizes.block; }

private:
  /// Sums over keys of one head: of outer products of features and values, and
  /// of features; what they lost to rounding.
  struct State {
    mlir::Value sums, lost, totals, totalsLost;
  };
  /// Rows of queries that one product makes.
  int64_t width() const { return sources * (columns + inside); }
  void takeLeft();
  State stateOf(mlir::Value source);
  mlir::Value valuesOf(mlir::Value source) {
    return partOf(right, at.add(at.mul(source, inside), sources * columns),
                  at.value(0), sizes.block, pooledColumns);
  }
  mlir::Value keysOf(mlir::Value source) {
    return partOf(keyTile, at.mul(source, sizes.block), at.value(0),
                  sizes.block, columns);
  }
  mlir::Value emitCount();
  void emitCleared(mlir::Value tile, int64_t rows, int64_t columns);
  void emitPrefetchAhead(mlir::Value matrix, mlir::Value row,
                         bool isWrite = false);
  void emitKeys(mlir::Value head, mlir::Value first, mlir::Value count,
                mlir::Value tile);
  void emitMixedKey(mlir::Value head, mlir::Value key, mlir::Value tile,
                    mlir::Value row);
  void emitValues(mlir::Value head, mlir::Value first, mlir::Value count,
                  mlir::Value tile);
  void emitUpdate(const State &state, mlir::Value keys, mlir::Value values,
                  mlir::Value count);
  void emitQueries(mlir::Value head, mlir::Value first, mlir::Value count);
  void emitScores(mlir::Value row, mlir::Value keys);
  void emitQuotients(mlir::Value head, mlir::Value first, mlir::Value row,
                     mlir::Value queries, mlir::Value rightPart,
                     mlir::Value totalsPart, mlir::Value terms);
  void emitZeros(mlir::Value head, mlir::Value first, mlir::Value last);
  mlir::Value emitAreFinite(mlir::Value first, mlir::Value count);
  void emitChunkSources(mlir::Value first, mlir::Value count, bool isRead);
  void emitChunkUpdates(mlir::Value count);

  KernelOp kernel;
  KernelOperands kernelOperands;
  int64_t sources, readers, groups;
  /// Columns of values, and of scores next to features: a chunk of keys where
  /// queries do not see all.
  int64_t pooledColumns, inside;
  mlir::Value batch, firstSource;
  mlir::Value left, right, lost, totals, totalsLost, keyTile, turnedTile,
      productTile, rowTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_TILE_H
