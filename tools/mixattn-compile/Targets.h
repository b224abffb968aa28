// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that code is for, and what goes with it.
#ifndef MIXATTN_TOOLS_COMPILE_TARGETS_H
#define MIXATTN_TOOLS_COMPILE_TARGETS_H

#include "lib/Target/Machine.h"
#include "tools/mixattn-compile/Options.h"

namespace mixattn {

/// The machines that `names` stand for, with commas between, in any order: CPUs
/// that lib/Target knows, one with the numbers of the file `numbers`, if that
/// is not empty; GPUs; or both. CPUs come first, those of many instructions
/// before those of few, then GPUs in ascending order.
Result<std::vector<Machine>> findTargets(llvm::StringRef names,
                                         llvm::StringRef numbers);

/// Whether the first two of `machines` are CPUs.
bool hasSeveralCpus(llvm::ArrayRef<Machine> machines);

/// Why `machines` and the other options do not go together, or nothing.
Status checkOptions(const Options &options, llvm::ArrayRef<Machine> machines);

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_TARGETS_H
