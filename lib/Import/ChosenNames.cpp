// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One name for each symbol.
#include "lib/Import/ChosenNames.h"

using namespace mixattn;

Status mixattn::chooseName(const InputDimNames &given, const std::string &input,
                           int64_t dim, const std::string &symbol,
                           DimNaming &chosen) {
  auto name = given.find({input, dim});
  if (name == given.end())
    return Success{};
  auto known = chosen.emplace(symbol, name->second).first;
  if (known->second != name->second)
    return makeError("expected one name for dim {} of input '{}' and all that "
                     "equal it, but got '{}' and '{}'",
                     dim, input, known->second, name->second);
  return Success{};
}

Status mixattn::refuseName(const InputDimNames &given, const std::string &input,
                           int64_t dim, const std::string &size) {
  if (!given.count({input, dim}))
    return Success{};
  return makeError("expected '--name-dim' to name an open dim, but dim {} of "
                   "input '{}' is {}",
                   dim, input, size);
}
