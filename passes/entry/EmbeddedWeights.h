// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters that lie in the artifact, as its code names them.

#ifndef MIXATTN_PASSES_ENTRY_EMBEDDED_WEIGHTS_H
#define MIXATTN_PASSES_ENTRY_EMBEDDED_WEIGHTS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mixattn {

/// The prefix of a parameter's name in that of its global.
inline constexpr llvm::StringLiteral weightPrefix = "mixattn_weight.";

/// The module's manifest as it was before parameters were embedded.
inline constexpr llvm::StringLiteral embeddedManifest =
    "attn.embedded_manifest";

/// Which panels of which parameters the code reads: a dictionary of
/// dictionaries, by the names of the globals.
inline constexpr llvm::StringLiteral embeddedPanels = "attn.embedded_panels";

/// Where the elements of globals begin: 64 divides it.
inline constexpr int64_t weightAlignment = 64;

/// Declares a global of `module`, whose elements the artifact has.
inline mlir::memref::GlobalOp declareWeight(mlir::ModuleOp module,
                                            llvm::StringRef name,
                                            mlir::MemRefType type) {
  auto b = mlir::OpBuilder::atBlockBegin(module.getBody());
  // Without a first value it is external, and such globals are public.
  return mlir::memref::GlobalOp::create(
      b, module.getLoc(), name, /*sym_visibility=*/mlir::StringAttr(), type,
      /*initial_value=*/mlir::Attribute(), /*constant=*/true,
      b.getI64IntegerAttr(weightAlignment));
}

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_EMBEDDED_WEIGHTS_H
