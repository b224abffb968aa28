// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The levels of IR.

#ifndef MIXATTN_PASSES_LEVEL_H
#define MIXATTN_PASSES_LEVEL_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mixattn {

/// The borders of the pipeline, in order. What holds at each of them, on every
/// target:
///
/// - Graph: func, tensor, linalg, arith, math and named attention ops.
/// - Normal: one op is one attention; entries have names and a manifest.
/// - Planned: the same ops, each attention with a plan.
/// - Bufferized: memrefs, the caller's for arguments and results; allocations
///   are freed. Kernels still say on tensors what they compute.
/// - Tiled: kernels are code of the target. On x86 tiles in loops that threads
///   share; on a GPU functions of a gpu.module in tile ops, and entries that do
///   nothing but launch them and compute sizes.
/// - Llvm: the LLVM dialect only. On x86 entries are wrapped in the C ABI; on a
///   GPU that holds for what is in the gpu.module, and entries stay.
enum class Level { Graph, Normal, Planned, Bufferized, Tiled, Llvm };

/// `graph`, `normal`, `planned`, `bufferized`, `tiled` or `llvm`.
llvm::StringRef nameOf(Level level);

/// The level of that name.
std::optional<Level> parseLevel(llvm::StringRef name);

} // namespace mixattn

#endif // MIXATTN_PASSES_LEVEL_H
