// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches of keys and values, which calls write new positions into.
#ifndef MIXATTN_LIB_IMPORT_OPS_CACHES_H
#define MIXATTN_LIB_IMPORT_OPS_CACHES_H

#include "lib/Import/OpTable.h"

namespace mixattn {

/// `cache` with `rows` in it, the first of them at `start` along dim `along`:
/// one integer, or one for each item of the first dim.
Built appendRows(OpCall &op, const Built &cache, const Built &rows,
                 int64_t along, const Built &start, bool isRing = false);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_CACHES_H
