// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables from the names of arith and math ops to functions of scalars.
#include "lib/Reference/Operations.h"
#include <cmath>
#include <limits>
#include <map>

using namespace mixattn;

int64_t mixattn::signExtend(int64_t value, unsigned width) {
  unsigned unused = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

uint64_t mixattn::zeroExtend(int64_t value, unsigned width) {
  unsigned unused = 64 - width;
  return static_cast<uint64_t>(value) << unused >> unused;
}

template <typename T> using Table = std::map<std::string_view, T>;

template <typename T>
static T find(const Table<T> &table, std::string_view name) {
  auto entry = table.find(name);
  return entry == table.end() ? T() : entry->second;
}

/// The larger one; NaN if either is; +0 is larger than -0.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

static double minimum(double a, double b) { return -maximum(-a, -b); }

/// base to an integer power, by squaring; 0 where the result is no integer.
static int64_t integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent; exponent >>= 1, square *= square)
    if (exponent & 1)
      result *= square;
  return static_cast<int64_t>(result);
}

static int64_t negate(int64_t a) {
  return static_cast<int64_t>(-static_cast<uint64_t>(a));
}

/// a / b, rounded towards zero.
static int64_t quotient(int64_t a, int64_t b) {
  if (b == -1)
    return negate(a);
  return b == 0 ? 0 : a / b;
}

static int64_t remainder(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

/// a / b, rounded down.
static int64_t floorQuotient(int64_t a, int64_t b) {
  int64_t rest = remainder(a, b);
  return quotient(a, b) - (rest != 0 && (rest < 0) != (b < 0));
}

/// a / b, rounded up.
static int64_t ceilQuotient(int64_t a, int64_t b) {
  int64_t rest = remainder(a, b);
  return quotient(a, b) + (rest != 0 && (rest < 0) == (b < 0));
}

static const Table<double (*)(double)> unary = {
    {"arith.negf", [](double x) { return -x; }},
    {"math.absf", fabs},
    {"math.acos", acos},
    {"math.acosh", acosh},
    {"math.asin", asin},
    {"math.asinh", asinh},
    {"math.atan", atan},
    {"math.atanh", atanh},
    {"math.cbrt", cbrt},
    {"math.ceil", ceil},
    {"math.cos", cos},
    {"math.cosh", cosh},
    {"math.erf", erf},
    {"math.erfc", erfc},
    {"math.exp", exp},
    {"math.exp2", exp2},
    {"math.expm1", expm1},
    {"math.floor", floor},
    {"math.log", log},
    {"math.log10", log10},
    {"math.log1p", log1p},
    {"math.log2", log2},
    {"math.round", round},
    {"math.roundeven", nearbyint},
    {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"math.sin", sin},
    {"math.sinh", sinh},
    {"math.sqrt", sqrt},
    {"math.tan", tan},
    {"math.tanh", tanh},
    {"math.trunc", trunc},
};

static const Table<double (*)(double, double)> binary = {
    {"arith.addf", [](double a, double b) { return a + b; }},
    {"arith.divf", [](double a, double b) { return a / b; }},
    {"arith.maximumf", maximum},
    {"arith.maxnumf", fmax},
    {"arith.minimumf", minimum},
    {"arith.minnumf", fmin},
    {"arith.mulf", [](double a, double b) { return a * b; }},
    {"arith.remf", fmod},
    {"arith.subf", [](double a, double b) { return a - b; }},
    {"math.atan2", atan2},
    {"math.copysign", copysign},
    {"math.powf", pow},
};

static const Table<double (*)(double, double, double)> ternary = {
    {"math.clampf", [](double x, double low,
                       double high) { return minimum(maximum(x, low), high); }},
    {"math.fma", fma},
};

static const Table<bool (*)(double)> tests = {
    {"math.isfinite", [](double x) { return std::isfinite(x); }},
    {"math.isinf", [](double x) { return std::isinf(x); }},
    {"math.isnan", [](double x) { return std::isnan(x); }},
    {"math.isnormal", [](double x) { return std::isnormal(x); }},
};

/// Unsigned arithmetic wraps; the results are cut to their width later.
#define UNSIGNED(expression)                                                   \
  [](int64_t x, int64_t y, unsigned width) -> int64_t {                        \
    [[maybe_unused]] uint64_t a = zeroExtend(x, width);                        \
    [[maybe_unused]] uint64_t b = zeroExtend(y, width);                        \
    return static_cast<int64_t>(expression);                                   \
  }
#define SIGNED(expression)                                                     \
  [](int64_t a, int64_t b, [[maybe_unused]] unsigned width) -> int64_t {       \
    return expression;                                                         \
  }

static const Table<IntegerBinary> integers = {
    {"arith.addi", UNSIGNED(a + b)},
    {"arith.andi", SIGNED(a & b)},
    {"arith.ceildivsi", SIGNED(ceilQuotient(a, b))},
    {"arith.ceildivui", UNSIGNED(b ? a / b + (a % b != 0) : 0)},
    {"arith.divsi", SIGNED(quotient(a, b))},
    {"arith.divui", UNSIGNED(b ? a / b : 0)},
    {"arith.floordivsi", SIGNED(floorQuotient(a, b))},
    {"arith.maxsi", SIGNED(a > b ? a : b)},
    {"arith.maxui", UNSIGNED(a > b ? a : b)},
    {"arith.minsi", SIGNED(a < b ? a : b)},
    {"arith.minui", UNSIGNED(a < b ? a : b)},
    {"arith.muli", UNSIGNED(a * b)},
    {"arith.ori", SIGNED(a | b)},
    {"arith.remsi", SIGNED(remainder(a, b))},
    {"arith.remui", UNSIGNED(b ? a % b : 0)},
    {"arith.shli", UNSIGNED(b < width ? a << b : 0)},
    {"arith.shrsi", SIGNED(b >= 0 && b < int64_t(width) ? a >> b : 0)},
    {"arith.shrui", UNSIGNED(b < width ? a >> b : 0)},
    {"arith.subi", UNSIGNED(a - b)},
    {"arith.xori", SIGNED(a ^ b)},
    {"math.ipowi", SIGNED(integerPower(a, b))},
};

static const Table<int64_t (*)(int64_t)> integerUnary = {
    {"math.absi", [](int64_t a) { return a < 0 ? negate(a) : a; }},
};

static const Table<FloatPredicate> floatPredicates = {
    {"false", [](double, double) { return false; }},
    {"oeq", [](double a, double b) { return a == b; }},
    {"oge", [](double a, double b) { return a >= b; }},
    {"ogt", [](double a, double b) { return a > b; }},
    {"ole", [](double a, double b) { return a <= b; }},
    {"olt", [](double a, double b) { return a < b; }},
    {"one", [](double a, double b) { return a < b || a > b; }},
    {"ord", [](double a, double b) { return !std::isunordered(a, b); }},
    {"true", [](double, double) { return true; }},
    {"ueq", [](double a, double b) { return !(a < b || a > b); }},
    {"uge", [](double a, double b) { return !(a < b); }},
    {"ugt", [](double a, double b) { return !(a <= b); }},
    {"ule", [](double a, double b) { return !(a > b); }},
    {"ult", [](double a, double b) { return !(a >= b); }},
    {"une", [](double a, double b) { return a != b; }},
    {"uno", [](double a, double b) { return std::isunordered(a, b); }},
};

// Sign extension keeps the unsigned order.
static const Table<IntegerPredicate> integerPredicates = {
    {"eq", [](int64_t a, int64_t b) { return a == b; }},
    {"ne", [](int64_t a, int64_t b) { return a != b; }},
    {"sge", [](int64_t a, int64_t b) { return a >= b; }},
    {"sgt", [](int64_t a, int64_t b) { return a > b; }},
    {"sle", [](int64_t a, int64_t b) { return a <= b; }},
    {"slt", [](int64_t a, int64_t b) { return a < b; }},
    {"uge", [](int64_t a, int64_t b) { return uint64_t(a) >= uint64_t(b); }},
    {"ugt", [](int64_t a, int64_t b) { return uint64_t(a) > uint64_t(b); }},
    {"ule", [](int64_t a, int64_t b) { return uint64_t(a) <= uint64_t(b); }},
    {"ult", [](int64_t a, int64_t b) { return uint64_t(a) < uint64_t(b); }},
};

Operation mixattn::operationNamed(std::string_view name) {
  if (auto function = find(unary, name))
    return function;
  if (auto function = find(binary, name))
    return function;
  if (auto function = find(ternary, name))
    return function;
  if (auto function = find(tests, name))
    return function;
  if (auto function = find(integerUnary, name))
    return function;
  if (auto function = find(integers, name))
    return function;
  return std::monostate();
}

FloatPredicate mixattn::floatPredicateNamed(std::string_view name) {
  return find(floatPredicates, name);
}

IntegerPredicate mixattn::integerPredicateNamed(std::string_view name) {
  return find(integerPredicates, name);
}
