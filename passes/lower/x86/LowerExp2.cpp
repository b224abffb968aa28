// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers of 2 of lanes: a polynomial, and a table of fractions in registers or
// an instruction that multiplies by powers.

#include "passes/lower/x86/VectorEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

namespace {

/// 2^x = 2^n 2^(k / T) 2^r with n and k whole, T entries of a table and
/// |r| <= 1 / (2 T); or 2^x = 2^n 2^r with 0 <= r <= 1.
class Exp2Emitter : public VectorEmitter {
public:
  Exp2Emitter(Location loc, OpBuilder &builder, const CpuModel &cpu)
      : VectorEmitter(loc, builder, cpu),
        bits(VectorType::get({cpu.lanes}, b.getI32Type())) {}

  Value emit(Value x) {
    return cpu.scalesByPowers ? emitScaled(x) : emitTabled(x);
  }
  Value emitBrief(Value x, bool flushes);

private:
  Value emitTabled(Value x);
  Value emitScaled(Value x);
  Value emitNormalLanes(Value x);
  Value emitMultiplied(Value x, ArrayRef<float> coefficients, Value lanes);
  Value whole(Type type, int64_t number) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, number));
  }
  /// Entries of the table: those that fit two registers with AVX-512, 1 (no
  /// table) elsewhere.
  int64_t entries() const { return cpu.lanes == 16 ? 32 : 1; }
  Value asBits(Value value) { return arith::BitcastOp::create(b, bits, value); }
  Value splatBits(int32_t number) {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(bits, number));
  }
  /// 2^(k / T) with k / T taken off its exponent, for k in the lowest bits of
  /// `sum`.
  Value emitFraction(Value sum);

  VectorType bits;
};

} // namespace

Value Exp2Emitter::emitFraction(Value sum) {
  int64_t count = entries(), shift = 23 - llvm::Log2_64(count);
  if (count == 1)
    return splatBits(llvm::bit_cast<int32_t>(1.0f));
  SmallVector<Value> halves;
  for (int64_t half = 0; half < 2; ++half) {
    SmallVector<int32_t> table;
    for (int64_t k = half * count / 2; k < (half + 1) * count / 2; ++k)
      table.push_back(
          llvm::bit_cast<int32_t>(float(std::exp2(double(k) / count))) -
          int32_t(k << shift));
    halves.push_back(arith::ConstantOp::create(
        b, DenseElementsAttr::get(bits, ArrayRef<int32_t>(table))));
  }
  return LLVM::CallIntrinsicOp::create(
             b, bits, b.getStringAttr("llvm.x86.avx512.vpermi2var.d.512"),
             ValueRange{halves[0], sum, halves[1]})
      .getResult(0);
}

Value Exp2Emitter::emitTabled(Value x) {
  // Below -127 the power is 0; NaN stays.
  Value isBelow =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, splat(-127.0f), x);
  x = arith::SelectOp::create(b, isBelow, splat(-127.0f), x);
  // Near 1.5 * 2^23 / T the last bit of an f32 counts 1 / T, so that the sum
  // ends in T n + k.
  int64_t count = entries();
  float ones = 12582912.0f / count;
  Value sum = arith::AddFOp::create(b, x, splat(ones));
  Value nearest = arith::SubFOp::create(b, sum, splat(ones));
  Value rest = arith::SubFOp::create(b, x, nearest);
  // Minimax, relative, with p(0) = 1: 2^-23.6 away with a table, 2^-24.2
  // without.
  SmallVector<float> coefficients =
      count > 1
          ? SmallVector<float>{0.240226507f, 0.693147182f, 1.0f}
          : SmallVector<float>{0.00133389967f, 0.00961961877f, 0.0555036850f,
                               0.240226075f,   0.693147182f,   1.0f};
  Value p = splat(coefficients.front());
  for (float c : ArrayRef<float>(coefficients).drop_front())
    p = multiplyAdd(p, rest, splat(c));
  Value sumBits = asBits(sum);
  Value power =
      arith::ShLIOp::create(b, sumBits, splatBits(23 - llvm::Log2_64(count)));
  if (count == 1)
    return arith::BitcastOp::create(
        b, row, arith::AddIOp::create(b, asBits(p), power).getResult());
  power = arith::AddIOp::create(b, emitFraction(sumBits), power);
  return arith::MulFOp::create(
      b, p, arith::BitcastOp::create(b, row, power).getResult());
}

/// x less the whole number below it, by one instruction; a polynomial of that;
/// and a multiplication with 2 to the power of that number, by another one. 0
/// in lanes whose bit of `lanes`, of 16, is not set.
Value Exp2Emitter::emitMultiplied(Value x, ArrayRef<float> coefficients,
                                  Value lanes) {
  Value all = whole(b.getIntegerType(16), -1), none = splat(0);
  // Towards minus infinity; and as MXCSR says.
  Value down = whole(b.getI32Type(), 1), usual = whole(b.getI32Type(), 4);
  auto call = [&](StringRef name, ValueRange operands) -> Value {
    return LLVM::CallIntrinsicOp::create(b, row, b.getStringAttr(name),
                                         operands)
        .getResult(0);
  };
  Value rest =
      call("llvm.x86.avx512.mask.reduce.ps.512", {x, down, none, all, usual});
  Value p = splat(coefficients.front());
  for (float c : coefficients.drop_front())
    p = multiplyAdd(p, rest, splat(c));
  return call("llvm.x86.avx512.mask.scalef.ps.512", {p, x, none, lanes, usual});
}

/// The bits of lanes whose powers are no denormal numbers, for which an Intel
/// runs microcode. NaN counts as normal, and stays.
Value Exp2Emitter::emitNormalLanes(Value x) {
  Value isNormal =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UGE, x, splat(-126.0f));
  return LLVM::BitcastOp::create(b, b.getIntegerType(16), isNormal);
}

Value Exp2Emitter::emitScaled(Value x) {
  // Minimax on [0, 1], absolute, with p(0) = 1: 1.8 units in the last place
  // away, with the rounding of its terms.
  return emitMultiplied(x,
                        {0.00188521831f, 0.00897355378f, 0.0558357909f,
                         0.240152821f, 0.693152487f, 1.0f},
                        emitNormalLanes(x));
}

Value Exp2Emitter::emitBrief(Value x, bool flushes) {
  // Minimax on [0, 1), relative (Remez): 2^-13.7 away.
  return emitMultiplied(
      x, {0.0780245215f, 0.226067156f, 0.695833564f, 0.999925196f},
      flushes ? emitNormalLanes(x) : whole(b.getIntegerType(16), -1));
}

void mixattn::lower(RewriterBase &rewriter, tile::Exp2Op op,
                    const CpuModel &cpu) {
  Exp2Emitter emitter(op.getLoc(), rewriter, cpu);
  rewriter.replaceOp(
      op, op.getBrief() ? emitter.emitBrief(op.getExponent(), op.getFlushed())
                        : emitter.emit(op.getExponent()));
}
