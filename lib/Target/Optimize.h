// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's optimisations: of kernels a few, of all else -O3.
#ifndef MIXATTN_LIB_TARGET_OPTIMIZE_H
#define MIXATTN_LIB_TARGET_OPTIMIZE_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace mixattn {

/// Optimises `code`. What threads share is a schedule's: its loops are as they
/// should be, of vectors and unrolled. Passes that would find out take three
/// times as long as those that clean up after lowering. Where there are other
/// loops, all else goes through -O3, with its outer loops as they are.
void optimize(llvm::Module &code, llvm::TargetMachine &generator);

/// Removes the arguments that the module's own functions do not read: parts of
/// it cannot know their callers. Else a call passes all numbers of the
/// descriptors of hundreds of parameters, which takes instruction selection
/// long.
void dropUnreadArguments(llvm::Module &code, llvm::TargetMachine &generator);

/// Marks the functions of `code` that OpenMP's threads run, and those they
/// call, for `optimize`: parts of a module do not see who calls them.
void markKernels(const llvm::Module &code);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_OPTIMIZE_H
