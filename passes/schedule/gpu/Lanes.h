// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and extremes over the lanes of a warp.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_LANES_H
#define MIXATTN_PASSES_SCHEDULE_GPU_LANES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Threads of a warp.
constexpr int64_t warpLanes = 32;

/// The numbers of all lanes of the warp put together by `combine`, in all of
/// them the same: those of neighbours first, then of pairs, and so on.
inline mlir::Value
emitOfLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
            llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine) {
  for (int64_t distance = 1; distance < warpLanes; distance *= 2) {
    auto other = mlir::gpu::ShuffleOp::create(b, number, int32_t(distance),
                                              int32_t(warpLanes),
                                              mlir::gpu::ShuffleMode::XOR);
    number = combine(number, other.getShuffleResult());
  }
  return number;
}

/// The same by an op of two operands.
template <typename Op>
mlir::Value emitOfLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value number) {
  return emitOfLanes(b, number, [&](mlir::Value one, mlir::Value other) {
    return Op::create(b, one, other).getResult();
  });
}

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_LANES_H
