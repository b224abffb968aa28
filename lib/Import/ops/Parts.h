// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors cut.
#ifndef MIXATTN_LIB_IMPORT_OPS_PARTS_H
#define MIXATTN_LIB_IMPORT_OPS_PARTS_H

#include "lib/Import/OpTable.h"

namespace mixattn {

/// A place along a dim of `size`; one below 0 counts from the end, as one does
/// that is below 0 for all sizes, or for all from 2 on.
SizePolynomial fromEnd(GraphBuilder &build, const SizePolynomial &place,
                       const SizePolynomial &size);

/// The elements from start to end. An end beyond the size is the size; where
/// neither is known to be larger, start and end lie within.
Built part(OpCall &op, const Built &tensor, int64_t dim, SizePolynomial start,
           SizePolynomial end, int64_t step);

/// With as many elements that are `number` before and after along a dim.
Built withBorder(GraphBuilder &build, const Built &tensor, int64_t dim,
                 const SizePolynomial &before, const SizePolynomial &after,
                 double number);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_PARTS_H
