// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of one item of a grid.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_SCRATCH_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_SCRATCH_H

#include "mlir/IR/Value.h"

namespace mixattn {

/// Memory that the parts of a tile take from, one after the other.
struct Scratch {
  /// `memref<?xi8>`. Where it is null, what is taken is null, and its bytes are
  /// only counted.
  mlir::Value memory = {};
  /// Bytes that were taken.
  int64_t taken = 0;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_SCRATCH_H
