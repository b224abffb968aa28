// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle: one attention in double precision, by index loops.
#ifndef MIXATTN_LIB_REFERENCE_REFERENCE_H
#define MIXATTN_LIB_REFERENCE_REFERENCE_H

#include "lib/Runtime/Manifest.h"
#include "lib/Runtime/Tensor.h"
#include <map>
#include <string>
#include <vector>

namespace mixattn {

/// What an entry should give, and how large its scores are.
struct ReferenceReport {
  /// The results by name, each row-major in the shape of the manifest.
  std::map<std::string, std::vector<double>> results;
  /// The largest finite |score| at any stage (the scaled product, combined,
  /// mixed, with its bias, after score_mod) over the pairs of query and key
  /// that are visible; 0 when there are none. A Gaussian score counts as
  /// (|q|^2 + |k|^2) / (2 variance). Rounding errors grow with it.
  double largestScore = 0;
};

/// Computes the results of `entry`, whose one attention op its manifest
/// describes, in double precision from the arguments as they are stored.
/// Shares no code with the compiler. Sizes must agree as the manifest says: the
/// caller has bound them. A row that sees nothing, or only scores of -inf,
/// gives zeros, and -inf as the logarithm of its sum; what has no weight adds
/// nothing, NaN values included. Errors:
/// an entry without an attention op, an argument that is not there, a
/// normaliser or a score_mod that is not known.
Result<ReferenceReport>
runReference(const Entry &entry,
             const std::map<std::string, const Tensor *> &arguments);

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_REFERENCE_H
