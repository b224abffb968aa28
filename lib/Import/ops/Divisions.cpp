// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients and their rests. Of integers they are defined by every divisor.
#include "lib/Import/SizeText.h"
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Sizes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

/// Whether `other`, by which integers are divided, is known to be 0 somewhere.
static bool isByZero(OpCall &op) {
  Built divisor = op.operand("other");
  auto isZero = [](const SizePolynomial &each) { return each.isZero(); };
  bool isKnown = divisor.constant == 0.0 ||
                 (divisor.integers && llvm::any_of(*divisor.integers, isZero));
  if (!isKnown || isFloat(op.result().dtype))
    return false;
  op.build.fail(makeError("expected integers other than 0 to divide by, but "
                          "got 0"));
  return true;
}

/// A function of self and other, a divisor, computed in the result's type.
static OpWriter divided(NumberFunction function) {
  return [function](OpCall &op) {
    DType dtype = op.result().dtype;
    if (!isByZero(op))
      op.give(combine(op.build, {op.operand("self"), op.operand("other")},
                      dtype, dtype, bodyOf(function)));
  };
}

static Number quotient(ArrayRef<Number> x) { return x[0] / x[1]; }

static Number rest(ArrayRef<Number> x) { return remainder(x[0], x[1]); }

/// The rest of a quotient that is rounded down: of the divisor's sign.
static Number restAbove(ArrayRef<Number> x) {
  Number rest = remainder(x[0], x[1]);
  Number isOdd = (rest < 0).by<arith::XOrIOp>(Value(x[1] < 0));
  Number isZero = isEqual(rest, rest.like(0));
  return choose(isZero, rest, choose(isOdd, rest + x[1], rest));
}

static Number quotientBelow(ArrayRef<Number> x) {
  if (!x[0].isFloat())
    return flooredQuotient(x[0], x[1]);
  // Less its rest it divides to a whole number.
  return ((x[0] - restAbove(x)) / x[1]).by<math::RoundEvenOp>();
}

static Number quotientTowardsZero(ArrayRef<Number> x) {
  Number result = quotient(x);
  return result.isFloat() ? result.by<math::TruncOp>() : result;
}

/// Quotients, rounded as asked for.
static void divide(OpCall &op) {
  std::string rounding = op.text("rounding_mode", "");
  if (rounding == "floor")
    return divided(quotientBelow)(op);
  if (rounding == "trunc")
    return divided(quotientTowardsZero)(op);
  if (!rounding.empty())
    return void(op.build.fail(makeError("expected a rounding to 'floor' or "
                                        "'trunc', but got '{}'",
                                        rounding)));
  op.floatType();
  divided(quotient)(op);
}

/// A quotient of numbers rounded towards 0, or of sizes where it is whole.
static SizePolynomial truncatedQuotient(const SizePolynomial &x,
                                        const SizePolynomial &y) {
  std::optional<int64_t> a = x.asNumber(), b = y.asNumber();
  if (b == 0 || (a == INT64_MIN && b == -1))
    return SizePolynomial::unknown();
  return a && b ? SizePolynomial(*a / *b) : exactQuotient(x, y);
}

/// The rest of a quotient of sizes: none where it is whole, else that of
/// numbers, of the divisor's sign or of the dividend's.
template <bool isTruncated>
static SizePolynomial restOfSizes(const SizePolynomial &x,
                                  const SizePolynomial &y) {
  std::optional<int64_t> a = x.asNumber(), b = y.asNumber();
  if (b == 0 || (a == INT64_MIN && b == -1))
    return SizePolynomial::unknown();
  if (!a || !b)
    return exactQuotient(x, y).isKnown() ? SizePolynomial(0)
                                         : SizePolynomial::unknown();
  int64_t left = *a % *b;
  bool isOther = !isTruncated && left && (left < 0) != (*b < 0);
  return isOther ? left + *b : left;
}

/// Mod: the rest of a quotient, of the divisor's sign or, as C's fmod, of the
/// dividend's.
static void modulo(OpCall &op) {
  bool isTruncated = op.flag("fmod", false);
  foldedBy(isTruncated ? restOfSizes<true> : restOfSizes<false>, false,
           divided(isTruncated ? rest : restAbove))(op);
}

void mixattn::addDivisions(OpTable &table) {
  table["aten.div"] = divide;
  table["aten.floor_divide"] = divided(quotientBelow);
  table["aten.remainder"] = divided(restAbove);
  table["aten.fmod"] = divided(rest);
  auto two = [](SizeFold fold, OpWriter writer) {
    return fromOnnx({"self", "other"}, {}, foldedBy(fold, false, writer));
  };
  table["onnx.Div"] = two(truncatedQuotient, divided(quotient));
  table["onnx.Mod"] = fromOnnx({"self", "other"}, {}, modulo);
}
