// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of queries walks over the keys: scores, exponents, powers.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_SCORE_WALK_H
#define MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_SCORE_WALK_H

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/attention/AttentionTile.h"
#include "passes/schedule/x86/shared/Thresholds.h"

#include "llvm/Support/MathExtras.h"

namespace mixattn {

/// Emits the walk of one tile over blocks of keys, which leaves powers of 2 of
/// exponents less a reference in rows that the schedule names, and their sums.
///
/// The reference of a query is an exponent of some earlier key. It moves up
/// only when a new one exceeds it by far; what was summed up is then scaled
/// down. The body of a few keys runs while the products of the next few are
/// summed, or where heads share scores, that of one head while another is
/// pooled.
class ScoreWalk : public TilePart {
public:
  /// The schedule that a walk makes weights for.
  class Schedule {
  public:
    /// The row of the block's first weights of `head`, in `weightTile`.
    virtual mlir::Value weightRow(mlir::Value head) = 0;
    /// Scales by `factor` what else was summed up of `head` for the current row
    /// of lanes, when the reference moves.
    virtual void emitLoweredOutputs(mlir::Value factor, mlir::Value head) = 0;
    /// Pools the head before `head` of the block from `blockStart` on, where
    /// there is one: after the last head of a block comes the first of the
    /// next. Meanwhile makes the weights of `head` for `keys` keys, unless
    /// null.
    virtual void emitPooledBefore(mlir::Value blockStart, mlir::Value head,
                                  mlir::Value keys) {
      llvm_unreachable("weights are pooled elsewhere");
    }
    /// Asks for share `number` of `shares` of the values of `head` for the
    /// current block, while its weights are made.
    virtual void emitAskedValues(mlir::Value head, mlir::Value number,
                                 int64_t shares) {}
    /// Runs after each block of `keys` keys.
    virtual void emitBlockEnd(mlir::Value keys) = 0;

  protected:
    ~Schedule() = default;
  };

  ScoreWalk(AttentionTile &tile, Schedule &schedule)
      : TilePart(tile), schedule(schedule), channels(body.numChannels()),
        products(body.numProducts()) {}

  void takeScratch();
  /// Walks over all keys that the tile may see, for head `head`, or for all
  /// heads where they are coupled.
  void emitWalk(mlir::Value head);
  /// Adds the block's sums to those before; what is lost to rounding is kept.
  void emitSummedBlock();
  /// Scales rows `from` to before `to` of `tile`, at the current row of lanes.
  void emitLoweredRows(mlir::Value factor, mlir::Value tile, mlir::Value from,
                       mlir::Value to);
  /// Whether the products of a few keys are too few steps for the work on all
  /// heads' weights to hide under.
  bool hasFewSteps() {
    return channels * products * queryRows() <
           thresholds::fewestSteps * unitsPerScores();
  }
  /// Units of work on the weights of one head for `keys` keys, and one of them.
  mlir::Value unitsOf(mlir::Value keys) {
    return at.mul(at.div(at.add(keys, sizes.bodyRows - 1), sizes.bodyRows),
                  sizes.vectors());
  }
  void emitUnitOf(mlir::Value head, mlir::Value unit);
  int64_t unitsOfBlock() {
    return sizes.block / sizes.bodyRows * sizes.vectors();
  }

  /// Where weights go: rows of lanes, one a key.
  mlir::Value weightTile;
  /// Whether the weights of each head are made while another one's are pooled:
  /// there are two heads' of them at a time.
  bool weighsUnderPool = false;

private:
  // ScoreWalk.cpp
  int64_t features() {
    return op.getQuery() ? op.getQueryType().getDimSize(3) : 0;
  }
  /// Rows of the tile of one channel's queries.
  int64_t queryRows() {
    return hasPairedScores() ? paddedFeatures() / 2 : features();
  }
  /// Features of pairs, or of whole squares of AMX.
  int64_t paddedFeatures() {
    return llvm::alignTo(features(), isAmx() ? tile::amxTerms : 2);
  }
  bool hasPairedScores() { return tile.hasPairedScores(); }
  /// Resets the statistics of the heads that are walked for together.
  void emitClearedStatistics();
  /// Emits `body` for each query of the current lanes, with its elements of
  /// `lanes`.
  llvm::SmallVector<mlir::Value>
  emitForLanes(mlir::ValueRange lanes,
               llvm::function_ref<llvm::SmallVector<mlir::Value>(
                   mlir::OpBuilder &, mlir::Value query, mlir::ValueRange)>
                   body);
  ScorePlace placeAt(mlir::Value query, mlir::Value key, mlir::Value head) {
    return {
        operands.place.batch, head, query, at.min(key, at.sub(range.keys, 1)),
        range.alignment,      key};
  }
  int64_t elementHeads(mlir::Value element);
  void emitClearedFeatures();
  void emitPackedQueries();
  /// The elements of `tensor`, one for each query and key, of one head.
  mlir::Value elementsAt(mlir::Value tensor, mlir::Value head);
  void emitPackedElements(mlir::Value keys);
  bool isAmx() { return tile.isAmx(); }
  /// Where scores of pairs are multiplied with the queries' factor. AMX stores
  /// products as they are: exponents that are linear in them are scaled as
  /// their reference is subtracted, others as they are read. What several heads
  /// read is scaled first, as what `vdpbf16ps` adds up is.
  bool scalesExponents() { return isAmx() && body.isScaledProduct(); }
  bool scalesScores() {
    return isAmx() && !hasUnitsPerHead() && !scalesExponents() &&
           body.queryFactor() != 1;
  }
  bool scalesProducts() {
    return hasPairedScores() && !scalesScores() && !scalesExponents();
  }
  /// The arithmetic of weights. Those that AMX reads are rounded to bf16, and
  /// powers that nobody else reads need not be more exact than that.
  bool isBrief();
  Softmax weighing();
  /// Whether the work on weights hides under the products of the next keys'
  /// scores. Else some keys' scores come first: by AMX, as what it stores
  /// is late to be read, and on CPUs that overlap no exps with products.
  bool weighsUnderScores() {
    return sizes.overlapsExps && !isAmx() && !weighsUnderPool;
  }
  /// Keys whose scores all come before their weights. What AMX stores is read
  /// from the first cache where they are few.
  int64_t keysAtOnce() { return isAmx() ? sizes.rows : sizes.block; }
  /// Rows of scores per product: of two times a few keys, or of those at once.
  int64_t scoreRows() {
    return weighsUnderScores() ? 2 * sizes.rows : keysAtOnce();
  }
  /// Whether keys are multiplied from a copy of a few of them, as f32.
  bool hasCopiedKeys() {
    return op.getQuery() && !hasPairedScores() &&
           !op.getKeyType().getElementType().isF32();
  }
  std::pair<mlir::Value, mlir::Value> emitWholeKeys(mlir::Value keys,
                                                    mlir::Value key);
  void emitScores(mlir::Value key, mlir::Value scoreRow,
                  int64_t unitsPerProduct,
                  llvm::function_ref<void(mlir::Value)> unit);
  void emitBlock(mlir::Value blockStart);
  void forEachFew(
      mlir::Value keys,
      llvm::function_ref<void(mlir::Value from, mlir::Value few)> inside);
  void emitBlockScores(mlir::Value from, mlir::Value keys);
  void emitWeights(mlir::Value from, mlir::Value keys);
  void emitWeightsUnderScores(mlir::Value keys);
  /// Whether heads share the scores that they start from, and no more: they
  /// have units of their own.
  bool hasUnitsPerHead() { return body.isCoupled() && !body.sharesWork(); }
  /// Units of work on the weights of `sizes.rows` keys.
  int64_t unitsPerScores() {
    return sizes.vectors() * (sizes.rows / sizes.bodyRows) *
           (hasUnitsPerHead() ? op.getNumHeads() : 1);
  }
  void emitWeightsUnderPool(mlir::Value keys);

  // AskedRows.cpp
  void emitPrefetchedElements(mlir::Value row);
  /// Whether products ask for keys: few of their rows lie in a page, at whose
  /// end hardware is taken to stop reading ahead, as asking gains.
  bool asksForKeys();
  void emitAskedKeys(mlir::Value keys, mlir::Value key, mlir::Value number,
                     int64_t shares);
  void emitAskedValues(mlir::Value vector, mlir::Value part, mlir::Value head);

  // Weights.cpp
  /// A few keys from `key` on, in row `row` of the block, whose scores begin in
  /// row `scoreRow` of those of each product.
  struct Keys {
    mlir::Value key, row, scoreRow;
  };
  void emitUnit(mlir::Value vector, mlir::Value part, const Keys &keys,
                mlir::Value head);
  mlir::Value emitScore(mlir::Value row);
  llvm::SmallVector<mlir::Value> emitMixed(mlir::Value key,
                                           mlir::Value scoreRow);
  void emitHead(llvm::ArrayRef<llvm::SmallVector<mlir::Value>> mixed,
                mlir::Value head, const Keys &keys);
  llvm::SmallVector<mlir::Value>
  emitMaskedExponents(llvm::ArrayRef<mlir::Value> exponents, mlir::Value head,
                      mlir::Value key);
  mlir::Value emitVisibleLanes(mlir::Value head, mlir::Value key);
  void emitStoredWeights(llvm::ArrayRef<mlir::Value> weights, mlir::Value head,
                         mlir::Value row);
  llvm::SmallVector<mlir::Value>
  emitWeighed(llvm::ArrayRef<mlir::Value> exponents, mlir::Value head,
              mlir::Value row);
  llvm::SmallVector<mlir::Value>
  emitIfAny(mlir::Value largest, double most,
            llvm::ArrayRef<mlir::Value> values,
            llvm::function_ref<llvm::SmallVector<mlir::Value>()> other);
  mlir::Value emitMovedReference(llvm::ArrayRef<mlir::Value> exponents,
                                 mlir::Value factor, mlir::Value reference,
                                 mlir::Value head, mlir::Value row);

  Schedule &schedule;
  /// Channels that are walked for together, and products per channel and key.
  int64_t channels, products;
  mlir::Value queryTile, keyTile, scoreTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_SCORE_WALK_H
