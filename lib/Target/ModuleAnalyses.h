// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The analyses that LLVM's passes over a module ask for.
#ifndef MIXATTN_LIB_TARGET_MODULEANALYSES_H
#define MIXATTN_LIB_TARGET_MODULEANALYSES_H

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace mixattn {

/// Analyses of a module's functions and loops, for the code of `generator`.
class ModuleAnalyses {
public:
  /// `callbacks`, if any, are asked before each pass.
  explicit ModuleAnalyses(llvm::TargetMachine &generator,
                          llvm::PassInstrumentationCallbacks *callbacks = {})
      : builder(&generator, llvm::PipelineTuningOptions(), std::nullopt,
                callbacks) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  /// Runs `passes` on `code`.
  void run(llvm::ModulePassManager &passes, llvm::Module &code) {
    passes.run(code, modules);
  }
  void run(llvm::FunctionPassManager &passes, llvm::Function &code) {
    passes.run(code, functions);
  }

  /// Runs LLVM's -O3 on `code`.
  void runO3(llvm::Module &code) {
    auto passes =
        builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
    run(passes, code);
  }

private:
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_MODULEANALYSES_H
