// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a graph of any reader to a module at level graph.
#ifndef MIXATTN_LIB_IMPORT_BUILDMODULE_H
#define MIXATTN_LIB_IMPORT_BUILDMODULE_H

#include "lib/Import/Graph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mixattn {

/// A module and the elements of its parameters, named as its arguments.
struct BuiltModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::pair<std::string, Tensor>> weights;
  /// The graph's.
  std::shared_ptr<const void> memory;
  /// Of sizes that calls check because ops ask for them, one sentence each.
  std::vector<std::string> remarks;
};

/// Writes `graph` as one public function of that name. Parameters become
/// arguments; small constants stay in the module. Errors name the op, its node
/// and its place.
Result<BuiltModule> buildModule(Graph graph, llvm::StringRef entry,
                                mlir::MLIRContext &context);

/// Loads the dialects that buildModule writes.
void loadImportDialects(mlir::MLIRContext &context);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_BUILDMODULE_H
