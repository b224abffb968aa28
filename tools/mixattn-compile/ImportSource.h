// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input files that are models of another system.
#ifndef MIXATTN_TOOLS_COMPILE_IMPORTSOURCE_H
#define MIXATTN_TOOLS_COMPILE_IMPORTSOURCE_H

#include "tools/mixattn-compile/Compilation.h"
#include "tools/mixattn-compile/Weights.h"

namespace mixattn {

/// Whether the input is a model, by its name or by how it begins.
bool isModel(const Options &options, const llvm::MemoryBuffer &source);

/// Replaces a model by MLIR that means the same, and takes its weights. Unless
/// they are to be embedded they are added as a file next to the output, if that
/// is one, and `options` gets its mark. Says what went wrong.
ExitCode importSource(Options &options,
                      std::unique_ptr<llvm::MemoryBuffer> &source,
                      Weights &weights, OutputFiles &files);

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_IMPORTSOURCE_H
