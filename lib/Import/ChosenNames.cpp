// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One name for each symbol.
#include "lib/Import/ChosenNames.h"

using namespace mixattn;

/// `4*NAME + 1`, as the user writes it.
static std::string withStars(const SizePolynomial::Affine &form) {
  std::string text = form.factor == 1
                         ? form.dim
                         : std::to_string(form.factor) + "*" + form.dim;
  // Not by its negative: the least integer has none.
  if (form.offset < 0)
    return text + " - " + std::to_string(form.offset).substr(1);
  return form.offset ? text + " + " + std::to_string(form.offset) : text;
}

Status mixattn::chooseName(const InputDimNames &given, const std::string &input,
                           int64_t dim, const SizePolynomial &size,
                           DimNaming &chosen) {
  auto name = given.find({input, dim});
  if (name == given.end())
    return Success{};
  auto form = size.asAffine();
  std::optional<SizePolynomial> text = SizePolynomial::parse(name->second);
  auto wanted = text ? text->asAffine() : std::nullopt;
  if (!form || !wanted || form->factor != wanted->factor ||
      form->offset != wanted->offset) {
    std::string hint;
    if (form && size.asDim().empty())
      hint = "; '--name-dim=" + input + "." + std::to_string(dim) + "=" +
             withStars({"NAME", form->factor, form->offset}) + "' names '" +
             form->dim + "'";
    return makeError("expected '--name-dim' to name an open dim, but dim {} of "
                     "input '{}' is {}{}",
                     dim, input, size.toText(), hint);
  }
  auto known = chosen.emplace(form->dim, wanted->dim).first;
  if (known->second != wanted->dim)
    return makeError("expected one name for dim {} of input '{}' and all that "
                     "equal it, but got '{}' and '{}'",
                     dim, input, known->second, wanted->dim);
  return Success{};
}

std::set<std::string> mixattn::findToldSymbols(const SizeList &sizesOfInputs) {
  std::set<std::string> own, result;
  for (const SizePolynomial &size : sizesOfInputs)
    own.insert(size.asDim());
  for (const SizePolynomial &size : sizesOfInputs)
    if (auto form = size.asAffine(); form && !own.count(form->dim))
      result.insert(form->dim);
  return result;
}
