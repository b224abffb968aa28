// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One piece of memory for all buffers of a function.

#ifndef MIXATTN_PASSES_ENTRY_WORKSPACE_H
#define MIXATTN_PASSES_ENTRY_WORKSPACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace mixattn {

/// The addresses of a workspace and of its parts are multiples of this: a line
/// of the cache.
constexpr int64_t workspaceAlignment = 64;

inline mlir::MemRefType getWorkspaceType(mlir::MLIRContext *context) {
  return mlir::MemRefType::get({mlir::ShapedType::kDynamic},
                               mlir::IntegerType::get(context, 8));
}

/// The name of the function that gives the bytes of the workspace of `entry`.
inline std::string getBytesFunctionName(llvm::StringRef entry) {
  return (entry + ".workspace_bytes").str();
}

/// The bytes of workspaces that functions take, by name: values at the
/// functions' beginnings.
using WorkspaceNeeds = llvm::StringMap<mlir::Value>;

/// Takes the buffers of `function` from a workspace, its last argument from
/// then on; those that are not needed at the same time share a part of it.
/// `needs` knows the functions that it calls. Gives the bytes of the workspace,
/// or null where it needs none.
mlir::Value planWorkspace(mlir::func::FuncOp function,
                          const WorkspaceNeeds &needs);

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_WORKSPACE_H
