// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels of parameters that the artifact holds.

#ifndef MIXATTN_PASSES_SCHEDULE_EMBEDDED_PANELS_H
#define MIXATTN_PASSES_SCHEDULE_EMBEDDED_PANELS_H

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <map>

namespace mixattn {

/// The global that `buffer` is, or a view of, if it is an embedded parameter;
/// else null.
mlir::memref::GetGlobalOp findEmbedded(mlir::Value buffer);

/// Globals of panels, one for all kernels that read the same, and their
/// description on the module (embeddedPanels).
class EmbeddedPanels {
public:
  explicit EmbeddedPanels(mlir::ModuleOp module) : module(module) {}

  /// The panels of type `panels` that hold `source`, a view of an embedded
  /// parameter, as a buffer at the start of `entry`; null where it is not known
  /// where the view's elements lie.
  mlir::Value take(mlir::func::FuncOp entry, mlir::Value source,
                   const PanelLayout &layout, mlir::MemRefType panels);

private:
  mlir::ModuleOp module;
  std::map<const void *, mlir::memref::GlobalOp> globals;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_EMBEDDED_PANELS_H
