// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 32 bits in two parts for products of 16 bits.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_HALVES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_HALVES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn::mma {

/// The f32 that has the upper half of the bits of `number`, a bf16: `number`
/// less it is exact.
inline mlir::Value emitUpperHalf(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value number) {
  using namespace mlir::arith;
  mlir::Value upper = ConstantOp::create(b, b.getI32IntegerAttr(-65536));
  mlir::Value bits = BitcastOp::create(b, b.getI32Type(), number);
  mlir::Value half = AndIOp::create(b, bits, upper);
  return BitcastOp::create(b, b.getF32Type(), half);
}

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_HALVES_H
