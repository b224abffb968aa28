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

  /// Products of a query with a key.
  int64_t numProducts() { return channels * products; }
  mlir::Value takeRows(mlir::Value rows, int64_t columns);
  void enter(mlir::Value number);
  void forEachBlock(llvm::function_ref<void(mlir::Value keys)> inside);
  /// Runs `inside` for the item's heads, or for those walked for together.
  void forEachHead(llvm::function_ref<void(mlir::Value head)> inside);
  void forEachWalkedHead(llvm::function_ref<void(mlir::Value head)> inside);
  void forEachQuery(llvm::function_ref<void(mlir::Value query)> inside) {
    forEach(0, queries, 1, inside);
  }
  /// The row of `head` and `query` among the item's.
  mlir::Value slotOf(mlir::Value head, mlir::Value query) {
    return at.add(at.mul(at.sub(head, firstHead), queries), query);
  }
  /// What `head` and `query` pool, a row for each part.
  mlir::Value outputsOf(mlir::Value head, mlir::Value query) {
    return KernelBuffers::matrixAt(b, parts.outputs,
                                   {operands.place.batch, head, query});
  }
  /// The powers of `head`, a row for each query.
  mlir::Value powersOf(mlir::Value head) {
    return KernelBuffers::matrixAt(b, parts.powers,
                                   {operands.place.batch, head});
  }
  mlir::Value statistic(mlir::Value slot, Statistic which) {
    return at.add(at.mul(slot, NumStatistics), int64_t(which));
  }

  void emitCleared(mlir::Value tile, mlir::Value row);
  void emitScores(mlir::Value head);
  void emitDifferences(mlir::Value queries, mlir::Value query,
                       mlir::Value group);
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
  void emitPooledHead(mlir::Value head, mlir::Value keys, bool skipsZeros);
  void emitCoefficients();
  mlir::Value emitCoefficient(mlir::Value from, mlir::Value to,
                              mlir::Value query);
  void emitMixedWeights(mlir::Value query, mlir::Value lane);

  AttentionOpInterface op;
  KernelOperands operands;
  Body body;
  /// Heads of an item, and channels and products as the body has them.
  int64_t heads, channels, products;
  /// Bytes of scratch that were taken.
  mlir::Value bytesUsed;
  const DecodeParts parts;
  mlir::Value part, queries, firstHead, walkedHead;
  /// Keys of the part, from the first of a block to before the last that is
  /// seen.
  mlir::Value begin, end;
  KeyRange range;
  /// In scratch: scores and weights of a block, statistics, and per query the
  /// coefficients of the mixer where a row of numbers makes them, and shifted
  /// queries.
  mlir::Value scoreTile, weightTile, statisticTile, coefficientTile,
      differenceTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_PART_H
