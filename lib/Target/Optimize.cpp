// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of LLVM's passes run on what.
#include "lib/Target/Optimize.h"
#include "lib/Target/ModuleAnalyses.h"
#include "lib/Target/SplitLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/IPO/DeadArgumentElimination.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace mixattn;

/// The attribute of kernels: functions may be replaced on the way.
static constexpr llvm::StringLiteral kernelAttribute = "mixattn-kernel";

static bool isKernel(const llvm::Function &function) {
  return function.hasFnAttribute(kernelAttribute);
}

/// Marks the functions of a module that `user` calls or passes on.
static void markUsed(const llvm::User &user) {
  for (llvm::Value *operand : user.operands()) {
    auto *function = llvm::dyn_cast<llvm::Function>(operand);
    if (!function || function->isDeclaration() || isKernel(*function))
      continue;
    function->addFnAttr(kernelAttribute);
    for (const llvm::Instruction &each : llvm::instructions(function))
      if (llvm::isa<llvm::CallInst>(each))
        markUsed(each);
  }
}

void mixattn::markKernels(const llvm::Module &code) {
  for (llvm::StringRef name : {"__kmpc_fork_call", "__kmpc_fork_call_if"})
    if (const llvm::Function *fork = code.getFunction(name))
      for (const llvm::User *call : fork->users())
        markUsed(*call);
}

void mixattn::dropUnreadArguments(llvm::Module &code,
                                  llvm::TargetMachine &generator) {
  // Without those that go into descriptors of which nobody asks.
  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::EarlyCSEPass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(simplify)));
  passes.addPass(llvm::DeadArgumentEliminationPass());
  ModuleAnalyses(generator).run(passes, code);
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

/// Passes that remove what lowering leaves in a kernel: variables in memory,
/// indices computed over and over, conditions at the head of loops.
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

/// Lets LLVM unroll no loop of what runs once a call: copies gain nothing, are
/// most of the code where sizes are known, and its passes on addresses take
/// several times as long for them. Returns whether there are loops.
static bool keepLoops(llvm::Function &function) {
  llvm::DominatorTree tree(function);
  llvm::LoopInfo loops(tree);
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (loop->getLoopLatch())
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable",
                                    /*V=*/true);
  return !loops.empty();
}

void mixattn::optimize(llvm::Module &code, llvm::TargetMachine &generator) {
  splitLoops(code, generator);
  markKernels(code);
  bool hasPlainLoops = false;
  for (llvm::Function &function : code) {
    if (function.isDeclaration())
      continue;
    // Callers of several, or without threads, are not to hold a copy.
    if (isKernel(function))
      function.addFnAttr(llvm::Attribute::NoInline);
    else
      hasPlainLoops |= keepLoops(function);
  }
  llvm::PassInstrumentationCallbacks callbacks;
  bool skipsKernels = false;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](llvm::StringRef, llvm::Any unit) {
        const llvm::Function *function = functionOf(unit);
        return !skipsKernels || !function || !isKernel(*function);
      });
  ModuleAnalyses analyses(generator, &callbacks);

  llvm::FunctionPassManager few = cleanUp();
  for (llvm::Function &function : code)
    if (!function.isDeclaration() && (isKernel(function) || !hasPlainLoops))
      analyses.run(few, function);
  skipsKernels = true;
  if (hasPlainLoops)
    analyses.runO3(code);
}
