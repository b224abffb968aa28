// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts weights and scores together to an attention.

#ifndef MIXATTN_PASSES_RAISE_MATCH_ATTENTION_H
#define MIXATTN_PASSES_RAISE_MATCH_ATTENTION_H

#include "passes/raise/PooledWeights.h"
#include "passes/raise/Positions.h"
#include "passes/raise/RaisedAttention.h"
#include "passes/raise/Scores.h"

namespace mixattn {

/// Finds the clauses of one attention.
class AttentionMatcher {
public:
  using Ref = Expressions::Ref;
  /// With `takesFactors` a score_mod has the factors on products of 16 bits.
  AttentionMatcher(Expressions &make, bool takesFactors)
      : make(make), takesFactors(takesFactors) {}

  /// The attention that `root` computes with the weights of `softmax`; or why
  /// it is none.
  std::optional<RaisedAttention> match(mlir::linalg::LinalgOp root,
                                       const FoundSoftmax &softmax,
                                       std::string &why);

private:
  /// Tells heads from batch rows.
  bool chooseHeads();
  /// Takes scores that are added to themselves mixed, s + M s, as mixed by M +
  /// 1.
  void joinResidualScores();
  bool matchMixerOfScores();
  /// Tells products that are added to the first one from biases.
  bool matchOtherProducts();
  /// Whether what mixes the first product mixes `other`; what scales it is of
  /// its queries then.
  bool sharesMixers(SummedProduct &other) const;
  bool matchMixerOfWeights();
  /// Takes factors that queries or keys of 16 bits are multiplied by as factors
  /// of the scores: their product with these would be f32.
  void takeScoreFactors();
  bool matchQueriesAndKeys();
  bool matchValues();
  /// Tells zeros of whole rows from those that a mask of pairs leaves.
  bool matchZeros();
  bool matchMasks();
  /// Takes the lowest number that is all that scores are added to, or replaced
  /// by, as what hides keys, where every query sees a key, or weights are made
  /// 0 by the same conditions, `zeroed`.
  void takeLowest(llvm::ArrayRef<Visibility> zeroed);
  /// Whether `all` has the condition `each`.
  bool contains(llvm::ArrayRef<Visibility> all, const Visibility &each) const;
  llvm::SmallVector<std::optional<Distance>>
  readDistances(llvm::ArrayRef<Visibility> all) const;
  /// Whether the bounds are those of a clause that counts from `start`, or
  /// where that is null from the last query and the last key.
  bool isClause(const std::optional<Distance> &bounds, Ref start) const;
  /// The element that keys are seen up to, counted from which queries are; or
  /// null.
  Ref findStart(llvm::ArrayRef<std::optional<Distance>> distances) const;
  bool matchAdded();
  bool matchMixerByRow(Ref mixer);
  bool matchComponents();
  /// Reads the variances of components, and whether they are Gaussians.
  bool matchVariances();
  /// Whether `factor` times the terms is minus half the square of what `of`
  /// are, for each component.
  bool isHalfSquare(llvm::ArrayRef<ProductTerm> terms, llvm::ArrayRef<Ref> of,
                    llvm::ArrayRef<double> factors);
  mlir::TypedAttr zerosOf(mlir::Type type, llvm::ArrayRef<Atom> place) const;
  /// The places of the heads that `ref` has: those of `heads`, or as many of
  /// the first as it has.
  Place headsOf(llvm::ArrayRef<Ref> factors, llvm::ArrayRef<Atom> heads) const;
  /// `[batch, heads, query, key]`, each where `ref` depends on it.
  llvm::SmallVector<Place> broadcastDims(Ref ref) const;
  Place flat(llvm::ArrayRef<Atom> place) const {
    return make.atoms.flat(place);
  }
  bool no(const char *reason) {
    why = reason;
    return false;
  }
  void give(llvm::StringRef name, Ref ref, llvm::ArrayRef<Place> dims,
            mlir::Type type = {});

  Expressions &make;
  bool takesFactors;
  PooledWeights pooled;
  ReadScores scores;
  RaisedAttention result;
  /// Heads of queries, of keys, of weights, and of the result.
  Place sourceHeads, keyHeads, heads, resultHeads;
  /// The factor on the products of each component.
  llvm::SmallVector<Ref> componentFactors;
  std::string why;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_MATCH_ATTENTION_H
