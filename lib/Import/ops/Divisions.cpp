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

/// A quotient of numbers rounded towards 0, or of sizes where it is whole but
/// for its number.
static SizePolynomial truncatedQuotient(GraphBuilder &build,
                                        const SizePolynomial &x,
                                        const SizePolynomial &y) {
  std::optional<int64_t> a = x.asNumber(), b = y.asNumber();
  if (b == 0 || (a == INT64_MIN && b == -1))
    return SizePolynomial::unknown();
  if (a && b)
    return *a / *b;
  SizePolynomial whole = exactQuotient(x, y);
  SizePolynomial below = b ? floorQuotient(x, *b) : SizePolynomial::unknown();
  if (whole.isKnown() || !below.isKnown())
    return whole;
  // Of what is at least 0 rounding down is the same.
  return requireNotNegative(build, x) ? below : SizePolynomial::unknown();
}

/// Folds quotients, or their rests, of sizes by `fold`; those that are none of
/// all sizes are noted, and `writer` computes them.
static void foldQuotients(
    OpCall &op,
    function_ref<SizePolynomial(const SizePolynomial &, const SizePolynomial &)>
        fold,
    OpWriter writer) {
  auto noted = [&](const SizePolynomial &x, const SizePolynomial &y) {
    SizePolynomial result = fold(x, y);
    if (!result.isKnown())
      op.build.noteQuotient(x, y);
    return result;
  };
  foldedBy(noted, /*isTruth=*/false, std::move(writer))(op);
}

/// The rest of a quotient of sizes: none where it is whole, else that of
/// numbers, of the divisor's sign or of the dividend's.
static SizePolynomial restOfSizes(GraphBuilder &build, bool isTruncated,
                                  const SizePolynomial &x,
                                  const SizePolynomial &y) {
  std::optional<int64_t> a = x.asNumber(), b = y.asNumber();
  if (b == 0 || (a == INT64_MIN && b == -1))
    return SizePolynomial::unknown();
  if (a && b) {
    int64_t left = *a % *b;
    bool isOther = !isTruncated && left && (left < 0) != (*b < 0);
    return isOther ? left + *b : left;
  }
  if (exactQuotient(x, y).isKnown())
    return 0;
  // The divisor is larger.
  if (a && *a >= 0 && requireNotNegative(build, y - x - 1))
    return x;
  if (a && *a < 0 && requireNotNegative(build, y + x - int64_t(isTruncated)))
    return isTruncated ? x : y + x;
  SizePolynomial left =
      b ? x - floorQuotient(x, *b) * *b : SizePolynomial::unknown();
  bool isSo = !isTruncated || (left.isKnown() && requireNotNegative(build, x));
  return isSo ? left : SizePolynomial::unknown();
}

/// Mod: the rest of a quotient, of the divisor's sign or, as C's fmod, of the
/// dividend's.
static void modulo(OpCall &op) {
  bool isTruncated = op.flag("fmod", false);
  auto fold = [&](const SizePolynomial &x, const SizePolynomial &y) {
    return restOfSizes(op.build, isTruncated, x, y);
  };
  foldQuotients(op, fold, divided(isTruncated ? rest : restAbove));
}

/// Div: rounded towards 0 where it is of integers.
static void divideNumbers(OpCall &op) {
  auto fold = [&](const SizePolynomial &x, const SizePolynomial &y) {
    return truncatedQuotient(op.build, x, y);
  };
  foldQuotients(op, fold, divided(quotient));
}

void mixattn::addDivisions(OpTable &table) {
  table["aten.div"] = divide;
  table["aten.floor_divide"] = divided(quotientBelow);
  table["aten.remainder"] = divided(restAbove);
  table["aten.fmod"] = divided(rest);
  table["onnx.Div"] = fromOnnx({"self", "other"}, {}, divideNumbers);
  table["onnx.Mod"] = fromOnnx({"self", "other"}, {}, modulo);
}
