// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of a query and each of the keys at one position.
#ifndef MIXATTN_LIB_REFERENCE_COMPONENTSCORES_H
#define MIXATTN_LIB_REFERENCE_COMPONENTSCORES_H

#include "lib/Reference/SumOfExp.h"
#include "lib/Runtime/Manifest.h"

namespace mixattn {

/// Queries, and keys of one component or several. Members are named as in the
/// manifest.
class ComponentScores {
public:
  /// `components` must outlive this.
  Status bind(const Components &components, const Arguments &arguments);

  /// Every component's score of query i and key j, its logarithm of the prior
  /// included. `sizes` becomes their magnitudes without it, the larger one of
  /// the product's and the score's; of a Gaussian score (|q|^2 + |k|^2) /
  /// (2 variance) in place of it.
  std::vector<double> at(int64_t b, int64_t h, int64_t i, int64_t j,
                         std::vector<double> &sizes) const;

  int64_t batches() const { return query.shape[0]; }
  int64_t heads() const { return query.shape[1]; }
  int64_t queries() const { return query.shape[2]; }
  /// How many keys there are, after the projection if there is one.
  int64_t keys() const { return key.shape[key.rank() - 2]; }
  int64_t count() const;

private:
  Status checkShapes();
  double variance(int64_t r) const;
  double keyAt(int64_t b, int64_t h, int64_t r, int64_t j, int64_t d) const;
  double product(int64_t b, int64_t h, int64_t r, int64_t i, int64_t j,
                 Largest &size) const;
  double gaussian(int64_t b, int64_t h, int64_t r, int64_t i, int64_t j,
                  Largest &size) const;
  double score(int64_t b, int64_t h, int64_t r, int64_t i, int64_t j,
               Largest &size) const;

  const Components *op = nullptr;
  Array query, key, shifts, prior, queryTerm, keyTerm;
};

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_COMPONENTSCORES_H
