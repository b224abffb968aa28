// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-expand-f16: converts between f16 and f32 in integer arithmetic.

#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {
#define GEN_PASS_DEF_EXPANDF16PASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// Integer arithmetic on i32, short enough to read.
struct Bits {
  ImplicitLocOpBuilder &b;

  Value constant(uint32_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value shl(Value a, unsigned n) {
    return arith::ShLIOp::create(b, a, constant(n));
  }
  Value shr(Value a, unsigned n) {
    return arith::ShRUIOp::create(b, a, constant(n));
  }
  Value masked(Value a, uint32_t mask) {
    return arith::AndIOp::create(b, a, constant(mask));
  }
  Value either(Value a, Value c) { return arith::OrIOp::create(b, a, c); }
  Value plus(Value a, uint32_t n) {
    return arith::AddIOp::create(b, a, constant(n));
  }
  Value less(Value a, uint32_t n) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, a, constant(n));
  }
  Value select(Value condition, Value a, Value c) {
    return arith::SelectOp::create(b, condition, a, c);
  }
  Value asFloat(Value a) {
    return arith::BitcastOp::create(b, b.getF32Type(), a);
  }
  Value asBits(Value a) {
    return arith::BitcastOp::create(b, b.getI32Type(), a);
  }
  Value floatOf(float value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
};

} // namespace

/// f16 to f32. A normal number has its exponent moved from bias 15 to 127, an
/// infinity or NaN its exponent set to 255; a subnormal is its fraction times
/// 2^-24, which f32 holds exactly.
static Value widen(ImplicitLocOpBuilder &b, Value half) {
  Bits bits{b};
  Value narrow = arith::ExtUIOp::create(
      b, b.getI32Type(), arith::BitcastOp::create(b, b.getI16Type(), half));
  Value sign = bits.shl(bits.masked(narrow, 0x8000), 16);
  Value magnitude = bits.masked(narrow, 0x7fff);
  Value normal = bits.plus(bits.shl(magnitude, 13), (127 - 15) << 23);
  Value special =
      bits.either(bits.shl(magnitude, 13), bits.constant(0x7f800000));
  Value fraction = arith::UIToFPOp::create(b, b.getF32Type(), magnitude);
  Value subnormal =
      bits.asBits(arith::MulFOp::create(b, fraction, bits.floatOf(0x1p-24f)));
  Value wide = bits.select(bits.less(magnitude, 0x7c00), normal, special);
  wide = bits.select(bits.less(magnitude, 0x0400), subnormal, wide);
  return bits.asFloat(bits.either(wide, sign));
}

/// f32 to f16, to nearest even. A normal result is the wide bits with the
/// exponent moved and half a unit, less one for an even fraction, added before
/// the shift; a subnormal result is rounded by the f32 addition of 0.5, whose
/// unit in the last place is 2^-24; NaN keeps a fraction.
static Value narrow(ImplicitLocOpBuilder &b, Value wide) {
  Bits bits{b};
  Value all = bits.asBits(wide);
  Value sign = bits.shr(bits.masked(all, 0x80000000), 16);
  Value magnitude = bits.masked(all, 0x7fffffff);
  Value odd = bits.masked(bits.shr(magnitude, 13), 1);
  Value rounded = arith::AddIOp::create(
      b, bits.plus(magnitude, 0xfffu - ((127u - 15u) << 23)), odd);
  Value normal = bits.shr(rounded, 13);
  Value shifted =
      arith::AddFOp::create(b, bits.asFloat(magnitude), bits.floatOf(0.5f));
  Value subnormal = bits.plus(bits.asBits(shifted), 0u - 0x3f000000u);
  Value result =
      bits.select(bits.less(magnitude, 0x38800000), subnormal, normal);
  // 65520 and above round to infinity.
  result = bits.select(bits.less(magnitude, 0x477ff000), result,
                       bits.constant(0x7c00));
  result = bits.select(bits.less(magnitude, 0x7f800001), result,
                       bits.constant(0x7e00));
  Value half =
      arith::TruncIOp::create(b, b.getI16Type(), bits.either(result, sign));
  return arith::BitcastOp::create(b, b.getF16Type(), half);
}

namespace {

struct ExpandF16Pass : mixattn::impl::ExpandF16PassBase<ExpandF16Pass> {
  void runOnOperation() override {
    SmallVector<Operation *> casts;
    getOperation()->walk([&](Operation *op) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
        return;
      Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
      if ((from.isF16() && to.isF32()) || (from.isF32() && to.isF16()))
        casts.push_back(op);
    });
    for (Operation *op : casts) {
      ImplicitLocOpBuilder builder(op->getLoc(), op);
      Value result = isa<arith::ExtFOp>(op)
                         ? widen(builder, op->getOperand(0))
                         : narrow(builder, op->getOperand(0));
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }
};

} // namespace
