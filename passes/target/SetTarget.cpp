// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-set-target: says which machine a module is compiled for.

#include "passes/Passes.h"
#include "passes/target/CpuModel.h"

#include "mlir/IR/Builders.h"

namespace mixattn {
#define GEN_PASS_DEF_SETTARGETPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct SetTargetPass : mixattn::impl::SetTargetPassBase<SetTargetPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::string> names(features.begin(), features.end());
    llvm::sort(names);
    names.erase(llvm::unique(names), names.end());
    SmallVector<StringRef> sorted(names.begin(), names.end());
    Builder builder(&getContext());
    DictionaryAttr facts;
    if (!machine.empty()) {
      Result<CpuFacts> read = parseCpuFacts(machine.getValue());
      if (!read) {
        emitError(module.getLoc()) << read.message();
        return signalPassFailure();
      }
      facts = toAttribute(*read, &getContext());
    }
    std::vector<GivenNumber> numbers;
    for (const std::string &text : calibration) {
      auto [name, digits] = StringRef(text).split('=');
      double number = 0;
      if (!findCalibrationNumber(name) || digits.getAsDouble(number)) {
        emitError(module.getLoc())
            << "expected 'calibration' to be the names of numbers that plans "
               "depend on, each with '=' and a number, but got '"
            << text << "'";
        return signalPassFailure();
      }
      numbers.emplace_back(name.str(), number);
    }
    TargetFamily kind = family;
    StringRef name = chip.getValue();
    auto report = [&] { return emitError(module.getLoc()); };
    TargetAttr target = TargetAttr::getChecked(
        function_ref<InFlightDiagnostic()>(report), &getContext(), kind, name,
        sorted.empty() ? ArrayAttr() : builder.getStrArrayAttr(sorted),
        threads.getValue(), facts, toAttribute(numbers, &getContext()));
    if (!target)
      return signalPassFailure();
    module->setAttr(TargetAttr::attributeName, target);
  }
};

} // namespace
