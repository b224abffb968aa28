// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mixattn-opt: runs passes and pipelines on MLIR files, for tests.

#include "mixattn/Version.h"
#include "passes/Pipelines/Pipelines.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

static llvm::cl::extrahelp examples(R"(
examples:
  mixattn-opt layer.mlir
  mixattn-opt layer.mlir --attn-simplify --attn-decompose
  mixattn-opt layer.mlir --attn-set-target=features=avx2,fma --attn-to-llvm \
    --mlir-print-ir-after-all
  mixattn-opt layer.reproducer.mlir --run-reproducer
)");

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &stream) { stream << MIXATTN_VERSION_TEXT "\n"; });
  mlir::registerAllPasses();
  mixattn::registerPasses();
  mixattn::registerPipelines();
  mlir::DialectRegistry registry;
  mixattn::registerDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mixattn optimizer driver\n", registry));
}
