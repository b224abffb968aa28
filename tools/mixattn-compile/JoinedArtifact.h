// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for GPUs, and for several targets in one artifact.
#ifndef MIXATTN_TOOLS_COMPILE_JOINEDARTIFACT_H
#define MIXATTN_TOOLS_COMPILE_JOINEDARTIFACT_H

#include "tools/mixattn-compile/Compilation.h"

namespace mixattn {

/// Compiles `source` for each of `machines`, a GPU or several targets as
/// `findTargets` orders them, and adds the files of the one artifact that holds
/// all of it. Says what went wrong.
ExitCode compileJoined(const Options &options, llvm::ArrayRef<Machine> machines,
                       const llvm::MemoryBuffer &source, OutputFiles &files);

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_JOINEDARTIFACT_H
