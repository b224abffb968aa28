// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows schedule: ops that the rows of a tensor go through.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ROWS_ROWS_H
#define MIXATTN_PASSES_SCHEDULE_X86_ROWS_ROWS_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Replaces a kernel of `linalg` ops by a grid of blocks of rows, vectors of
/// which have `lanes` lanes. Where every lane is computed without the others, a
/// long row is divided, too. With `asksAhead` sums may ask for what they will
/// read.
void scheduleRows(KernelOp kernel, int64_t lanes, bool asksAhead);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ROWS_ROWS_H
