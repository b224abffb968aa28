// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of functions: powers of 2 and logarithms in f64 among it.

#include "passes/lower/gpu/FunctionEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

/// The place of the exponent of an f64.
constexpr int64_t exponentPlace = 52;

Value FunctionEmitter::constant(Value like, double number) {
  return arith::ConstantOp::create(b, b.getFloatAttr(like.getType(), number));
}

Value FunctionEmitter::integer(Type type, int64_t number) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, number));
}

Value FunctionEmitter::sum(Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}

Value FunctionEmitter::difference(Value x, Value y) {
  return arith::SubFOp::create(b, x, y);
}

Value FunctionEmitter::product(Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}

Value FunctionEmitter::quotient(Value x, Value y) {
  return arith::DivFOp::create(b, x, y);
}

Value FunctionEmitter::negative(Value x) { return arith::NegFOp::create(b, x); }

Value FunctionEmitter::multiplyAdd(Value x, Value y, Value z) {
  return math::FmaOp::create(b, x, y, z);
}

Value FunctionEmitter::magnitude(Value x) { return math::AbsFOp::create(b, x); }

Value FunctionEmitter::root(Value x) { return math::SqrtOp::create(b, x); }

Value FunctionEmitter::signedAs(Value x, Value y) {
  return math::CopySignOp::create(b, x, y);
}

Value FunctionEmitter::isTrue(Predicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, predicate, x, y);
}

Value FunctionEmitter::choose(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, condition, yes, no);
}

Value FunctionEmitter::both(Value p, Value q) {
  return arith::AndIOp::create(b, p, q);
}

Value FunctionEmitter::either(Value p, Value q) {
  return arith::OrIOp::create(b, p, q);
}

Value FunctionEmitter::bits(Value x) {
  Type type = b.getIntegerType(x.getType().getIntOrFloatBitWidth());
  return arith::BitcastOp::create(b, type, x);
}

Value FunctionEmitter::wide(Value x) {
  return arith::ExtFOp::create(b, b.getF64Type(), x);
}

Value FunctionEmitter::narrow(Value x) {
  return arith::TruncFOp::create(b, b.getF32Type(), x);
}

Value FunctionEmitter::polynomial(Value x, ArrayRef<double> highestFirst) {
  Value result = constant(x, highestFirst.front());
  for (double coefficient : highestFirst.drop_front())
    result = multiplyAdd(result, x, constant(x, coefficient));
  return result;
}

std::pair<Value, Value> FunctionEmitter::nearest(Value x) {
  // Near 1.5 * 2^52 the last bit of an f64 counts ones: the sum ends in it.
  Value ones = constant(x, 6755399441055744.0);
  Value ending = sum(x, ones);
  return {difference(ending, ones), bits(ending)};
}

/// An integer and a rest: the power of the rest times that of the integer,
/// which is added to the exponent.
Value FunctionEmitter::powerOfTwo(Value t) {
  constexpr double most = 1000;
  Value bounded = choose(isTrue(Predicate::OGT, t, most), constant(t, most), t);
  bounded = choose(isTrue(Predicate::OLT, bounded, -most), constant(t, -most),
                   bounded);
  auto [whole, last] = nearest(bounded);
  Value rest = difference(bounded, whole);
  // Taylor's of e^(r ln 2), where |r| <= 1/2.
  SmallVector<double> highestFirst(10, 1);
  for (int k = 1; k < 10; ++k)
    highestFirst[9 - k] = highestFirst[10 - k] * llvm::numbers::ln2 / k;
  Value p = polynomial(rest, highestFirst);
  Value raised = arith::AddIOp::create(
      b, bits(p),
      arith::ShLIOp::create(b, last, integer(last.getType(), exponentPlace)));
  Value result = arith::BitcastOp::create(b, t.getType(), raised);
  return choose(isTrue(Predicate::UNO, t, t), t, result);
}

Value FunctionEmitter::exponential(Value x) {
  return powerOfTwo(product(x, constant(x, llvm::numbers::log2e)));
}

/// x is m 2^e with m from sqrt(1/2) to sqrt(2), and log(m) is
/// 2 artanh((m - 1) / (m + 1)).
Value FunctionEmitter::binaryLogarithm(Value x) {
  constexpr int64_t rootOfHalf = 0x3fe6a09e667f3bcd;
  Type i64 = b.getI64Type();
  Value places = integer(i64, exponentPlace);
  Value above =
      arith::SubIOp::create(b, bits(x), integer(i64, rootOfHalf)).getResult();
  Value exponent = arith::ShRSIOp::create(b, above, places);
  Value ofFraction = arith::SubIOp::create(
      b, bits(x), arith::ShLIOp::create(b, exponent, places));
  Value m = arith::BitcastOp::create(b, x.getType(), ofFraction);
  Value one = constant(x, 1);
  Value s = quotient(difference(m, one), sum(m, one));
  // Taylor's of artanh, where s^2 <= 0.0295.
  SmallVector<double> highestFirst;
  for (int k = 8; k >= 0; --k)
    highestFirst.push_back(2 * llvm::numbers::log2e / (2 * k + 1));
  Value whole = arith::SIToFPOp::create(b, x.getType(), exponent);
  Value result = multiplyAdd(s, polynomial(product(s, s), highestFirst), whole);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  // Infinity and NaN are their own.
  result = choose(isTrue(Predicate::ULT, x, infinity), result, x);
  result = choose(isTrue(Predicate::OLT, x, 0.0), constant(x, nan), result);
  result =
      choose(isTrue(Predicate::OEQ, x, 0.0), constant(x, -infinity), result);
  return choose(isTrue(Predicate::UNO, x, x), x, result);
}
