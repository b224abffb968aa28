// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's MLIR takes the place of the model: all that follows, reproducers
// too, sees text.
#include "tools/mixattn-compile/ImportSource.h"

#include "lib/Import/Import.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mixattn;
using llvm::StringRef;

bool mixattn::isModel(const Options &options,
                      const llvm::MemoryBuffer &source) {
  StringRef extension = llvm::sys::path::extension(options.input);
  return extension == ".pt2" || extension == ".onnx" ||
         isPt2(source.getBuffer());
}

/// The entry's name: the file's, as an identifier.
static std::string entryName(StringRef path) {
  std::string name;
  for (char c : llvm::sys::path::stem(path))
    name += llvm::isAlnum(c) ? c : '_';
  return name.empty() || llvm::isDigit(name[0]) ? "model" + name : name;
}

ExitCode mixattn::importSource(const Options &options,
                               std::unique_ptr<llvm::MemoryBuffer> &source,
                               OutputFiles &files) {
  auto model = importModel(source->getBuffer(), options.input,
                           entryName(options.input), options.dimNames);
  if (!model)
    return report(inPlace(options.input, model.error()));
  source = llvm::MemoryBuffer::getMemBufferCopy(model->text, options.input);
  if (options.isReport() || model->weights.empty() ||
      !isOrdinaryFile(options.output))
    return done;
  llvm::SmallString<128> path(options.output);
  llvm::sys::path::replace_extension(path, "safetensors");
  Status added = files.add(path.str().str(), std::move(model->weights));
  return added ? done : report(added.error());
}
