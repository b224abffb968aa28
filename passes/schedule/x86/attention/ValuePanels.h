// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values as AMX reads them.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_VALUE_PANELS_H
#define MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_VALUE_PANELS_H

#include "dialect/attn/AttnOps.h"
#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace mixattn {

/// Rows of a panel for values of `features` features: whole squares of AMX.
inline int64_t rowsOfValuePanel(int64_t features) {
  return int64_t(llvm::alignTo(features, tile::amxSide));
}

/// Emits a grid that transposes the values of `kernel`, an attention: a panel
/// for each block of keys, a row for each feature. Where there is no such key
/// or feature there is 0. Gives the panels, `[B, H, blocks, rows, block]`, in
/// memory that the caller frees.
mlir::Value emitValuePanels(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
                            const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_VALUE_PANELS_H
