// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges numbers between the lanes of a warp.

#include "passes/schedule/gpu/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

Value mixattn::emitExchange(ImplicitLocOpBuilder &b, Value number,
                            int64_t distance) {
  auto exchange = [&](Value value) -> Value {
    return gpu::ShuffleOp::create(b, value, int32_t(distance),
                                  int32_t(warpLanes), gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (!number.getType().isF64())
    return exchange(number);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value half = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
  Value bits = arith::BitcastOp::create(b, i64, number);
  auto exchangeHalf = [&](Value bits) -> Value {
    return arith::ExtUIOp::create(
        b, i64, exchange(arith::TruncIOp::create(b, i32, bits)));
  };
  Value upper = exchangeHalf(arith::ShRUIOp::create(b, bits, half));
  Value other = arith::OrIOp::create(b, exchangeHalf(bits),
                                     arith::ShLIOp::create(b, upper, half));
  return arith::BitcastOp::create(b, number.getType(), other);
}
