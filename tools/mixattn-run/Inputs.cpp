// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files to arguments: every argument once, every name known.
#include "tools/mixattn-run/Inputs.h"
#include "lib/Runtime/Binding.h"
#include "lib/Runtime/Files.h"
#include "lib/Runtime/Holds.h"
#include "lib/Runtime/Npy.h"
#include "lib/Runtime/Npz.h"
#include "lib/Runtime/Random.h"
#include "tools/mixattn-run/Console.h"
#include <set>

using namespace mixattn;

namespace {
/// A tensor and the file that it comes from.
struct Given {
  Tensor tensor;
  std::string path;
};

/// Reads files into tensors under the names of arguments.
class Gatherer {
public:
  explicit Gatherer(const Entry &entry) : entry(entry) {}

  Status addNpy(const NamedFile &input);
  Status addNpz(const std::string &path);
  Status addWeights(const std::string &path);

  std::map<std::string, Given> given;

private:
  Status add(const std::string &name, Tensor tensor, const std::string &path);
  Error surplus(const std::string &name) const {
    return makeError("expected an argument of entry '{}', but got '{}'",
                     entry.name, name);
  }

  const Entry &entry;
};
} // namespace

std::map<std::string, const Tensor *>
Arguments::byName(const Entry &entry) const {
  std::map<std::string, const Tensor *> map;
  for (size_t i = 0; i < tensors.size(); ++i)
    map[entry.arguments[i].name] = &tensors[i];
  return map;
}

Status Gatherer::add(const std::string &name, Tensor tensor,
                     const std::string &path) {
  auto [place, isNew] = given.try_emplace(name, Given{std::move(tensor), path});
  if (!isNew)
    return makeError("argument '{}': expected one file, but got '{}' and '{}'",
                     name, place->second.path, path);
  return Success();
}

Status Gatherer::addNpy(const NamedFile &input) {
  if (!entry.argument(input.name))
    return surplus(input.name);
  Result<Buffer> file = readFile(input.path);
  if (!file)
    return file.error();
  Result<Tensor> tensor = readNpy(file->view());
  if (!tensor)
    return inPlace(input.path, tensor.error());
  return add(input.name, std::move(*tensor), input.path);
}

Status Gatherer::addNpz(const std::string &path) {
  Result<Buffer> file = readFile(path);
  if (!file)
    return file.error();
  std::set<std::string> names;
  auto tensors = readNpz(file->view(), [&](const std::string &name) -> Status {
    if (!entry.argument(name))
      return surplus(name);
    if (!names.insert(name).second)
      return makeError("expected each argument once, but got '{}' again", name);
    return Success();
  });
  if (!tensors)
    return inPlace(path, tensors.error());
  for (auto &[name, tensor] : *tensors)
    if (Status added = add(name, std::move(tensor), path); !added)
      return added;
  return Success();
}

Status Gatherer::addWeights(const std::string &path) {
  Result<Buffer> file = mapFile(path);
  if (!file)
    return file.error();
  Result<SafetensorsFile> weights = SafetensorsFile::open(std::move(*file));
  if (!weights)
    return inPlace(path, weights.error());
  for (const std::string &name : weights->names()) {
    if (!entry.argument(name)) {
      printWarning(inPlace(path, surplus(name)));
      continue;
    }
    Result<Tensor> tensor = weights->load(name);
    if (!tensor)
      return inPlace(path + ": '" + name + "'", tensor.error());
    if (Status added = add(name, std::move(*tensor), path); !added)
      return added;
  }
  return Success();
}

static Status readAll(Gatherer &gatherer, const Options &options) {
  for (const NamedFile &input : options.inputs)
    if (Status added = gatherer.addNpy(input); !added)
      return added;
  for (const std::string &path : options.inputArchives)
    if (Status added = gatherer.addNpz(path); !added)
      return added;
  for (const std::string &path : options.weights)
    if (Status added = gatherer.addWeights(path); !added)
      return added;
  return Success();
}

/// Draws an argument that no file gave.
static Result<Tensor> draw(const Parameter &argument, const DimTable &dims,
                           const Options &options) {
  if (!options.seed)
    return makeError("argument '{}': expected --input={}=FILE.npy or "
                     "--random=SEED, but got neither",
                     argument.name, argument.name);
  if (Status known = dims.requireDims(argument); !known)
    return known.error();
  return drawTensor(argument, dims.sizes(), *options.seed);
}

/// Checks what the manifest says of values, given or drawn.
static Status checkValues(const Entry &entry, const Arguments &arguments) {
  for (size_t i = 0; i < entry.arguments.size(); ++i)
    for (auto check : {checkRange, checkHolds})
      if (Status good =
              check(entry.arguments[i], arguments.tensors[i], arguments.dims);
          !good)
        return good;
  return Success();
}

Result<Arguments> mixattn::gatherArguments(const Entry &entry,
                                           const Options &options) {
  Gatherer gatherer(entry);
  if (Status read = readAll(gatherer, options); !read)
    return read.error();
  DimTable dims(entry);
  for (auto &[name, size] : options.dims)
    if (Status chosen = dims.choose(name, size); !chosen)
      return chosen.error();
  for (const Parameter &argument : entry.arguments) {
    auto file = gatherer.given.find(argument.name);
    if (file == gatherer.given.end())
      continue;
    if (Status bound = dims.bind(argument, file->second.tensor); !bound)
      return bound.error();
  }
  if (Status computed = dims.compute(); !computed)
    return computed.error();
  Arguments arguments;
  for (const Parameter &argument : entry.arguments) {
    auto file = gatherer.given.find(argument.name);
    if (file != gatherer.given.end()) {
      arguments.tensors.push_back(std::move(file->second.tensor));
      continue;
    }
    Result<Tensor> tensor = draw(argument, dims, options);
    if (!tensor)
      return tensor.error();
    arguments.tensors.push_back(std::move(*tensor));
  }
  arguments.dims = dims.sizes();
  arguments.packsEachCall = options.packsEachCall;
  if (Status good = checkValues(entry, arguments); !good)
    return good.error();
  return arguments;
}
