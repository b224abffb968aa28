// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the names that code uses to bytes of the artifact.
#include "tools/mixattn-compile/Weights.h"

#include "lib/Runtime/Binding.h"
#include "lib/Runtime/Holds.h"
#include "lib/Runtime/Safetensors.h"
#include "lib/Target/Imports.h"
#include "lib/Target/Panels.h"
#include "passes/entry/EmbeddedWeights.h"

#include "llvm/ADT/StringExtras.h"

using namespace mixattn;

Status mixattn::readWeights(const std::string &path, Weights &weights) {
  Result<Buffer> bytes = mapFile(path);
  if (!bytes)
    return bytes.error();
  Result<SafetensorsFile> opened = SafetensorsFile::open(std::move(*bytes));
  if (!opened)
    return inPlace(path, opened.error());
  auto file = std::make_shared<SafetensorsFile>(std::move(*opened));
  weights.memory = file;
  for (const std::string &name : file->names()) {
    Result<Tensor> tensor = file->borrow(name);
    if (!tensor)
      return inPlace(path, inPlace("'" + name + "'", tensor.error()));
    std::string argument = name;
    for (char &c : argument)
      if (!llvm::isAlnum(c))
        c = '_';
    weights.tensors.emplace_back(argument, std::move(*tensor));
  }
  return Success{};
}

static const Tensor *findTensor(const Weights &weights, llvm::StringRef name) {
  for (const auto &[known, tensor] : weights.tensors)
    if (known == name)
      return &tensor;
  return nullptr;
}

/// Checks what a call would check of the parameters of `entry`.
static Status checkParameters(const Entry &entry, const Weights &weights) {
  DimTable dims(entry);
  for (const Parameter &parameter : entry.arguments) {
    if (!parameter.isWeight)
      continue;
    const Tensor *tensor = findTensor(weights, parameter.name);
    if (!tensor)
      return inArgument(parameter,
                        makeError("expected a tensor of that name among the "
                                  "weights, but got none"));
    if (Status fits = dims.bind(parameter, *tensor); !fits)
      return fits;
    std::vector<Dim> bounds;
    if (parameter.range)
      bounds = {parameter.range->low, parameter.range->high};
    if (parameter.holds)
      bounds = parameter.holds->extents;
    for (const Dim &bound : bounds)
      if (bound.isDynamic())
        return inArgument(parameter,
                          makeError("expected bounds of values that are known "
                                    "before a call, but got '{}'",
                                    bound.name));
    if (Status isIn = checkRange(parameter, *tensor, dims.sizes()); !isIn)
      return isIn;
    if (Status holds = checkHolds(parameter, *tensor, dims.sizes()); !holds)
      return holds;
  }
  return Success{};
}

/// The panels that `text` describes, an entry of embeddedPanels.
static Panels readPanels(mlir::DictionaryAttr text) {
  auto list = [&](llvm::StringRef name) {
    auto values = text.getAs<mlir::DenseI64ArrayAttr>(name);
    return values ? std::vector<int64_t>(values.asArrayRef().begin(),
                                         values.asArrayRef().end())
                  : std::vector<int64_t>();
  };
  auto number = [&](llvm::StringRef name) {
    std::vector<int64_t> values = list(name);
    return values.empty() ? -1 : values.front();
  };
  Panels panels;
  panels.offset = number("offset");
  panels.width = number("width");
  panels.arePairs = number("pairs") == 1;
  panels.sizes = list("sizes");
  panels.strides = list("strides");
  panels.terms = list("terms");
  panels.lanes = list("lanes");
  panels.batches = list("batches");
  return panels;
}

/// The error of code that was changed after it was made.
static Error noParameter(const std::string &symbol) {
  return makeError("expected code that reads embedded parameters alone, but "
                   "got '{}'",
                   symbol);
}

static Status addPanels(const std::string &symbol, mlir::DictionaryAttr text,
                        Weights &weights) {
  auto name = text.getAs<mlir::StringAttr>("of");
  const Tensor *tensor = findTensor(weights, name ? name.getValue() : "");
  Panels panels = readPanels(text);
  if (!tensor || panels.sizes.size() != panels.strides.size() ||
      !fits(panels, *tensor))
    return noParameter(symbol);
  SizedBytes packed = packPanels(std::move(panels), *tensor);
  return weights.section.add(symbol, packed.size, std::move(packed.bytes));
}

Status mixattn::embedWeights(mlir::ModuleOp module,
                             llvm::ArrayRef<std::string> objects,
                             Weights &weights) {
  auto text = module->getAttrOfType<mlir::StringAttr>(embeddedManifest);
  Result<Manifest> manifest = parseManifest(text ? text.getValue() : "");
  if (!manifest)
    return manifest.error();
  for (const Entry &entry : manifest->entries)
    if (Status fits = checkParameters(entry, weights); !fits)
      return fits;
  auto panels = module->getAttrOfType<mlir::DictionaryAttr>(embeddedPanels);
  for (const std::string &symbol : listUndefinedSymbols(objects)) {
    llvm::StringRef name = symbol;
    auto packed = panels ? panels.getAs<mlir::DictionaryAttr>(name) : nullptr;
    Status added = Success{};
    if (packed) {
      added = addPanels(symbol, packed, weights);
    } else if (name.consume_front(weightPrefix)) {
      const Tensor *tensor = findTensor(weights, name);
      if (!tensor)
        return noParameter(symbol);
      added = weights.section.add(
          symbol, tensor->bytes(), [tensor](const ByteSink &sink) {
            return sink({tensor->data(), tensor->bytes()});
          });
    }
    if (!added)
      return added;
  }
  return Success{};
}
