// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of LLVM's passes run on what.
#include "lib/Target/Optimize.h"
#include "lib/Target/ModuleAnalyses.h"
#include "lib/Target/SplitLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mixattn;

using Functions = llvm::SmallPtrSet<const llvm::Function *, 4>;

/// The functions of `code` that OpenMP's threads run.
static Functions findKernels(const llvm::Module &code) {
  Functions kernels;
  for (llvm::StringRef name : {"__kmpc_fork_call", "__kmpc_fork_call_if"}) {
    const llvm::Function *fork = code.getFunction(name);
    if (!fork)
      continue;
    for (const llvm::User *call : fork->users())
      for (const llvm::Value *operand : call->operands())
        if (auto *function = llvm::dyn_cast<llvm::Function>(operand))
          if (!function->isDeclaration())
            kernels.insert(function);
  }
  return kernels;
}

/// The function that `unit`, which a pass is about to run on, is a part of;
/// null if it is more than that.
static const llvm::Function *functionOf(const llvm::Any &unit) {
  if (auto *const *function = llvm::any_cast<const llvm::Function *>(&unit))
    return *function;
  if (auto *const *loop = llvm::any_cast<const llvm::Loop *>(&unit))
    return (*loop)->getHeader()->getParent();
  return nullptr;
}

/// What lowering leaves in a kernel: variables in memory, indices computed over
/// and over, conditions at the head of loops.
static llvm::FunctionPassManager cleanUp() {
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  llvm::FunctionPassManager passes;
  auto simplify = [&] {
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
  };
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  simplify();
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops),
                                                 /*UseMemorySSA=*/true));
  simplify();
  return passes;
}

void mixattn::optimize(llvm::Module &code, llvm::TargetMachine &generator) {
  splitLoops(code, generator);
  Functions kernels = findKernels(code);
  llvm::PassInstrumentationCallbacks callbacks;
  bool areKernelsDone = false;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](llvm::StringRef, llvm::Any unit) {
        return !areKernelsDone || !kernels.contains(functionOf(unit));
      });
  ModuleAnalyses analyses(generator, &callbacks);

  llvm::FunctionPassManager few = cleanUp();
  for (llvm::Function &function : code) {
    if (!kernels.contains(&function))
      continue;
    analyses.run(few, function);
    // The call without threads is not to bring it back under -O3.
    function.addFnAttr(llvm::Attribute::NoInline);
  }
  areKernelsDone = true;
  analyses.runO3(code);
}
