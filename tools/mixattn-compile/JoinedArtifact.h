// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for GPUs, one or several in one artifact, and for a CPU with them.
#ifndef MIXATTN_TOOLS_COMPILE_GPUARTIFACT_H
#define MIXATTN_TOOLS_COMPILE_GPUARTIFACT_H

#include "tools/mixattn-compile/Compilation.h"

namespace mixattn {

/// Compiles `source` for each of `machines`, GPUs in ascending order with a CPU
/// before them or none, and adds the files of the one artifact that holds all
/// of it. Says what went wrong.
ExitCode compileForGpus(const Options &options,
                        llvm::ArrayRef<Machine> machines,
                        const llvm::MemoryBuffer &source, OutputFiles &files);

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_GPUARTIFACT_H
