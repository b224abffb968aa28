// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets: what holds of them, and what they say of their machine.

#include "dialect/attn/AttnOps.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mixattn;

/// Whether `features` are names, sorted, each once.
static bool areSortedNames(ArrayAttr features) {
  return llvm::all_of(features, llvm::IsaPred<StringAttr>) &&
         llvm::is_sorted(features, [](Attribute a, Attribute b) {
           return cast<StringAttr>(a).getValue() <=
                  cast<StringAttr>(b).getValue();
         });
}

/// Verifies that `calibration`, if there is one, holds numbers of f64 above 0.
static LogicalResult verifyNumbers(function_ref<InFlightDiagnostic()> emitError,
                                   DictionaryAttr calibration) {
  if (!calibration)
    return success();
  constexpr double most = 1e15;
  for (NamedAttribute each : calibration) {
    auto number = dyn_cast<FloatAttr>(each.getValue());
    if (!number || !number.getType().isF64() ||
        !(number.getValueAsDouble() > 0 && number.getValueAsDouble() <= most))
      return emitError() << "expected '" << each.getName().getValue()
                         << "' of 'calibration' to be a number of f64 above 0 "
                            "and at most 1e15, but got "
                         << each.getValue();
  }
  return success();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 TargetFamily family, StringRef chip,
                                 ArrayAttr features, int64_t threads,
                                 DictionaryAttr machine,
                                 DictionaryAttr calibration) {
  if (chip.empty())
    return emitError() << "expected 'chip' to be a name, but got nothing";
  if (features && !areSortedNames(features))
    return emitError() << "expected 'features' to be names that ascend, but "
                          "got "
                       << features;
  constexpr int64_t most = 4096;
  if (threads < 0 || threads > most)
    return emitError() << "expected 'threads' from 0 to " << most
                       << ", but got " << threads;
  if (family != TargetFamily::X86 &&
      ((features && !features.empty()) || threads || machine || calibration))
    return emitError() << "expected 'features', 'threads', 'machine' and "
                          "'calibration' with x86 only";
  if (failed(verifyNumbers(emitError, calibration)))
    return failure();
  if (!machine)
    return success();
  for (NamedAttribute fact : machine) {
    auto number = dyn_cast<IntegerAttr>(fact.getValue());
    if (!isa<StringAttr>(fact.getValue()) &&
        !(number && number.getType().isSignlessInteger(64) &&
          number.getInt() >= 0))
      return emitError() << "expected '" << fact.getName().getValue()
                         << "' of 'machine' to be a text or a number of 64 "
                            "bits that is not negative, but got "
                         << fact.getValue();
  }
  return success();
}

TargetAttr TargetAttr::of(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  // Modules may be nested; the innermost target counts.
  for (; module; module = module->getParentOfType<ModuleOp>())
    if (auto target = module->getAttrOfType<TargetAttr>(attributeName))
      return target;
  return TargetAttr::get(op->getContext(), TargetFamily::X86, "x86-64",
                         ArrayAttr(), /*threads=*/0, DictionaryAttr(),
                         DictionaryAttr());
}

std::vector<std::string> TargetAttr::getFeatureNames() const {
  std::vector<std::string> names;
  if (ArrayAttr features = getFeatures())
    for (Attribute feature : features)
      names.push_back(cast<StringAttr>(feature).str());
  return names;
}

bool TargetAttr::has(StringRef feature) const {
  return getFeatures() &&
         llvm::is_contained(getFeatures(),
                            StringAttr::get(getContext(), feature));
}

bool TargetAttr::hasBf16Conversion() const {
  return has("avx512bf16") && has("avx512vl");
}

bool TargetAttr::hasF16Conversion() const {
  return has("f16c") || has("avx512fp16");
}
