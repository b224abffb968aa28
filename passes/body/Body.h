// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The computation of an attention on the products of one query with one key.

#ifndef MIXATTN_PASSES_BODY_BODY_H
#define MIXATTN_PASSES_BODY_BODY_H

#include "passes/body/BodyOperands.h"
#include "passes/body/ScoreBody.h"

namespace mixattn {

/// The body of an attention's loops: from products to exponents, emitted in
/// arith and math on scalars of f32, for every schedule of every target alike.
///
/// An attention has channels (its query heads) and output heads. Without a
/// mixer of scores a head is the channel of its own number; with one every head
/// needs all channels. Per channel there are `numProducts()` products of the
/// query with a key: one per component that has keys of its own.
///
/// An exponent is a logarithm to base 2. The weight of a key, before it is
/// divided by the row's sum, is the sum of the powers of all its exponents:
/// components of a mixture whose weights add up are never turned into one
/// logarithm.
class Body {
public:
  Body(AttentionOpInterface op, BodyOperands &operands);

  /// Whether scores of different channels meet before the softmax.
  bool isCoupled() { return op.hasPremix(); }
  int64_t numChannels() { return isCoupled() ? op.getNumQueryHeads() : 1; }
  int64_t numProducts();
  int64_t numExponents();
  /// Numbers that `emitStart` gives.
  int64_t numStarts();
  /// Whether heads share more than products: work that is done for all at once.
  bool sharesWork() { return sharesWork(op); }
  static bool sharesWork(AttentionOpInterface op);
  /// Whether the weights of components add up: nothing but shifts acts on their
  /// logarithm.
  static bool addsComponents(AttentionOpInterface op);
  /// Whether the weights of components differ by terms that queries and keys
  /// have alone, a_r and b_r: with one product s,
  ///
  ///   sum_r 2^(s + a_r + b_r) = 2^(s + a + b) sum_r 2^(a_r - a) 2^(b_r - b)
  ///
  /// for any a and b, one power of 2 for each query and key. It also says so of
  /// shifted Gaussians, whose terms are yet to be made.
  static bool collapses(AttentionOpInterface op);
  /// Whether the terms of the keys of `op`, a Gaussian, take in its prior: it
  /// belongs to a head of queries, and one for each key may hide keys, which
  /// must be seen.
  static bool takesPrior(AttentionOpInterface op);
  /// The factor that products come with: schedules multiply queries or
  /// products by it.
  double queryFactor() const { return factor; }
  /// Whether an exponent is a product times that factor, which is above 0, and
  /// nothing else; or the sum of products that a mixer makes, times it: then
  /// products may come without it.
  bool isScaledProduct();

  /// From the products of the query with the key at `place`, channel by
  /// channel, to what heads' exponents start from: the scores themselves, or
  /// the hidden layer of an MLP. Given scores are read, and there are no
  /// products. Where scores of channels do not meet, `place.h` is the channel.
  llvm::SmallVector<mlir::Value> emitStart(mlir::OpBuilder &b,
                                           mlir::ValueRange products,
                                           const ScorePlace &place);

  /// The exponents of head `place.h`, from what `emitStart` gave.
  llvm::SmallVector<mlir::Value> emitExponents(mlir::OpBuilder &b,
                                               mlir::ValueRange start,
                                               const ScorePlace &place);

  /// An exponent, and what its power of 2 is multiplied by.
  struct Collapsed {
    mlir::Value exponent, factor;
  };
  /// Gives row r of a query's or a key's factors (`attn.row_factors`).
  using ReadFactor = llvm::function_ref<mlir::Value(int64_t)>;
  /// The weight of an attention that collapses, from its only product.
  Collapsed emitCollapsed(mlir::OpBuilder &b, mlir::Value product,
                          ReadFactor ofQuery, ReadFactor ofKey);
  /// The same at `place`, from the op's factors.
  Collapsed emitCollapsed(mlir::OpBuilder &b, mlir::Value product,
                          const ScorePlace &place);

  /// Whether the query at `place` sees the key: an i1. Null where nothing is
  /// ever hidden. Lengths are not looked at where the key is known to be below
  /// its row's.
  mlir::Value emitIsVisible(mlir::OpBuilder &b, const ScorePlace &place,
                            bool isBelowLength = false);

  /// Whether the weight at `place` is kept after the softmax: an i1, or null.
  mlir::Value emitIsKept(mlir::OpBuilder &b, const ScorePlace &place);

  /// The weight of a head from the `weights` of all heads, by the mixer's
  /// `coefficient` from each of them.
  mlir::Value emitPostmix(mlir::OpBuilder &b, mlir::ValueRange weights,
                          llvm::function_ref<mlir::Value(int64_t)> coefficient);

private:
  /// One score of head `channel`, or one exponent per component.
  llvm::SmallVector<mlir::Value> emitChannel(mlir::OpBuilder &b,
                                             mlir::ValueRange products,
                                             mlir::Value channel,
                                             const ScorePlace &place);
  llvm::SmallVector<mlir::Value> emitMixed(mlir::OpBuilder &b,
                                           mlir::ValueRange channels,
                                           const ScorePlace &place);
  mlir::Value read(mlir::OpBuilder &b, mlir::Value tensor,
                   llvm::ArrayRef<mlir::Value> indices);
  mlir::Value constant(mlir::OpBuilder &b, double value);
  mlir::Value multiply(mlir::OpBuilder &b, mlir::Value value, double factor);
  mlir::Value multiplyAdd(mlir::OpBuilder &b, mlir::Value x, mlir::Value y,
                          mlir::Value z);
  mlir::Value emitToBase2(mlir::OpBuilder &b, mlir::Value score);
  mlir::Value emitRaw(mlir::OpBuilder &b, mlir::Value product, int64_t r,
                      mlir::Value channel, const ScorePlace &place);
  mlir::Value emitLogSum(mlir::OpBuilder &b,
                         llvm::ArrayRef<mlir::Value> scores);
  mlir::Value emitNoise(mlir::OpBuilder &b, int64_t channel,
                        const ScorePlace &place);
  mlir::Value emitPremix(mlir::OpBuilder &b, mlir::ValueRange mixed,
                         const ScorePlace &place);
  mlir::Value emitNoisy(mlir::OpBuilder &b, mlir::Value score, int64_t channel,
                        const ScorePlace &place);
  bool isLinear() { return addsComponents(op); }

  AttentionOpInterface op;
  BodyOperands &operands;
  mlir::Location loc;
  /// The factor of all products, and whether the op's scale is part of it.
  double factor = 1.0;
  bool hasScaledProducts = false;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_BODY_H
