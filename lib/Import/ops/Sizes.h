// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of sizes: what follows from them and constants alone is no work
// of the model.
#ifndef MIXATTN_LIB_IMPORT_OPS_SIZES_H
#define MIXATTN_LIB_IMPORT_OPS_SIZES_H

#include "lib/Import/LargestSize.h"
#include "lib/Import/OpTable.h"

namespace mixattn {

/// An integer from two, or nothing where it is no polynomial.
using SizeFold = std::function<SizePolynomial(const SizePolynomial &,
                                              const SizePolynomial &)>;

/// The integers that `list` has at each place of `sizes`, to which it spreads,
/// in row-major order; nothing where it is no such list or they are many.
std::optional<SizeList> spreadIntegers(const Built &list,
                                       const SizeList &sizes);

/// Writes an op of `self` and `other`: by `fold` where both are integers that
/// follow from sizes, else by `writer`. Truth values are 0 and 1.
OpWriter foldedBy(SizeFold fold, bool isTruth, OpWriter writer);

/// 1, 0 or -1 where all sizes of dims, which are at least 0, agree on the sign.
std::optional<int> signOf(const SizePolynomial &number);

/// Leaves the sizes of dims that `bounds` needs; calls check them.
void requireBounds(GraphBuilder &build, const DimBounds &bounds);
/// Whether `number` is at least 0 for all sizes from 1 on, or where it is of
/// one dim for all from some size on, the only ones then.
bool requireNotNegative(GraphBuilder &build, const SizePolynomial &number);

/// How many elements there are of these sizes.
SizePolynomial productOf(const SizeList &sizes);

/// The product of `all` by that of `some`; unknown where that is not whole.
SizePolynomial quotientOf(SizeList all, SizeList some);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_SIZES_H
