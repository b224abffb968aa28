// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads, builds, and writes both parts.
#include "lib/Import/Import.h"

#include "lib/Import/BuildModule.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/Path.h"

#include <sys/mman.h>

using namespace mixattn;

/// A divisor of the size of all pages of the system.
static constexpr uintptr_t pageSize = 4096;

/// The folder in which a file lies; none of standard input.
static std::string folderOf(const std::string &path) {
  if (path == "-")
    return "";
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder.str();
}

/// Lets the system take the pages of a file, which it reads again where they
/// are looked at. What LLVM has for it, posix_madvise, does nothing in glibc.
static void forgetPages(const llvm::MemoryBuffer &source) {
  if (source.getBufferKind() != llvm::MemoryBuffer::MemoryBuffer_MMap)
    return;
  auto start = reinterpret_cast<uintptr_t>(source.getBufferStart());
  uintptr_t page = start / pageSize * pageSize;
  madvise(reinterpret_cast<void *>(page), start + source.getBufferSize() - page,
          MADV_DONTNEED);
}

Result<ImportedModel> mixattn::importModel(const llvm::MemoryBuffer &source,
                                           const std::string &path,
                                           const std::string &entry,
                                           const InputDimNames &names) {
  std::string_view file = source.getBuffer();
  auto forget = [&] { forgetPages(source); };
  bool isOnnx = llvm::sys::path::extension(path) == ".onnx" && !isPt2(file);
  Result<Graph> graph = isOnnx ? readOnnx(file, folderOf(path), names, forget)
                               : readPt2(file, names);
  if (!graph)
    return graph.error();
  ImportedModel result;
  result.files = graph->files;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Result<BuiltModule> built = buildModule(std::move(*graph), entry, context);
  if (!built)
    return built.error();
  llvm::raw_string_ostream stream(result.text);
  built->module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  stream << "\n";
  result.weights = std::move(built->weights);
  result.memory = std::move(built->memory);
  result.remarks = std::move(built->remarks);
  return result;
}
