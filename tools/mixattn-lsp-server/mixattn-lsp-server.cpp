// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mixattn-lsp-server: what an editor asks about MLIR files with attention ops.
#include "mixattn/Version.h"
#include "passes/Pipelines/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

static llvm::cl::extrahelp examples(R"(
examples:
  Visual Studio Code, extension "MLIR", settings.json:
    "mlir.server_path": "/path/to/mixattn-lsp-server"
  Neovim:
    vim.lsp.start({name = "mixattn", cmd = {"mixattn-lsp-server"}})
)");

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &stream) { stream << MIXATTN_VERSION_TEXT "\n"; });
  mlir::DialectRegistry registry;
  mixattn::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
