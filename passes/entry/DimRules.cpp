// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes the attribute that holds an entry's rules on sizes.

#include "passes/entry/DimRules.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mixattn;

static constexpr StringLiteral attributeName = "attn.sizes";

/// The names of dims of arguments in order; what became of results is none.
static SmallVector<std::string> dimsOfArguments(func::FuncOp function) {
  SmallVector<std::string> result;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto names = function.getArgAttrOfType<ArrayAttr>(i, "attn.dims");
    if (!names || function.getArgAttr(i, "attn.result"))
      continue;
    for (Attribute name : names)
      result.push_back(cast<StringAttr>(name).str());
  }
  return result;
}

/// Dims of no argument are told by the first definition of one that has no
/// other dim; calls check all.
static void addToldDims(DimRules &rules, ArrayRef<std::string> given) {
  for (const std::string &name : given) {
    auto own = rules.find(name);
    auto form = own != rules.end() && own->second.definition
                    ? own->second.definition->asAffine()
                    : std::nullopt;
    if (!form || llvm::is_contained(given, form->dim) ||
        form->factor > INT32_MAX || form->offset > INT32_MAX ||
        form->offset < -INT32_MAX)
      continue;
    if (DimRule &rule = rules[form->dim]; !rule.told && !rule.definition)
      rule.told = {name, form->factor, form->offset};
  }
}

DimRules mixattn::getDimRules(func::FuncOp function) {
  DimRules rules;
  auto sizes = function->getAttrOfType<DictionaryAttr>(attributeName);
  if (!sizes)
    return rules;
  for (NamedAttribute each : sizes) {
    DimRule &rule = rules[each.getName().str()];
    if (auto text = dyn_cast<StringAttr>(each.getValue())) {
      rule.definition = SizePolynomial::parse(text.getValue())
                            .value_or(SizePolynomial::unknown());
      continue;
    }
    auto ends = cast<ArrayAttr>(each.getValue());
    rule.least = cast<IntegerAttr>(ends[0]).getInt();
    if (ends.size() > 1)
      rule.most = cast<IntegerAttr>(ends[1]).getInt();
  }
  addToldDims(rules, dimsOfArguments(function));
  return rules;
}

/// A rule as getDimRules reads it.
static Attribute attributeOf(MLIRContext *context, const DimRule &rule) {
  if (rule.definition)
    return StringAttr::get(context, rule.definition->toText());
  SmallVector<int64_t> ends = {rule.least};
  if (rule.most)
    ends.push_back(*rule.most);
  return Builder(context).getI64ArrayAttr(ends);
}

void mixattn::setDimRules(func::FuncOp function, const DimRules &rules) {
  MLIRContext *context = function.getContext();
  SmallVector<NamedAttribute> all;
  if (auto known = function->getAttrOfType<DictionaryAttr>(attributeName))
    for (NamedAttribute each : known)
      if (!rules.count(each.getName().str()))
        all.push_back(each);
  for (const auto &[name, rule] : rules)
    all.emplace_back(StringAttr::get(context, name),
                     attributeOf(context, rule));
  if (!all.empty())
    function->setAttr(attributeName, DictionaryAttr::get(context, all));
}

void mixattn::defineDim(func::FuncOp function, StringRef name,
                        const SizePolynomial &definition) {
  setDimRules(function, {{name.str(), {0, std::nullopt, definition}}});
}

SizePolynomial mixattn::expand(const SizePolynomial &size,
                               const DimRules &rules) {
  return size.with([&](const std::string &dim) {
    auto rule = rules.find(dim);
    return rule == rules.end() ? std::nullopt : rule->second.definition;
  });
}

LogicalResult mixattn::verifyDimRules(func::FuncOp entry,
                                      const llvm::StringSet<> &ofArguments) {
  DimRules rules = getDimRules(entry);
  for (const auto &[name, rule] : rules) {
    auto expected = [&, &name = name]() -> InFlightDiagnostic {
      return entry.emitError("expected dimension '")
             << name << "' of 'attn.sizes' ";
    };
    if (!rule.definition) {
      if (!ofArguments.contains(name) && !rule.told)
        return expected() << "to occur in an argument";
      continue;
    }
    if (!rule.definition->isKnown())
      return expected()
             << "to be a polynomial such as '4 B N + 1', but got "
             << entry->getAttrOfType<DictionaryAttr>("attn.sizes").get(name);
    for (const auto &[dims, coefficient] : rule.definition->getTerms())
      for (const std::string &dim : dims) {
        auto other = rules.find(dim);
        if (!ofArguments.contains(dim) ||
            (other != rules.end() && other->second.definition))
          return expected() << "to be computed from dimensions of arguments "
                               "that are not computed themselves, but got '"
                            << dim << "'";
      }
  }
  return success();
}
