// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attention's body on fragments, for every family of GPUs.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_FRAGMENT_BODY_H
#define MIXATTN_PASSES_SCHEDULE_GPU_FRAGMENT_BODY_H

#include "dialect/tile/TileOps.h"
#include "passes/body/Body.h"
#include "passes/body/Softmax.h"
#include "passes/schedule/KeyRange.h"
#include "passes/schedule/gpu/Collapse.h"
#include "passes/schedule/gpu/OperandWindows.h"

namespace mixattn {

/// Emits what happens to the products of a block's queries with some keys, from
/// products to weights, and to outputs at the end. How products come about is
/// each family's own.
class FragmentBody {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Of `op`, which `kernel` computes or whose stage it is, for a group of
  /// `numHeads` heads. Of every eight weights the unit of exponentials computes
  /// `exps`.
  FragmentBody(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
               AttentionOpInterface op, int64_t numHeads, int64_t exps);
  virtual ~FragmentBody() = default;

protected:
  /// Writes the outputs of head `g` of the group. A family may have a way of
  /// its own.
  virtual void emitStore(int64_t g, mlir::Value outputs);
  /// Waits until what a warp stored may be written again by any lane of it.
  virtual void emitWaitForStores();

  /// The reference of every row, a maximum that lags, which weights are
  /// relative to, and each lane's part of their sum.
  struct Statistics {
    mlir::Value reference, sum;
  };
  /// Whether some row of the warp got another reference, and all rows' before
  /// and after that.
  struct Rescale {
    mlir::Value isNeeded, before, after;
  };
  /// The products of all channels, or zeros that stand for them where scores
  /// are given and read as exponents are computed; the exponents of all heads
  /// where these are computed together, or what exponents of any head start
  /// from.
  struct Scores {
    Values products, exponents, starts;
  };
  /// The exponents of weights: -inf of what is hidden. Where they are scaled
  /// products, or sums of these, they are yet to be scaled. Where components
  /// collapse, there is one, and the `factor` of its power of 2.
  struct Exponents {
    Values all;
    mlir::Value factor;
  };

  /// Begins with the item that `grid` is at: `queries` queries from the first
  /// of its block on, for a group of heads. Under a causal mask items count
  /// blocks of queries from the last one on.
  void emitItem(tile::GridOp grid, int64_t queries);
  /// The same of the item of these numbers. It tells nobody of bad lengths.
  void emitItem(mlir::ValueRange item, int64_t queries);
  /// The same of one of the `parts` of the keys, the number of which it gives:
  /// the range is that of the part. Items that read the same keys follow one
  /// another.
  mlir::Value emitPartItem(tile::GridOp grid, int64_t queries,
                           const PartSizes &parts);
  /// Tells the caller of a length that is out of its range.
  void reportLengths();

  /// Begins to copy what a team whose first query is `query` reads of operands
  /// in all blocks of keys of the item.
  void fetchOfItem(mlir::Value query);

  /// Begins with the `products` of the keys from `firstKey` on.
  Scores emitScores(mlir::Value firstKey, mlir::ValueRange products);
  /// The same, for heads that are weighed one after the other, by a number that
  /// is not known before: work that they share is done once where scores of
  /// channels meet.
  Scores emitStarts(mlir::Value firstKey, mlir::ValueRange products);
  /// The exponents of the weights that head `g` of the group gives to `keys`
  /// keys from `firstKey` on, in the form where components collapse or not.
  Exponents emitExponents(int64_t g, mlir::Value firstKey, int64_t keys,
                          const Scores &scores, bool collapses);
  /// The weights that head `g` of the group gives to `keys` keys from
  /// `firstKey` on, those that are dropped, too. `statistics` are brought up to
  /// date, and `rescale` becomes what is to be done to outputs added up before.
  mlir::Value emitWeights(int64_t g, mlir::Value firstKey, int64_t keys,
                          const Scores &scores, Statistics &statistics,
                          Rescale &rescale);
  /// Whether terms of components of some row of the warp, at `firstRow()`, lie
  /// too far apart for one power of 2; null where there never is one for all.
  mlir::Value emitAreApart();
  mlir::Value emitRescaled(mlir::Value outputs, const Rescale &rescale);
  /// The powers of 2 to `exponents` less the rows' `reference`.
  mlir::Value emitPowers(const Exponents &exponents, mlir::Value reference);
  /// `weights` of the keys from `firstKey` on, without those that are dropped
  /// after the softmax.
  mlir::Value emitKept(mlir::Value firstKey, mlir::Value weights);
  /// Writes the results of all heads of the group: outputs, which `outputs` are
  /// but for the division by the sum, and the logarithms of sums.
  void emitResults(mlir::ValueRange outputs, llvm::ArrayRef<Statistics> parts);
  /// The same of `outputs` that need no division: mixed weights pooled them,
  /// made of each head's `references` and `factors`, buffers [B,H,N].
  void emitMixedResults(mlir::ValueRange outputs, mlir::Value references,
                        mlir::Value factors);
  /// Writes `lse` of head `g`, where it is asked for.
  void emitLogSums(int64_t g, const Statistics &statistics);
  /// Writes `number` to column `column` of the row of `query` and of head `g`.
  virtual void emitStoreAt(int64_t g, mlir::Value query, mlir::Value column,
                           mlir::Value number);
  /// Computes rows of what was written for each head of the group again, that
  /// values have spoiled which their query does not see.
  void emitSpoiledRows(mlir::ValueRange written,
                       llvm::ArrayRef<Statistics> statistics);
  /// The weight of `key` for the query in `row`, before it is divided by the
  /// row's sum: 0 of one that the query does not see. A key that is not there
  /// has that of the last one.
  virtual mlir::Value emitWeightAt(int64_t g, mlir::Value row, mlir::Value key,
                                   mlir::Value reference);

  /// A map over elements whose first key is `firstKey`, for head `g`.
  Values emitMap(int64_t g, mlir::Value firstKey, mlir::ValueRange operands,
                 size_t results,
                 llvm::function_ref<Values(const ScorePlace &, mlir::Value key,
                                           mlir::ValueRange elements)>
                     element);

  /// Those of rows that have seen nothing.
  Statistics emitNoStatistics();

  /// The key head that channel `channel` reads, where heads meet; else that of
  /// the block's head.
  mlir::Value keyHead(int64_t channel) {
    return at.div(queryHead(channel), op.getKeyGroup());
  }
  mlir::Value queryHead(int64_t channel) {
    return body.isCoupled() ? at.value(channel) : heads.front();
  }

  /// The first row of the block, or of the group of its rows that is worked on.
  mlir::Value firstRow() {
    return firstOfGroup ? firstOfGroup : at.mul(firstQuery, rowHeads);
  }
  /// The query and the head of row `row`, of head `g` of the group.
  mlir::Value queryOfRow(mlir::Value row) { return at.div(row, rowHeads); }
  mlir::Value headOfRow(int64_t g, mlir::Value row) {
    return at.add(heads[g], at.rem(row, rowHeads));
  }

  /// `fragment` with every row multiplied by its factor.
  mlir::Value emitScaled(mlir::Value fragment, mlir::Value factors);
  mlir::Value constant(mlir::Type type, double number);
  mlir::VectorType fragment(int64_t columns) {
    return mlir::VectorType::get({columns / 2}, b.getF32Type());
  }
  mlir::VectorType rows() { return mlir::VectorType::get({2}, b.getF32Type()); }
  mlir::Value sizeOf(OperandDim of) {
    return b.createOrFold<mlir::memref::DimOp>(buffers.bufferOf(of.value),
                                               of.dim);
  }

  mlir::ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  AttentionOpInterface op;
  WindowBuffers buffers;
  Body body;
  Softmax softmax;

  /// The output heads of the block's group. Where `rowHeads` are more than one,
  /// it is the first of these, whose rows come in turn: row r is that of query
  /// r div rowHeads and of the head r mod rowHeads further on.
  Values heads;
  int64_t rowHeads = 1;
  mlir::Value batch, firstQuery, numQueries;
  /// The first row of the group that is worked on, where a block has several.
  mlir::Value firstOfGroup;
  /// Before which the rows end that are there, and are the block's.
  mlir::Value endOfRows;
  KeyRange range;
  /// The result of `emitAreApart` for the rows.
  mlir::Value areApart;

private:
  int64_t exps;

  mlir::Value emitWeightsOf(mlir::Value firstKey, const Exponents &exponents,
                            Statistics &statistics, Rescale &rescale);
  /// The exponents of heads `first` to `first + count - 1`, of hidden keys,
  /// too.
  Values emitSeenExponents(int64_t first, int64_t count, mlir::Value firstKey,
                           mlir::ValueRange products);
  /// The exponents of head `g` where components collapse, of hidden keys, too.
  Exponents emitCollapsed(int64_t g, mlir::Value firstKey,
                          mlir::ValueRange products);
  /// The numbers that exponents at `place` start from, made of the products
  /// there.
  Values emitStartAt(const ScorePlace &place, mlir::ValueRange products);
  /// The exponents of heads `first` to `first + count - 1` of the group at
  /// `place`, of the first of them, from the products there.
  Values emitExponentsAt(ScorePlace place, int64_t first, int64_t count,
                         mlir::ValueRange products);
  mlir::Value emitWeight(mlir::ValueRange elements);
  /// A product as bodies take it: multiplied by its factor, unless exponents
  /// are.
  mlir::Value emitScaledProduct(mlir::Value product);
  /// Raises the references of rows that the largest of `exponents` exceed by
  /// far.
  Rescale emitReferences(mlir::ValueRange exponents, Statistics &statistics);
  /// Writes the results of head `g`, and gives the outputs written.
  mlir::Value emitResult(int64_t g, mlir::Value outputs,
                         const Statistics &statistics);

  // Defined in HiddenValues.cpp, as emitCollapsed and emitAreApart are in
  // Collapse.cpp.
  void emitRowsAgain(int64_t g, mlir::Value sums, const Statistics &statistics);
  void emitRowAgain(int64_t g, mlir::Value row, mlir::Value reference,
                    mlir::Value sum);
  Values emitProductsAt(mlir::Value row, mlir::Value key);
};

/// Counts the items of a kernel of `op`: blocks of `queries` queries, groups of
/// `heads` heads, batch.
llvm::SmallVector<mlir::Value> countItems(mlir::ImplicitLocOpBuilder &b,
                                          KernelOp kernel,
                                          AttentionOpInterface op,
                                          int64_t queries, int64_t heads);

/// The grid of these items, at which the builder then stands.
tile::GridOp makeBlocks(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
                        AttentionOpInterface op, int64_t queries, int64_t heads,
                        int64_t threads);

/// The same for each part of the keys: blocks of queries times parts, groups of
/// heads, batch. Gives the parts, too, of at most `split` keys, of whole blocks
/// of `block`.
std::pair<tile::GridOp, PartSizes>
makePartBlocks(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
               AttentionOpInterface op, int64_t split, int64_t block,
               int64_t queries, int64_t heads, int64_t threads);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_FRAGMENT_BODY_H
