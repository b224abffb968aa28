// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-expand-f16: converts 16-bit floats without a compiler's library.

#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {
#define GEN_PASS_DEF_EXPANDF16PASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// Integer arithmetic on i32, or on vectors of it, short enough to read.
struct Bits {
  /// Arithmetic on numbers of the shape of `like`.
  Bits(ImplicitLocOpBuilder &b, Value like)
      : b(b), shape(dyn_cast<VectorType>(like.getType())) {}

  ImplicitLocOpBuilder &b;
  VectorType shape;

  /// `scalar`, or a vector of it.
  Type of(Type scalar) { return shape ? Type(shape.clone(scalar)) : scalar; }
  Value constantOf(TypedAttr number) {
    if (shape)
      number = DenseElementsAttr::get(shape.clone(number.getType()),
                                      Attribute(number));
    return arith::ConstantOp::create(b, number);
  }
  Value constant(uint32_t value) {
    return constantOf(b.getI32IntegerAttr(value));
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
    return arith::BitcastOp::create(b, of(b.getF32Type()), a);
  }
  Value asBits(Value a) {
    return arith::BitcastOp::create(b, of(b.getI32Type()), a);
  }
  Value floatOf(float value) { return constantOf(b.getF32FloatAttr(value)); }
};

} // namespace

/// f16 to f32. A normal number has its exponent moved from bias 15 to 127, an
/// infinity or NaN its exponent set to 255; a subnormal is its fraction times
/// 2^-24, which f32 holds exactly.
static Value widen(ImplicitLocOpBuilder &b, Value half) {
  Bits bits(b, half);
  Value halfBits = arith::ExtUIOp::create(
      b, bits.of(b.getI32Type()),
      arith::BitcastOp::create(b, bits.of(b.getI16Type()), half));
  Value sign = bits.shl(bits.masked(halfBits, 0x8000), 16);
  Value magnitude = bits.masked(halfBits, 0x7fff);
  Value normal = bits.plus(bits.shl(magnitude, 13), (127 - 15) << 23);
  Value special =
      bits.either(bits.shl(magnitude, 13), bits.constant(0x7f800000));
  Value fraction =
      arith::UIToFPOp::create(b, bits.of(b.getF32Type()), magnitude);
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
  Bits bits(b, wide);
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
  Value half = arith::TruncIOp::create(b, bits.of(b.getI16Type()),
                                       bits.either(result, sign));
  return arith::BitcastOp::create(b, bits.of(b.getF16Type()), half);
}

/// f64 to f32, to odd: an inexact result has its last bit set, so that rounding
/// it once more, to f16 or bf16, rounds as if once (Boldo and Melquiond 2005).
static Value narrowToOdd(ImplicitLocOpBuilder &b, Value wide) {
  Bits bits(b, wide);
  Value nearest = arith::TruncFOp::create(b, bits.of(b.getF32Type()), wide);
  Value back = arith::ExtFOp::create(b, bits.of(b.getF64Type()), nearest);
  Value isInexact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, wide);
  Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT,
                                         math::AbsFOp::create(b, back),
                                         math::AbsFOp::create(b, wide));
  Value towardsZero = arith::SubIOp::create(
      b, bits.asBits(nearest),
      arith::ExtUIOp::create(b, bits.of(b.getI32Type()), isLarger));
  Value odd = bits.either(towardsZero, bits.constant(1));
  return bits.asFloat(bits.select(isInexact, odd, bits.asBits(nearest)));
}

/// Splits conversions between f64 and 16 bits at f32.
static void splitAtF32(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value value = op->getOperand(0);
  Type to = op->getResult(0).getType();
  Value middle =
      isa<arith::ExtFOp>(op)
          ? arith::ExtFOp::create(b, Bits(b, value).of(b.getF32Type()), value)
          : narrowToOdd(b, value);
  Value result = isa<arith::ExtFOp>(op)
                     ? arith::ExtFOp::create(b, to, middle).getResult()
                     : arith::TruncFOp::create(b, to, middle).getResult();
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// The type of a number, or of the numbers of a vector.
static Type numberOf(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getElementType() : value.getType();
}

/// The conversions between types of which `matches` is true, by their elements.
static SmallVector<Operation *>
findCasts(Operation *root, function_ref<bool(Type from, Type to)> matches) {
  SmallVector<Operation *> casts;
  root->walk([&](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
        matches(numberOf(op->getOperand(0)), numberOf(op->getResult(0))))
      casts.push_back(op);
  });
  return casts;
}

namespace {

struct ExpandF16Pass : mixattn::impl::ExpandF16PassBase<ExpandF16Pass> {
  using Base::Base;

  void runOnOperation() override {
    auto isHalf = [](Type type) { return type.isF16() || type.isBF16(); };
    for (Operation *op : findCasts(getOperation(), [&](Type from, Type to) {
           return (from.isF64() && isHalf(to)) || (isHalf(from) && to.isF64());
         }))
      splitAtF32(op);
    if (TargetAttr::of(getOperation()).hasF16Conversion())
      return;
    for (Operation *op : findCasts(getOperation(), [](Type from, Type to) {
           return (from.isF16() && to.isF32()) || (from.isF32() && to.isF16());
         })) {
      ImplicitLocOpBuilder builder(op->getLoc(), op);
      Value operand = op->getOperand(0);
      op->getResult(0).replaceAllUsesWith(isa<arith::ExtFOp>(op)
                                              ? widen(builder, operand)
                                              : narrow(builder, operand));
      op->erase();
    }
  }
};

} // namespace
