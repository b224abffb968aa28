// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers of two that bring numbers into the range of f16.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_POWER_OF_TWO_H
#define MIXATTN_PASSES_SCHEDULE_MMA_POWER_OF_TWO_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn::mma {

/// Weights that are at most this power of two have no number beyond those of
/// f16, and few that f16 has no full precision for.
constexpr int64_t mostOfF16 = 15;

/// The largest power of two, an f32 that has an inverse, by which `bound` is at
/// most 2^`exponent`.
mlir::Value emitPowerOfTwo(mlir::ImplicitLocOpBuilder &b, mlir::Value bound,
                           int64_t exponent);

/// 1 / `power`, a power of two that has an inverse.
mlir::Value emitInverseOfPower(mlir::ImplicitLocOpBuilder &b,
                               mlir::Value power);

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_POWER_OF_TWO_H
