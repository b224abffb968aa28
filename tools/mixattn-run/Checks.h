// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares results with the reference, or with values from files.
#ifndef MIXATTN_TOOLS_MIXATTN_RUN_CHECKS_H
#define MIXATTN_TOOLS_MIXATTN_RUN_CHECKS_H

#include "tools/mixattn-run/Inputs.h"

namespace mixattn {

/// How one result compares.
struct Comparison {
  std::string result;
  /// Relative to the largest expected value; of a logarithm to 1 at least.
  double error, limit;

  /// Zeros, compared with anything, have an error of 1: where so much is
  /// admitted, nothing is proven, and that is not well.
  bool provesNothing() const { return !(limit < 1); }
  bool isOk() const { return error <= limit && !provesNothing(); }
  /// `o: max error 1.2e-07 (limit 2e-06): ok`, or `FAILED` and perhaps why.
  std::string toString() const;
};

/// Compares all results with lib/Reference; rows of quotients that rounding
/// errors decide are left out.
Result<std::vector<Comparison>>
compareWithReference(const Entry &entry, const Arguments &arguments,
                     const std::vector<Tensor> &results);

/// Compares the results that --expect names with given values, which may have
/// another type of float.
Result<std::vector<Comparison>>
compareWithFiles(const Entry &entry, const std::vector<Tensor> &results,
                 const Options &options);

} // namespace mixattn

#endif // MIXATTN_TOOLS_MIXATTN_RUN_CHECKS_H
