// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of exponentials out of reach of overflow, the largest magnitude, and
// which scores matter.
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
  /// The logarithm of the same, out of reach of underflow; NaN where the sum is
  /// 0.
  double logShare(double score) const { return score - most - std::log(sum); }

  double most = -infinity, sum = 0;
};

/// Whether the rounding errors of a score of that size can be seen: whether its
/// share in a sum of exponentials would be a normal number of f32 if the score
/// were larger by them. In what is compiled a smaller share is as good as zero.
inline bool matters(double logShare, double size) {
  constexpr double ln2 = 0.69314718055994530942;
  return logShare + std::ldexp(size, -22) >= -126 * ln2;
}

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_SUMOFEXP_H
