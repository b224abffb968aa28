// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, Floating-Point Instructions and Half Precision Floating-Point
// Instructions: what is rounded exactly.
#include "Lanes.h"

#include <cfenv>

using namespace mixattn::emulator;

// Operations are in f32 or f64; f16 and bf16 are computed in f64, in which
// sums and products of them are exact, and rounded once.
namespace {
struct Add {
  template <class T> T operator()(T a, T b) const { return a + b; }
};
struct Subtract {
  template <class T> T operator()(T a, T b) const { return a - b; }
};
struct Multiply {
  template <class T> T operator()(T a, T b) const { return a * b; }
};
struct Divide {
  template <class T> T operator()(T a, T b) const { return a / b; }
};
struct MultiplyAdd {
  template <class T> T operator()(T a, T b, T c) const {
    return std::fma(a, b, c);
  }
};
template <class T> static T canonicalNan() {
  if constexpr (sizeof(T) == 4)
    return bitCast<float>(0x7fffffffu);
  else
    return std::numeric_limits<T>::quiet_NaN();
}
/// A NaN loses against a number, unless .NaN is there; -0 is below +0.
template <bool isMaximum, bool keepsNan> struct Extreme {
  template <class T> T operator()(T a, T b) const {
    bool aIsNan = std::isnan(a), bIsNan = std::isnan(b);
    if (aIsNan || bIsNan)
      return keepsNan || (aIsNan && bIsNan) ? canonicalNan<T>()
             : aIsNan                       ? b
                                            : a;
    bool aIsLess = a < b || (a == b && std::signbit(a));
    return aIsLess == isMaximum ? b : a;
  }
};
struct Negate {
  template <class T> T operator()(T a) const { return -a; }
};
struct Absolute {
  template <class T> T operator()(T a) const { return std::fabs(a); }
};
struct SquareRoot {
  template <class T> T operator()(T a) const { return std::sqrt(a); }
};
struct Reciprocal {
  template <class T> T operator()(T a) const { return 1 / a; }
};
struct CopySign {
  // The sign of the first operand, the rest of the second (PTX ISA, copysign).
  template <class T> T operator()(T a, T b) const {
    return std::copysign(b, a);
  }
};

/// F with subnormal inputs and results as zero.
template <class F> struct Flushed {
  template <class... T> float operator()(T... values) const {
    return flushed(F()(flushed(values)...));
  }
};
/// F on numbers of 16 bits.
template <class H, class F> struct OnHalves {
  template <class... T> H operator()(T... values) const {
    return H(F()(static_cast<double>(values)...));
  }
};
/// F on both numbers of a pair.
template <class H, class F> struct OnPairs {
  using P = Pair<H>;
  template <class... T> P operator()(T... values) const {
    OnHalves<H, F> f;
    return {f(values.low...), f(values.high...)};
  }
};
/// F on both numbers of a pair of f32 (sm_100 and later).
template <class F> struct OnFloats {
  using P = Pair<float>;
  template <class... T> P operator()(T... values) const {
    return {F()(values.low...), F()(values.high...)};
  }
};
/// F on numbers of 16 bits, and on one of 32 as its last operand.
template <class H, class F> struct OnMixed {
  float operator()(H a, float b) const { return F()(float(a), b); }
  float operator()(H a, H b, float c) const {
    return F()(float(a), float(b), c);
  }
};

/// How the executors take a function of one, two or three operands.
template <int count, class T, class F> constexpr Executor executorOf() {
  if constexpr (count == 1)
    return unary<T, T, F>;
  else if constexpr (count == 2)
    return binary<T, T, T, F>;
  else
    return ternary<T, T, T, T, F>;
}

/// .rz, .rm, .rp: the processor rounds like that meanwhile.
template <Executor execute, int mode>
Outcome rounded(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  int before = std::fegetround();
  std::fesetround(mode);
  Outcome outcome = execute(warp, instruction, lanes);
  std::fesetround(before);
  return outcome;
}

/// The executor that rounds as the modifier of that number says.
template <Executor execute> constexpr Executor roundedAs(int rounding) {
  return rounding == 1   ? rounded<execute, FE_TOWARDZERO>
         : rounding == 2 ? rounded<execute, FE_DOWNWARD>
         : rounding == 3 ? rounded<execute, FE_UPWARD>
                         : execute;
}
} // namespace

template <int count, class F>
static void decode(Decoder &d, Type type, bool isFlushed, int rounding,
                   bool canRound) {
  takeOperands(d, type, type, count);
  auto &execute = d.result.execute;
  require(!isFlushed || type.bits == 32 || !type.is(Type::Float, 64),
          "'.ftz' is not known here");
  if (type.is(Type::Float, 32)) {
    constexpr Executor plain = executorOf<count, float, F>();
    constexpr Executor flushing = executorOf<count, float, Flushed<F>>();
    execute =
        isFlushed ? roundedAs<flushing>(rounding) : roundedAs<plain>(rounding);
    return;
  }
  require(rounding <= 0, "this rounding is not known here");
  if (type.is(Type::Float, 64, true)) {
    require(rounding == 0 && canRound, "'.f32x2' is not known here");
    execute = isFlushed ? executorOf<count, Pair<float>, OnFloats<Flushed<F>>>()
                        : executorOf<count, Pair<float>, OnFloats<F>>();
  } else if (type.is(Type::Float, 64))
    execute = executorOf<count, double, F>();
  else if (type.is(Type::Float, 16))
    execute = executorOf<count, Half, OnHalves<Half, F>>();
  else if (type.is(Type::Brain, 16))
    execute = executorOf<count, Brain, OnHalves<Brain, F>>();
  else if (type.is(Type::Float, 32, true))
    execute = executorOf<count, Pair<Half>, OnPairs<Half, F>>();
  else if (type.is(Type::Brain, 32, true))
    execute = executorOf<count, Pair<Brain>, OnPairs<Brain, F>>();
  else
    fail("this type is not known here");
}

template <class H>
static void decodeMixedOf(Decoder &d, Type narrow, int rounding) {
  const std::string &name = d.statement.opcode[0];
  size_t count = name == "fma" ? 3 : 2;
  Type wide{Type::Float, 32};
  d.expectOperands(count + 1, count + 1);
  for (size_t i = 1; i <= count; ++i)
    d.result.slot[i] = d.source(d.operand(i), i < count ? narrow : wide);
  d.result.slot[0] = d.destination(d.operand(0), wide);
  constexpr Executor add = binary<float, H, float, OnMixed<H, Add>>;
  constexpr Executor subtract = binary<float, H, float, OnMixed<H, Subtract>>;
  constexpr Executor multiplyAdd =
      ternary<float, H, H, float, OnMixed<H, MultiplyAdd>>;
  d.result.execute = name == "add"   ? roundedAs<add>(rounding)
                     : name == "sub" ? roundedAs<subtract>(rounding)
                                     : roundedAs<multiplyAdd>(rounding);
}

/// PTX ISA, Mixed Precision Floating Point Instructions: add, sub and fma, with
/// a second type for all sources but the last (sm_100 and later).
static void decodeMixed(Decoder &d, bool isFlushed, int rounding) {
  const std::string &name = d.statement.opcode[0];
  Type narrow = d.takeType();
  bool isKnown = name == "add" || name == "sub" || name == "fma";
  require(isKnown && (narrow.is(Type::Float, 16) || narrow.is(Type::Brain, 16)),
          "this type is not known here");
  require(!isFlushed, "'.ftz' is not known here");
  require(rounding >= 0 || name != "fma", "expected a rounding");
  if (narrow.is(Type::Float, 16))
    decodeMixedOf<Half>(d, narrow, rounding);
  else
    decodeMixedOf<Brain>(d, narrow, rounding);
}

void mixattn::emulator::decodeFloatArithmetic(Decoder &d, Type type,
                                              bool isFlushed, int rounding) {
  const std::string &name = d.statement.opcode[0];
  require(type.isFloat(), "these modifiers are not known with this type");
  // 4 stands for .NaN.
  bool keepsNan = rounding == 4;
  require(!keepsNan || name == "min" || name == "max",
          "'.NaN' is not known here");
  if (type.is(Type::Float, 32) && d.isTypeNext())
    return decodeMixed(d, isFlushed, rounding);
  if (name == "min" || name == "max") {
    require(rounding < 0 || keepsNan, "this rounding is not known here");
    bool isMaximum = name == "max";
    if (keepsNan)
      return isMaximum
                 ? decode<2, Extreme<true, true>>(d, type, isFlushed, 0, false)
                 : decode<2, Extreme<false, true>>(d, type, isFlushed, 0,
                                                   false);
    return isMaximum
               ? decode<2, Extreme<true, false>>(d, type, isFlushed, 0, false)
               : decode<2, Extreme<false, false>>(d, type, isFlushed, 0, false);
  }
  if (name == "neg" || name == "abs") {
    require(rounding < 0, "this rounding is not known here");
    return name == "neg" ? decode<1, Negate>(d, type, isFlushed, 0, false)
                         : decode<1, Absolute>(d, type, isFlushed, 0, false);
  }
  if (name == "add")
    return decode<2, Add>(d, type, isFlushed, rounding, true);
  if (name == "sub")
    return decode<2, Subtract>(d, type, isFlushed, rounding, true);
  if (name == "mul")
    return decode<2, Multiply>(d, type, isFlushed, rounding, true);
  if (name == "div")
    return decode<2, Divide>(d, type, isFlushed, rounding, true);
  require(rounding >= 0, "expected a rounding");
  if (name == "fma" || name == "mad")
    return decode<3, MultiplyAdd>(d, type, isFlushed, rounding, true);
  fail("this type is not known here");
}

void mixattn::emulator::decodeExactRoot(Decoder &d) {
  const std::string &name = d.statement.opcode[0];
  int rounding = d.expectOneOf({"rn", "rz", "rm", "rp"});
  bool isFlushed = d.take("ftz");
  Type type = d.takeType();
  require(type.is(Type::Float, 32) || type.is(Type::Float, 64),
          "this type is not known here");
  if (name == "sqrt")
    decode<1, SquareRoot>(d, type, isFlushed, rounding, true);
  else
    decode<1, Reciprocal>(d, type, isFlushed, rounding, true);
}

static void decodeCopySign(Decoder &d) {
  decode<2, CopySign>(d, d.takeType(), false, 0, false);
}

void mixattn::emulator::addFloatRules(RuleTable &rules) {
  rules["copysign"] = decodeCopySign;
}
