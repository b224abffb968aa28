// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments and tensors: do they fit, and how large are the dims.
#include "lib/Runtime/Binding.h"

using namespace mixattn;

Error mixattn::inArgument(const Parameter &argument, const Error &error) {
  return inPlace("argument '" + argument.name + "'", error);
}

Shape mixattn::shapeOf(const Parameter &parameter, const DimSizes &sizes) {
  Shape shape;
  for (const Dim &dim : parameter.shape)
    shape.push_back(dim.in(sizes));
  return shape;
}

/// Whether some argument has that dim, or tells it.
static bool hasDim(const Entry &entry, const std::string &name) {
  if (auto rule = entry.sizes.find(name);
      rule != entry.sizes.end() && rule->second.told)
    return true;
  for (const Parameter &argument : entry.arguments)
    for (const Dim &dim : argument.shape)
      if (dim.name == name)
        return true;
  return false;
}

Status DimTable::choose(const std::string &dim, int64_t size) {
  if (dim.empty() || !hasDim(entry, dim))
    return makeError("expected a dim of entry '{}', but got '{}'", entry.name,
                     dim);
  if (std::optional<Error> refused = refuse(dim, size))
    return *refused;
  known[dim] = size;
  origins[dim] = "--dim";
  return Success();
}

std::optional<Error> DimTable::refuse(const std::string &dim,
                                      int64_t size) const {
  auto rule = entry.sizes.find(dim);
  if (rule == entry.sizes.end())
    return std::nullopt;
  const auto &[least, most, definition, told] = rule->second;
  if (size < least)
    return makeError("expected dim '{}' to be {} or more, but got {}", dim,
                     least, size);
  if (most && size > *most)
    return makeError("expected dim '{}' to be at most {}, but got {}", dim,
                     *most, size);
  return std::nullopt;
}

Status DimTable::computeTold() {
  for (const auto &[dim, rule] : entry.sizes) {
    auto by = rule.told ? known.find(rule.told->by) : known.end();
    if (by == known.end())
      continue;
    auto [name, factor, offset] = *rule.told;
    int64_t multiple, over = (offset % factor + factor) % factor;
    std::string more = over ? " plus " + std::to_string(over) : "";
    if (__builtin_sub_overflow(by->second, offset, &multiple) ||
        multiple % factor)
      return makeError("expected dim '{}' to be a multiple of {}{}, but got {}",
                       name, factor, more, by->second);
    if (std::optional<Error> refused = refuse(dim, multiple / factor))
      return *refused;
    known.insert({dim, multiple / factor});
  }
  return Success();
}

Status DimTable::compute() {
  if (Status told = computeTold(); !told)
    return told;
  for (const auto &[dim, rule] : entry.sizes) {
    if (!rule.definition || !rule.definition->hasDimsOf(known))
      continue;
    std::optional<int64_t> size = rule.definition->in(known, 1);
    if (!size)
      return makeError("expected dim '{}', which other dims tell, to be a "
                       "size, but {} is none",
                       dim, rule.definition->toString());
    auto [place, isNew] = known.insert({dim, *size});
    if (!isNew && place->second != *size)
      return makeError("expected dim '{}' to be {}, as other dims tell, but "
                       "got {}",
                       dim, *size, place->second);
  }
  return Success();
}

Status DimTable::bind(const Parameter &argument, const Tensor &tensor) {
  if (tensor.dtype() != argument.dtype)
    return inArgument(argument, makeError("expected dtype {}, but got {}",
                                          nameOf(argument.dtype),
                                          nameOf(tensor.dtype())));
  const Shape &shape = tensor.shape();
  if (shape.size() != argument.shape.size())
    return inArgument(argument, makeError("expected rank {}, but got {}",
                                          argument.shape.size(), shape.size()));
  for (size_t i = 0; i < shape.size(); ++i) {
    const Dim &dim = argument.shape[i];
    if (!dim.isDynamic() && dim.value != shape[i])
      return inArgument(argument, makeError("expected dim {} to be {}, but got "
                                            "{}",
                                            i, dim.value, shape[i]));
    if (!dim.isDynamic())
      continue;
    auto [place, isNew] = known.insert({dim.name, shape[i]});
    if (isNew) {
      origins[dim.name] = "argument '" + argument.name + "'";
      if (std::optional<Error> refused = refuse(dim.name, shape[i]))
        return inArgument(argument, *refused);
    } else if (place->second != shape[i])
      return inArgument(
          argument,
          makeError("expected dim '{}' to be {} as in {}, but got {}", dim.name,
                    place->second, origins[dim.name], shape[i]));
  }
  return Success();
}

Status DimTable::requireDims(const Parameter &argument) const {
  std::vector<Dim> dims = argument.shape;
  if (argument.range)
    dims.insert(dims.end(), {argument.range->low, argument.range->high});
  if (argument.holds)
    dims.insert(dims.end(), argument.holds->extents.begin(),
                argument.holds->extents.end());
  for (const Dim &dim : dims)
    if (dim.isDynamic() && !known.count(dim.name))
      return makeError("dim '{}': expected --dim={}=SIZE or a given argument "
                       "that has it, but got neither",
                       dim.name, dim.name);
  return Success();
}

Status mixattn::checkRange(const Parameter &argument, const Tensor &tensor,
                           const DimSizes &sizes) {
  if (!argument.range)
    return Success();
  int64_t low = argument.range->low.in(sizes);
  int64_t high = argument.range->high.in(sizes);
  for (int64_t i = 0; i < tensor.elements(); ++i)
    if (tensor.integer(i) < low || tensor.integer(i) > high)
      return inArgument(argument,
                        makeError("expected values from {} to {}, but got {} "
                                  "at element {}",
                                  low, high, tensor.integer(i), i));
  return Success();
}
