// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads, builds, and writes both parts.
#include "lib/Import/Import.h"

#include "lib/Import/BuildModule.h"
#include "lib/Runtime/Safetensors.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/Path.h"

using namespace mixattn;

/// The folder in which a file lies; none of standard input.
static std::string folderOf(const std::string &path) {
  if (path == "-")
    return "";
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder.str();
}

Result<ImportedModel> mixattn::importModel(std::string_view file,
                                           const std::string &path,
                                           const std::string &entry,
                                           const InputDimNames &names) {
  bool isOnnx = llvm::sys::path::extension(path) == ".onnx" && !isPt2(file);
  Result<Graph> graph =
      isOnnx ? readOnnx(file, folderOf(path), names) : readPt2(file, names);
  if (!graph)
    return graph.error();
  ImportedModel result;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Result<BuiltModule> built = buildModule(std::move(*graph), entry, context);
  if (!built)
    return built.error();
  llvm::raw_string_ostream stream(result.text);
  built->module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  stream << "\n";
  std::vector<NamedTensor> named;
  for (auto &[name, tensor] : built->weights)
    named.emplace_back(name, &tensor);
  if (!named.empty())
    result.weights = writeSafetensors(named);
  return result;
}
