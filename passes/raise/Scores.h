// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the scores of a softmax back to queries and keys.

#ifndef MIXATTN_PASSES_RAISE_SCORES_H
#define MIXATTN_PASSES_RAISE_SCORES_H

#include "passes/raise/Softmaxes.h"
#include "passes/raise/SumOfProducts.h"

namespace mixattn {

/// Rectified sums that are mixed once more.
struct HiddenLayer {
  /// The atoms that count its units.
  Place units;
  /// Added before they are rectified, or null; and what mixes them.
  Expressions::Ref offset = nullptr, mixer = nullptr;
  double factor = 1;
};

/// A product of queries and keys: `factor` times the factors, summed over
/// `bound`.
struct SummedProduct {
  double factor = 1;
  Place bound;
  /// The factors that depend on queries, on keys, and on neither.
  llvm::SmallVector<Expressions::Ref> queries, keys, mixers;
};

/// A score of a query and a key: one product, and what is done to it.
struct RawScore : SummedProduct {
  /// Whether there is no product: the queries' factors are the scores.
  bool isGiven = false;
  /// Products that are added to it.
  llvm::SmallVector<SummedProduct> others;
  /// Whether each term of the mixer is rectified.
  bool isRectified = false;
  std::optional<HiddenLayer> hidden;
  /// The atoms that count components, of which the logarithm of the sum of
  /// exponentials is taken, or the maximum. `terms` are added to each.
  Place components;
  bool isMaximum = false;
  llvm::SmallVector<ProductTerm> terms;
  /// The factors of components once they are combined: mixers of heads, which
  /// are summed over in `bound`, and a number.
  llvm::SmallVector<Expressions::Ref> combinedMixers;
  double combinedFactor = 1;

  /// The number on what the softmax or a mixer reads.
  double &scale() { return components.empty() ? factor : combinedFactor; }
};

/// A condition on a query and a key, and whether the key is seen where it holds
/// or where it does not.
struct Visibility {
  Expressions::Ref condition;
  bool isSeen;
};

/// Scores as a raw score and what is done to it.
struct ReadScores {
  RawScore raw;
  /// Added to the raw score where nothing else is done to it.
  llvm::SmallVector<Expressions::Ref> added;
  /// The raw score changed pointwise, or null.
  Expressions::Ref changed = nullptr;
  llvm::SmallVector<Visibility> seen;
  /// Conditions by which weights are made 0 after the softmax.
  llvm::SmallVector<Visibility> zeroed;
};

/// Why scores are no attention's.
inline constexpr llvm::StringLiteral noProduct =
    "no product of queries and keys";

/// Whether an expression depends on queries and on keys.
struct Dependence {
  bool onQuery = false, onKey = false;
};

/// Reads scores whose queries and keys are counted by `query` and `key`.
class ScoreReader {
public:
  using Ref = Expressions::Ref;
  ScoreReader(Expressions &make, llvm::ArrayRef<Atom> query,
              llvm::ArrayRef<Atom> key)
      : make(make), query(query), key(key) {}

  /// The scores of `softmax` at `places`; none where they are no attention's,
  /// and `why` says the reason. `zeroed` are choices between weights and zeros.
  std::optional<ReadScores> read(const FoundSoftmax &softmax,
                                 llvm::ArrayRef<Place> places,
                                 llvm::ArrayRef<Ref> zeroed, std::string &why);

private:
  Dependence dependenceOf(Ref ref) const;
  /// Whether `ref` has an element of queries alone and one of keys alone.
  bool readsBoth(Ref ref) const;
  /// Whether something below `ref` is summed that `readsBoth`.
  bool sumsBoth(Ref ref) const;
  /// Those of `sum` that are scores: what sums products of queries and keys, or
  /// where none does all that `readsBoth`. Others depend on pairs of both as a
  /// bias does.
  llvm::SmallVector<Ref> selectScores(llvm::ArrayRef<Ref> sum) const;
  /// `ref` without numbers that it is multiplied by, which multiply `scale`.
  Ref peelScale(Ref ref, double &scale);
  /// `ref` without the masks that hide keys by -inf.
  Ref peelMasks(Ref ref);
  /// Whether `ref` multiplies a score by what depends on pairs otherwise.
  bool isTimesPairs(Ref ref) const;
  /// `ref` with a raw score in place of what queries and keys make, or null.
  Ref findRaw(Ref ref);
  /// Reads the terms of `sum` that are products of queries and keys as the raw
  /// score; the others are left in `rest`.
  bool readProducts(llvm::ArrayRef<Ref> sum, llvm::SmallVector<Ref> &rest);
  /// Reads a tensor of pairs of queries and keys as the raw score, and takes it
  /// out of `sum`.
  bool readGiven(llvm::SmallVector<Ref> &sum);
  /// The factors of `term`, told apart; none where one depends on both.
  std::optional<SummedProduct> tellApart(const ProductTerm &term);
  bool readTerm(const ProductTerm &term);
  /// Adds a product to the raw score, to one with the same factors if there is.
  void addProduct(SummedProduct product);
  /// Reads a product, or what rectified products become, as the raw score.
  bool readRaw(const ProductTerm &term);
  bool readHidden(const ProductTerm &term, Ref rectified, Ref rest);
  /// Reads components of scores where `sum` has what combines them, takes it
  /// out of `sum` and says so.
  bool readComponents(llvm::SmallVector<Ref> &sum);
  /// The same where heads of what combines them are mixed, or it is scaled.
  bool readMixedComponents(llvm::SmallVector<Ref> &sum);
  bool readComponent(Ref ref);
  /// The logarithm of `power` where it is a product of exponentials, numbers
  /// above 0 and what is at least 0 and no pair's, or null.
  Ref findLogarithm(Ref power);
  /// The scores of components whose exponentials `power` sums up, and the
  /// atoms that count them; null where it does not.
  std::pair<Ref, Place> findComponents(Ref power);
  /// Reads the scores of which `power` is the exponential, or the components.
  Ref readPowers(Ref power);
  /// Whether a comparison below `ref` is of scores and of a tensor that follows
  /// from queries and keys, too. Scores are computed again for it, and rounded
  /// otherwise: the score that the tensor has would no longer be equal to it.
  bool comparesWithItself(Ref ref) const;
  Ref no(const char *reason);

  Expressions &make;
  Place query, key;
  ReadScores result;
  std::string reason;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_SCORES_H
