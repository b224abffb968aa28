// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices that lie within what they are of.
#ifndef MIXATTN_LIB_IMPORT_OPS_INDICES_H
#define MIXATTN_LIB_IMPORT_OPS_INDICES_H

#include "lib/Import/OpCall.h"

namespace mixattn {

/// Lets each call check that an argument holds numbers from `low` to `high`, or
/// fewer where that was asked for before.
void limitArgument(OpCall &op, mlir::BlockArgument argument, int64_t low,
                   int64_t high);

/// Whether all indices are known to lie within a dim of `rows`, or each call
/// checks it. Fails where one is known not to.
bool areWithin(OpCall &op, const Built &indices, const SizePolynomial &rows);

/// `table` where there is an element along `dim` to read for a tensor of
/// `sizes` that is not empty: calls check that, or one more is zeros. Fails
/// where there is never one.
Built withElements(OpCall &op, const Built &table, int64_t dim,
                   const SizeList &sizes);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_INDICES_H
