// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of one query and one key: every head's, before the bias.
#ifndef MIXATTN_LIB_REFERENCE_SCORES_H
#define MIXATTN_LIB_REFERENCE_SCORES_H

#include "lib/Reference/Array.h"
#include "lib/Runtime/Manifest.h"
#include <cmath>

namespace mixattn {

/// The largest finite magnitude that was noted.
class Largest {
public:
  /// Gives the score back.
  double note(double score) {
    if (std::isfinite(score))
      most = std::fmax(most, std::fabs(score));
    return score;
  }
  double value() const { return most; }

private:
  double most = 0;
};

/// From queries and keys to scores: components, their combination, the mixer
/// of heads before the softmax, the scale. Members are named as in the
/// manifest.
class Scores {
public:
  /// `attention` must outlive this.
  Status bind(const Attention &attention, const Arguments &arguments);

  /// The scores of query i and key j, one per output head. Heads that are not
  /// `seen` have none, and what only they would read is not looked at. Notes
  /// the magnitude of what it meets, scaled: scores before and after the
  /// mixer; for a Gaussian score (|q|^2 + |k|^2) / (2 variance) in place of it.
  std::vector<double> at(int64_t b, int64_t i, int64_t j,
                         const std::vector<bool> &seen, Largest &largest) const;

  /// Of the output.
  int64_t heads() const;
  int64_t batches() const { return query.shape[0]; }
  int64_t queries() const { return query.shape[2]; }
  int64_t keys() const { return key.shape[key.rank() - 2]; }

private:
  Status checkShapes();
  int64_t components() const;
  double variance(int64_t r) const;
  double keyAt(int64_t b, int64_t h, int64_t r, int64_t j, int64_t d) const;
  double product(int64_t b, int64_t h, int64_t r, int64_t i, int64_t j,
                 Largest &largest) const;
  double gaussian(int64_t b, int64_t h, int64_t r, int64_t i, int64_t j,
                  Largest &largest) const;
  double component(int64_t b, int64_t h, int64_t r, int64_t i, int64_t j,
                   Largest &largest) const;
  double combined(int64_t b, int64_t h, int64_t i, int64_t j,
                  Largest &largest) const;
  std::vector<double> premixed(const std::vector<double> &scores) const;

  const Attention *op = nullptr;
  Premix premix;
  Array query, key, shifts, prior, queryTerm, keyTerm, mixer, w1, b1, w2, b2;
};

/// A sum of exponentials, out of reach of overflow: sum exp(most).
struct SumOfExp {
  /// Nothing, and exponentials of -inf only, sum up to 0; NaN where a score is
  /// NaN or +inf.
  explicit SumOfExp(const std::vector<double> &scores);

  /// The logarithm of the sum; -inf of 0.
  double log() const { return most + std::log(sum); }
  /// The share of one score in the sum; 0 where that is 0.
  double share(double score) const {
    return sum == 0 ? 0 : std::exp(score - most) / sum;
  }

  double most = -infinity, sum = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_SCORES_H
