// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of loops, where one function has too many of them.
#include "lib/Target/SplitLoops.h"
#include "lib/Target/ModuleAnalyses.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/IPO/LoopExtractor.h"
#include "llvm/Transforms/IPO/MergeFunctions.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace mixattn;

/// A function with at most as many outermost loops stays whole: a layer has ten
/// to thirty, and its loops share what they know of its buffers.
static constexpr int mostLoops = 128;

static bool hasManyLoops(llvm::Function &function) {
  if (function.isDeclaration())
    return false;
  llvm::DominatorTree tree(function);
  llvm::LoopInfo loops(tree);
  return std::distance(loops.begin(), loops.end()) > mostLoops;
}

void mixattn::splitLoops(llvm::Module &code, llvm::TargetMachine &generator) {
  if (llvm::none_of(code, hasManyLoops))
    return;
  ModuleAnalyses analyses(generator);

  llvm::DenseSet<const llvm::Function *> before;
  for (const llvm::Function &function : code)
    before.insert(&function);
  llvm::FunctionPassManager prepare;
  prepare.addPass(llvm::LoopSimplifyPass());
  prepare.addPass(llvm::LCSSAPass());
  llvm::ModulePassManager extract;
  extract.addPass(createModuleToFunctionPassAdaptor(std::move(prepare)));
  extract.addPass(llvm::LoopExtractorPass());
  analyses.run(extract, code);

  // Functions that were split off must not be inlined again.
  for (llvm::Function &function : code)
    if (!before.contains(&function))
      function.addFnAttr(llvm::Attribute::NoInline);
  llvm::ModulePassManager merge;
  merge.addPass(llvm::MergeFunctionsPass());
  analyses.run(merge, code);
}
