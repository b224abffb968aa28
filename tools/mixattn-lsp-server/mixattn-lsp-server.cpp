// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mixattn-lsp-server: what an editor asks about MLIR files with attention ops.
#include "passes/Pipelines/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mixattn::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
