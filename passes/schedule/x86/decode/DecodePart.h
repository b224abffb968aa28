// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of the keys, for a few queries: powers, sums, pooled values.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_PART_H
#define MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_PART_H

#include "passes/body/Body.h"
#include "passes/schedule/KeyRange.h"
#include "passes/schedule/x86/shared/Operands.h"
#include "passes/schedule/x86/shared/TileBuilder.h"

namespace mixattn {

/// The buffers of a stage, of those that attn.parts and attn.pool_parts
/// describe; the others are null.
struct DecodeParts {
  /// Keys of a part, whole blocks, and how many parts there are.
  mlir::Value split, count;
  /// [B,H,N,P]: what exponents of a part are less of when powers are taken,
  /// sums of powers, and what powers have to be multiplied by.
  mlir::Value references, sums, factors;
  /// [B,H,N,P,E']: pooled values.
  mlir::Value outputs;
  /// [B,H,N,K]: powers of all keys.
  mlir::Value powers;
};

/// Emits the code of one part: a few queries, and some keys of the heads of
/// one item. Here lanes are keys, and features where they are summed over or
/// pooled, so that one query fills them.
class DecodePart : public TileBuilder {
public:
  DecodePart(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
             AttentionOpInterface op, const DecodeParts &parts,
             const TileSizes &sizes, Scratch &scratch);

  /// Items per batch row and part: heads that share keys are in one.
  int64_t numGroups() { return op.getNumHeads() / heads; }
  bool mixesWeights() { return op.hasPostmix(); }
  /// Takes a part's scratch. Its rows are known in a call, and so are its
  /// bytes.
  void takeScratch();
  mlir::Value bytesTaken() { return bytesUsed; }
  mlir::Value sizeOf(OperandDim of) {
    return b.createOrFold<mlir::memref::DimOp>(operands.bufferOf(of.value),
                                               of.dim);
  }

  /// Item `number` from scores to powers and their sums; pools values, too,
  /// where no weights mix.
  void emitWalk(mlir::Value number);
  /// Item `number` from powers to mixed weights and pooled values.
  void emitMixed(mlir::Value number);

private:
  /// The rows of statistics of a query and head.
  enum Statistic { Reference, Sum, NumStatistics };

  /// Whether each head reads its keys from end to end: where weights mix, and
  /// no head waits for another one.
  bool walksHeadByHead() { return mixesWeights() && !body.isCoupled(); }
  /// Columns of sums of values: whole vectors.
  int64_t valueColumns() { return padded(op.getValueType().getDimSize(3)); }
  mlir::Value takeRows(mlir::Value rows, int64_t columns,
                       mlir::Type element = {});
  void enter(mlir::Value number);
  void forEachBlock(llvm::function_ref<void(mlir::Value keys)> inside);
  /// Runs `inside` for the item's heads, or for those walked for together.
  void forEachHead(llvm::function_ref<void(mlir::Value head)> inside);
  void forEachWalkedHead(llvm::function_ref<void(mlir::Value head)> inside);
  void forEachQuery(llvm::function_ref<void(mlir::Value query)> inside) {
    forEach(0, queries, 1, inside);
  }
  /// Runs `inside` for `count` rows from `first` on, as many at once as read a
  /// key or value together, and for what is left half as many, down to one.
  void
  forRowsAtOnce(mlir::Value first, mlir::Value count,
                llvm::function_ref<void(mlir::Value row, int64_t rows)> inside);
  /// The row of `head` and `query` among the item's.
  mlir::Value slotOf(mlir::Value head, mlir::Value query) {
    return at.add(at.mul(at.sub(head, firstHead), queries), query);
  }
  /// The powers of `head`, a row for each query.
  mlir::Value powersOf(mlir::Value head) {
    return KernelBuffers::matrixAt(b, parts.powers,
                                   {operands.place.batch, head});
  }
  /// A row of queries, or of their scores, of component `r`.
  mlir::Value rowOf(int64_t r, mlir::Value row) {
    return at.add(at.mul(scoredRows, r), row);
  }
  mlir::Value statistic(mlir::Value slot, Statistic which) {
    return at.add(at.mul(slot, NumStatistics), int64_t(which));
  }

  void emitClearedSums();
  void emitQueries(mlir::Value first);
  void emitDifferences(mlir::Value matrix, mlir::Value group,
                       mlir::Value first);
  void emitScores(mlir::Value first);
  void emitBlock();
  llvm::SmallVector<mlir::Value>
  emitForKeys(mlir::ValueRange lanes,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(
                  mlir::OpBuilder &, mlir::Value key, mlir::ValueRange)>
                  inside);
  llvm::SmallVector<mlir::Value> emitStart(mlir::Value query, mlir::Value lane);
  void emitPowers(mlir::ValueRange start, mlir::Value head, mlir::Value query,
                  mlir::Value lane);
  void emitRaisedReference(llvm::ArrayRef<mlir::Value> exponents,
                           mlir::Value head, mlir::Value query,
                           mlir::Value lane);
  void emitPooled(mlir::Value keys);
  void emitOutputs();
  void emitCoefficients();
  mlir::Value emitCoefficient(mlir::Value from, mlir::Value to,
                              mlir::Value query);
  void emitMixedWeights(mlir::Value query, mlir::Value lane);

  AttentionOpInterface op;
  KernelOperands operands;
  Body body;
  /// Heads of an item, and channels and products as the body has them.
  int64_t heads, channels, products;
  /// Channels, or heads, that products are taken of at once.
  int64_t scoredHeads;
  /// Bytes of scratch that were taken.
  mlir::Value bytesUsed;
  const DecodeParts parts;
  mlir::Value part, queries, firstHead, walkedHead;
  /// The queries of those heads.
  mlir::Value scoredRows;
  /// Keys of the part, from the first of a block to before the last that is
  /// seen.
  mlir::Value begin, end;
  KeyRange range;
  /// In scratch: queries, less each shift where keys are shifted, and scores
  /// of a block, each component's after another's; weights of a block, sums of
  /// values, statistics, and per query the coefficients of the mixer
  /// where a row of numbers makes them.
  mlir::Value queryTile, scoreTile, weightTile, sumTile, statisticTile,
      coefficientTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_PART_H
