// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors spread to larger sizes.
#ifndef MIXATTN_LIB_IMPORT_OPS_REPEATS_H
#define MIXATTN_LIB_IMPORT_OPS_REPEATS_H

#include "lib/Import/OpTable.h"

namespace mixattn {

/// The tensor spread to `sizes` by NumPy's rule.
Built spreadTo(GraphBuilder &build, const Built &tensor, const SizeList &sizes);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_REPEATS_H
