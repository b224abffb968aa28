// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mixattn-opt: runs passes and pipelines on MLIR files, for tests.

#include "passes/Pipelines/Pipelines.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  mixattn::registerPasses();
  mixattn::registerPipelines();
  mlir::DialectRegistry registry;
  mixattn::registerDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mixattn optimizer driver\n", registry));
}
