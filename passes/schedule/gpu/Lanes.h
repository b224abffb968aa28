// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and extremes over the lanes of a warp.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_LANES_H
#define MIXATTN_PASSES_SCHEDULE_GPU_LANES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Threads of a warp.
constexpr int64_t warpLanes = 32;

/// The number of the lane whose number differs from this one's in `distance`, a
/// power of 2. A number has 32 bits, or it is an f64, whose halves are
/// exchanged.
mlir::Value emitExchange(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                         int64_t distance);

/// The numbers of all lanes put together by `combine`, in all of them the same:
/// those of neighbours first, then of pairs, and so on. All lanes are those of
/// the warp, or of each group of `lanes`, a power of 2.
inline mlir::Value
emitOfLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
            llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine,
            int64_t lanes = warpLanes) {
  for (int64_t distance = 1; distance < lanes; distance *= 2)
    number = combine(number, emitExchange(b, number, distance));
  return number;
}

/// The same by an op of two operands.
template <typename Op>
mlir::Value emitOfLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                        int64_t lanes = warpLanes) {
  auto combine = [&](mlir::Value one, mlir::Value other) -> mlir::Value {
    return Op::create(b, one, other);
  };
  return emitOfLanes(b, number, combine, lanes);
}

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_LANES_H
