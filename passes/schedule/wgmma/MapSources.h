// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that TMA can copy from.

#ifndef MIXATTN_PASSES_SCHEDULE_WGMMA_MAP_SOURCES_H
#define MIXATTN_PASSES_SCHEDULE_WGMMA_MAP_SOURCES_H

#include "mlir/IR/Value.h"

#include <string>

namespace mixattn::wgmma {

/// Why the host can make no tensor map of `tensor`, called `name` in the
/// sentence, or nothing. Maps are of whole arguments, and of parts of what ops
/// make, with other dims or not, that begin and go on by pieces of 16 bytes.
std::string whyNoMap(mlir::Value tensor, llvm::StringRef name);

} // namespace mixattn::wgmma

#endif // MIXATTN_PASSES_SCHEDULE_WGMMA_MAP_SOURCES_H
