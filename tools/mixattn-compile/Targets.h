// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that code is for, and what goes with it.
#ifndef MIXATTN_TOOLS_COMPILE_TARGETS_H
#define MIXATTN_TOOLS_COMPILE_TARGETS_H

#include "lib/Target/Machine.h"
#include "tools/mixattn-compile/Options.h"

namespace mixattn {

/// The machine that `name` stands for: a GPU, or what lib/Target knows.
Result<Machine> findTarget(const std::string &name);

/// Why `machine` and the other options do not go together, or nothing.
Status checkOptions(const Options &options, const Machine &machine);

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_TARGETS_H
