// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle: one op in double precision, by index loops.
#ifndef MIXATTN_LIB_REFERENCE_REFERENCE_H
#define MIXATTN_LIB_REFERENCE_REFERENCE_H

#include "lib/Runtime/Manifest.h"
#include "lib/Runtime/Tensor.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mixattn {

/// How well the rows of a result that is a quotient can be known. The kappa of
/// a row is the sum of the magnitudes of the denominator's terms over the
/// magnitude of their sum: rounding errors grow with it.
struct QuotientRows {
  /// Beyond it a row tells nothing.
  static constexpr double largestKappa = 1024;

  /// Takes the next row in; `terms` is the sum of magnitudes. The kappa of a
  /// row without terms is 1: it is zero whatever the rounding. One that is not
  /// finite has none and stays in.
  void add(double terms, double denominator);

  /// The largest kappa of the rows that are not left out; infinite where all
  /// are, and 1 without rows.
  double kappa() const;

  /// Of each row, in row-major order over all dims but the last.
  std::vector<bool> leftOut;

private:
  double largest = 1;
};

/// The expected results of an entry, and how large its scores are.
struct ReferenceReport {
  /// The results by name, each row-major in the shape of the manifest.
  std::map<std::string, std::vector<double>> results;
  /// The largest finite |score| at any stage (the scaled product, combined,
  /// mixed, with its bias, after score_mod) over the pairs of query and key
  /// whose weight is not negligible; 0 when there are none. A Gaussian score
  /// counts as (|q|^2 + |k|^2) / (2 variance). Rounding errors grow with it. A
  /// weight is negligible where it would be less than 2^-126 even if the score
  /// were larger by 2^-22 of its size; so is the share of a component.
  double largestScore = 0;
  /// The results that are logarithms: a score's error is theirs, however small
  /// they are.
  std::set<std::string> logarithms;
  /// The results that are quotients, by name.
  std::map<std::string, QuotientRows> quotients;
};

/// Computes the results of `entry`, whose one op its manifest describes, in
/// double precision from the arguments as they are stored. Shares no code with
/// the compiler. Sizes must agree as the manifest says: the caller has bound
/// them. A row that sees nothing, or only scores of -inf, gives zeros, and -inf
/// as the logarithm of its sum; so does a denominator of 0; what has no weight
/// adds nothing, NaN values included. Errors: an entry without an op, an
/// argument that is not there or has another size, a score_mod that is not
/// known, an index outside its tensor.
Result<ReferenceReport>
runReference(const Entry &entry,
             const std::map<std::string, const Tensor *> &arguments);

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_REFERENCE_H
