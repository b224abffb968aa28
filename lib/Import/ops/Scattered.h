// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements written at places that are values.
#ifndef MIXATTN_LIB_IMPORT_OPS_SCATTERED_H
#define MIXATTN_LIB_IMPORT_OPS_SCATTERED_H

#include "lib/Import/OpTable.h"

namespace mixattn {

/// `tensor` with `rows` in place of, or added to, what is at the places that
/// `given` holds along `dim`: places of rows, one dim, or of single elements,
/// as many dims as the tensor. The last of several for one place stays. Places
/// outside of the tensor write nothing. N M comparisons for M places of N.
Built scattered(OpCall &op, const Built &tensor, int64_t dim,
                const Built &given, const Built &rows, bool isSum);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_SCATTERED_H
