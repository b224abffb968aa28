// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mixattn-opt with one pass and one algorithm more.

#include "ReportMixers.h"
#include "RowByRow.h"

#include "passes/Pipelines/Pipelines.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  mixattn::registerPasses();
  mixattn::registerPipelines();
  registerReportMixers();
  mlir::DialectRegistry registry;
  mixattn::registerDialects(registry);
  registerRowByRow(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "extended mixattn-opt\n", registry));
}
