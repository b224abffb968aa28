// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's MLIR takes the place of the model: all that follows, reproducers
// too, sees text.
#include "tools/mixattn-compile/ImportSource.h"

#include "lib/Import/Import.h"
#include "lib/Runtime/Safetensors.h"
#include "lib/Target/Imports.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mixattn;
using llvm::StringRef;

bool mixattn::isModel(const Options &options,
                      const llvm::MemoryBuffer &source) {
  StringRef extension = llvm::sys::path::extension(options.input);
  return extension == ".pt2" || extension == ".onnx" ||
         isPt2(source.getBuffer());
}

/// The entry's name: the file's, as an identifier that is no function's of the
/// runtime.
static std::string entryName(StringRef path) {
  std::string name;
  for (char c : llvm::sys::path::stem(path))
    name += llvm::isAlnum(c) ? c : '_';
  if (isImported(name))
    return "model_" + name;
  return name.empty() || llvm::isDigit(name[0]) ? "model" + name : name;
}

/// A number that other weights do not have.
static std::string markOf(llvm::ArrayRef<NamedTensor> weights) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const auto &[name, tensor] : weights)
    stream << name << nameOf(tensor->dtype()) << toString(tensor->shape())
           << llvm::xxh3_64bits(StringRef(tensor->data(), tensor->bytes()));
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
}

ExitCode mixattn::importSource(Options &options,
                               std::unique_ptr<llvm::MemoryBuffer> &source,
                               Weights &weights, OutputFiles &files) {
  if (!options.embedded.empty())
    return report(makeError("expected '--embed' without a file for '{}', which "
                            "holds its weights",
                            options.input),
                  wrongCommandLine);
  auto model = importModel(*source, options.input, entryName(options.input),
                           options.dimNames);
  if (!model)
    return report(inPlace(options.input, model.error()));
  for (const std::string &path : model->files)
    files.keep(path);
  if (options.hasRemarks)
    for (const std::string &remark : model->remarks)
      llvm::errs() << "mixattn-compile: remark: " << options.input << ": "
                   << remark << "\n";
  // Weights may lie in either.
  weights.model = std::move(source);
  weights.memory = std::move(model->memory);
  source = llvm::MemoryBuffer::getMemBufferCopy(model->text, options.input);
  weights.tensors = std::move(model->weights);
  if (options.isReport() || weights.tensors.empty() || options.embeds ||
      !isOrdinaryFile(options.output))
    return done;
  std::vector<NamedTensor> named;
  for (auto &[name, tensor] : weights.tensors)
    named.emplace_back(name, &tensor);
  options.weightsMark = markOf(named);
  llvm::SmallString<128> path(options.output);
  llvm::sys::path::replace_extension(path, "safetensors");
  Status added =
      files.add(path.str().str(),
                streamSafetensors(std::move(named), options.weightsMark));
  return added ? done : report(added.error());
}
