// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles of a kernel as items of work that threads share.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_ITEMS_H
#define MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_ITEMS_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/Scratch.h"
#include "passes/schedule/x86/shared/TileSizes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// One tile of a kernel: `queries` queries from `firstQuery` on.
struct Item {
  mlir::Value batch;
  /// Which group of heads: 0 where one tile holds all.
  mlir::Value group;
  mlir::Value firstQuery, queries;
  /// The values in panels (emitValuePanels), where AMX pools them; else null.
  mlir::Value valuePanels;
};

/// Emits, in front of `kernel`, loops over its tiles, and erases it: tiles of
/// `sizes`, and what of the queries does not fill one in tiles one row of lanes
/// wide. A tile holds one of `groups` groups of heads and takes
/// `bytes(b, sizes)` bytes of scratch.
void emitItems(KernelOp kernel, const TileSizes &sizes, int64_t groups,
               llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &b,
                                              const TileSizes &sizes)>
                   bytes,
               llvm::function_ref<void(mlir::ImplicitLocOpBuilder &b,
                                       const TileSizes &sizes, const Item &item,
                                       Scratch &scratch)>
                   emitTile);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_ITEMS_H
