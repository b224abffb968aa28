// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions next to an entry: what a call takes, and what goes before it.

#ifndef MIXATTN_PASSES_ENTRY_ENTRY_QUERIES_H
#define MIXATTN_PASSES_ENTRY_ENTRY_QUERIES_H

#include "passes/entry/EntryChecks.h"

namespace mixattn {

/// Makes `mixattn_workspace_NAME` (mixattn_workspace_query in
/// lib/Runtime/abi.h) where `b` stands. `tensors` and `rules` are those of the
/// entry; `bytes` is the function of their buffers that gives the bytes, or
/// null where a call takes none.
void exportWorkspaceQuery(mlir::OpBuilder &b, mlir::ModuleOp module,
                          mlir::Location loc, llvm::StringRef name,
                          llvm::ArrayRef<EntryTensor> tensors,
                          const DimRules &rules, mlir::func::FuncOp bytes);

/// Makes `mixattn_prepare_NAME` (mixattn_preparation in lib/Runtime/abi.h): it
/// asks for what the code needs of the machine.
void exportPreparation(mlir::OpBuilder &b, mlir::ModuleOp module,
                       mlir::Location loc, llvm::StringRef name);

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_ENTRY_QUERIES_H
