// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the lanes of a warp have together.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_LANES_H
#define MIXATTN_PASSES_SCHEDULE_GPU_LANES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Threads of a warp.
constexpr int64_t warpLanes = 32;

/// The numbers of all lanes of the warp put together by `Op`, in all of them
/// the same: each pair of halves, quarters, and so on, in this order.
template <typename Op>
mlir::Value emitOfLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value number) {
  for (int64_t distance = 1; distance < warpLanes; distance *= 2) {
    auto other = mlir::gpu::ShuffleOp::create(b, number, int32_t(distance),
                                              int32_t(warpLanes),
                                              mlir::gpu::ShuffleMode::XOR);
    number = Op::create(b, number, other.getShuffleResult());
  }
  return number;
}

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_LANES_H
