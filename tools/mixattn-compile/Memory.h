// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of calls, for reports.
#ifndef MIXATTN_TOOLS_MIXATTN_COMPILE_MEMORY_H
#define MIXATTN_TOOLS_MIXATTN_COMPILE_MEMORY_H

#include "passes/Pipelines/Pipelines.h"
#include "passes/plan/Explain.h"

namespace mixattn {

/// The memory of the entries of `module`, which is planned, as the passes after
/// that level make it. None where these have no code for an op, and on GPUs.
EntryMemory findMemory(mlir::ModuleOp module, const PipelineOptions &options,
                       const GivenSizes &given);

} // namespace mixattn

#endif // MIXATTN_TOOLS_MIXATTN_COMPILE_MEMORY_H
