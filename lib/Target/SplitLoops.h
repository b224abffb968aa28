// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the time of LLVM's passes in bounds where an entry has many loops.
#ifndef MIXATTN_LIB_TARGET_SPLITLOOPS_H
#define MIXATTN_LIB_TARGET_SPLITLOOPS_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace mixattn {

/// Makes a function of each outermost loop of `code` where one of its functions
/// has many of them; loops that are equal share one. A whole network is one
/// function with thousands of loops otherwise, and LLVM's loop passes walk from
/// each of them over all before it: their time grows with the square.
void splitLoops(llvm::Module &code, llvm::TargetMachine &generator);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_SPLITLOOPS_H
