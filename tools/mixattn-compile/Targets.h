// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that code is for, and what goes with it.
#ifndef MIXATTN_TOOLS_COMPILE_TARGETS_H
#define MIXATTN_TOOLS_COMPILE_TARGETS_H

#include "lib/Target/Machine.h"
#include "tools/mixattn-compile/Options.h"

namespace mixattn {

/// The machines that `names` stand for, with commas between: a CPU that
/// lib/Target knows, with the numbers of the file `numbers`, if that is not
/// empty; a GPU or several in any order; or both. The CPU comes first, GPUs in
/// ascending order.
Result<std::vector<Machine>> findTargets(llvm::StringRef names,
                                         llvm::StringRef numbers);

/// Why `machines` and the other options do not go together, or nothing.
Status checkOptions(const Options &options, llvm::ArrayRef<Machine> machines);

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_TARGETS_H
