// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of exponentials out of reach of overflow, and the largest magnitude.
#ifndef MIXATTN_LIB_REFERENCE_SUMOFEXP_H
#define MIXATTN_LIB_REFERENCE_SUMOFEXP_H

#include "lib/Reference/Array.h"
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

/// A sum of exponentials: sum exp(most).
struct SumOfExp {
  /// Nothing, and exponentials of -inf only, sum up to 0; NaN where a score is
  /// NaN or +inf.
  explicit SumOfExp(const std::vector<double> &scores) {
    for (double score : scores)
      most = most > score || std::isnan(most) ? most : score;
    for (double score : scores)
      sum += most == -infinity ? 0 : std::exp(score - most);
  }

  /// The logarithm of the sum; -inf of 0.
  double log() const { return most + std::log(sum); }
  /// The share of one score in the sum; 0 where that is 0.
  double share(double score) const {
    return sum == 0 ? 0 : std::exp(score - most) / sum;
  }

  double most = -infinity, sum = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_SUMOFEXP_H
