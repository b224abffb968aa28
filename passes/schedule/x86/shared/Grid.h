// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits grids whose items have scratch memory.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_GRID_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_GRID_H

#include "passes/schedule/x86/shared/Scratch.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Emits a `tile.grid` of `count` items. `body` emits one item, given its
/// number and its scratch memory: `bytes` bytes from an address that 64
/// divides. Where `isLarge`, an i1, does not hold, one
/// thread does all.
void emitGrid(mlir::ImplicitLocOpBuilder &b, mlir::Value count,
              mlir::Value isLarge, mlir::Value bytes,
              llvm::function_ref<void(mlir::ImplicitLocOpBuilder &b,
                                      mlir::Value item, Scratch &scratch)>
                  body);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_GRID_H
