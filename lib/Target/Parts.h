// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of LLVM IR in parts that are compiled side by side.
#ifndef MIXATTN_LIB_TARGET_PARTS_H
#define MIXATTN_LIB_TARGET_PARTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace mixattn {

/// How many parts the functions of `code` are worth: 1 where it has few
/// instructions. The number depends on nothing else, so artifacts are the same
/// on any machine.
unsigned countParts(const llvm::Module &code);

/// Cuts `code` into `count` parts of about as many instructions, and gives what
/// `compile` makes of each, in their order. It runs on all threads at once,
/// each on a module of its own. What one part has of another's is hidden:
/// nothing sees it once they are linked.
std::vector<std::string>
compileParts(llvm::Module &code, unsigned count,
             llvm::function_ref<std::string(llvm::Module &)> compile);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_PARTS_H
