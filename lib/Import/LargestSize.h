// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of several sizes is the largest: no polynomial is where that changes.
#ifndef MIXATTN_LIB_IMPORT_LARGESTSIZE_H
#define MIXATTN_LIB_IMPORT_LARGESTSIZE_H

#include "lib/Import/Graph.h"

namespace mixattn {

/// Sizes of dims by name: the largest that calls may give, and the ranges that
/// they have to have besides.
struct DimBounds {
  std::map<std::string, int64_t> most;
  std::map<std::string, DimRange> needed;
};

/// Whether `size` is at least 0 for all sizes of dims because each term is.
bool isNeverNegative(const SizePolynomial &size);

/// The size that no other is above, within `bounds` and for sizes from 1 on.
/// Where a table of 64 rows ends, only sizes to which it reaches are left: 64 -
/// N of 0 and 64 - N, and N is at most 64. Unknown of others.
SizePolynomial largestSize(std::vector<SizePolynomial> sizes,
                           DimBounds &bounds);

/// The size that no other is below, by the same rules: N of 64 and N.
SizePolynomial smallestSize(std::vector<SizePolynomial> sizes,
                            DimBounds &bounds);

/// The remark on a dim that has to be at most so large.
std::string remarkOnLimit(const std::string &dim, int64_t most);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_LARGESTSIZE_H
