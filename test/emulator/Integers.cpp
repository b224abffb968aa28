// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, Integer Arithmetic Instructions; add, sub and the like hand over to
// Floats.cpp for types with a fraction.
#include "Lanes.h"

#include <type_traits>

using namespace mixattn::emulator;

namespace {
/// Sums and products wrap around: they are those of unsigned numbers.
template <class T> using Word = std::make_unsigned_t<T>;

template <class T> struct Add {
  T operator()(T a, T b) const { return Word<T>(a) + Word<T>(b); }
};
template <class T> struct Subtract {
  T operator()(T a, T b) const { return Word<T>(a) - Word<T>(b); }
};
/// add.sat.s32
struct AddLimited {
  int32_t operator()(int32_t a, int32_t b) const {
    int64_t sum = int64_t(a) + b;
    return std::max<int64_t>(INT32_MIN, std::min<int64_t>(INT32_MAX, sum));
  }
};
struct SubtractLimited {
  int32_t operator()(int32_t a, int32_t b) const {
    int64_t sum = int64_t(a) - b;
    return std::max<int64_t>(INT32_MIN, std::min<int64_t>(INT32_MAX, sum));
  }
};
template <class T> struct MultiplyLow {
  T operator()(T a, T b) const { return uint64_t(Word<T>(a)) * Word<T>(b); }
};
template <class T>
using Wide =
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
template <class T> struct MultiplyHigh {
  T operator()(T a, T b) const {
    return Wide<T>(a) * Wide<T>(b) >> (8 * sizeof(T));
  }
};
template <class T> struct MultiplyAddLow {
  T operator()(T a, T b, T c) const {
    return uint64_t(Word<T>(a)) * Word<T>(b) + Word<T>(c);
  }
};
template <class T> struct MultiplyAddHigh {
  T operator()(T a, T b, T c) const {
    return Word<T>(MultiplyHigh<T>()(a, b)) + Word<T>(c);
  }
};
template <class R, class T> struct MultiplyWide {
  R operator()(T a, T b) const { return Word<R>(R(a)) * Word<R>(R(b)); }
};
template <class R, class T> struct MultiplyAddWide {
  R operator()(T a, T b, R c) const {
    return Word<R>(R(a)) * Word<R>(R(b)) + Word<R>(c);
  }
};
/// Division by 0 gives an unspecified value: here, an error.
template <class T> struct Divide {
  T operator()(T a, T b) const {
    require(b != 0, "an integer is divided by 0");
    return std::is_signed_v<T> && b == T(-1) ? T(0 - Word<T>(a)) : T(a / b);
  }
};
template <class T> struct Remainder {
  T operator()(T a, T b) const {
    require(b != 0, "an integer is divided by 0");
    return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
  }
};
template <class T> struct Minimum {
  T operator()(T a, T b) const { return std::min(a, b); }
};
template <class T> struct Maximum {
  T operator()(T a, T b) const { return std::max(a, b); }
};
/// PTX ISA, min and max: with .relu what is negative becomes 0.
template <class T> struct MinimumFrom0 {
  T operator()(T a, T b) const { return std::max(std::min(a, b), T(0)); }
};
template <class T> struct MaximumFrom0 {
  T operator()(T a, T b) const { return std::max(std::max(a, b), T(0)); }
};
template <class T> struct Negate {
  T operator()(T a) const { return 0 - Word<T>(a); }
};
template <class T> struct Absolute {
  T operator()(T a) const {
    return std::is_signed_v<T> && a < 0 ? T(0 - Word<T>(a)) : a;
  }
};

struct Head {
  Type type;
  int rounding;
  bool isFlushed, isLimited;
};
} // namespace

static Head takeHead(Decoder &d) {
  Head head;
  head.rounding = d.takeOneOf({"rn", "rz", "rm", "rp"});
  head.isFlushed = d.take("ftz");
  head.isLimited = d.take("sat");
  if (d.take("NaN"))
    head.rounding = 4;
  head.type = d.takeType();
  return head;
}

static bool isPlainInteger(const Head &head) {
  return head.type.isInteger() && head.rounding < 0 && !head.isFlushed;
}

template <template <class> class F> static void decodeBinary(Decoder &d) {
  Head head = takeHead(d);
  if (!isPlainInteger(head) || head.isLimited) {
    require(!head.isLimited, "'.sat' is not emulated here");
    return decodeFloatArithmetic(d, head.type, head.isFlushed, head.rounding);
  }
  takeOperands(d, head.type, head.type, 2);
  d.result.execute = binaryOf<F>(head.type);
}

template <template <class> class F, class Limited>
static void decodeSum(Decoder &d) {
  if (d.statement.opcode.back() == "s32" && d.take("sat")) {
    d.expect("s32");
    takeOperands(d, {Type::Signed, 32}, {Type::Signed, 32}, 2);
    d.result.execute = binary<int32_t, int32_t, int32_t, Limited>;
    return;
  }
  decodeBinary<F>(d);
}

template <template <class> class F> static void decodeUnary(Decoder &d) {
  Head head = takeHead(d);
  if (!isPlainInteger(head))
    return decodeFloatArithmetic(d, head.type, head.isFlushed, head.rounding);
  takeOperands(d, head.type, head.type, 1);
  d.result.execute = unaryOf<F>(head.type);
}

static void decodeMultiply(Decoder &d) {
  int part = d.takeOneOf({"lo", "hi", "wide"});
  if (part < 0) {
    Head head = takeHead(d);
    require(!head.isLimited && !head.type.isInteger(), "expected .lo, .hi or "
                                                       ".wide");
    return decodeFloatArithmetic(d, head.type, head.isFlushed, head.rounding);
  }
  Type type = d.takeType();
  require(type.isInteger(), "expected a type of integers");
  if (part < 2) {
    takeOperands(d, type, type, 2);
    d.result.execute =
        part ? binaryOf<MultiplyHigh>(type) : binaryOf<MultiplyLow>(type);
    return;
  }
  takeOperands(d, {type.kind, 2 * type.bits}, type, 2);
  auto &execute = d.result.execute;
  if (type.bits == 16)
    execute =
        type.isSigned()
            ? binary<int32_t, int16_t, int16_t, MultiplyWide<int32_t, int16_t>>
            : binary<uint32_t, uint16_t, uint16_t,
                     MultiplyWide<uint32_t, uint16_t>>;
  else if (type.bits == 32)
    execute =
        type.isSigned()
            ? binary<int64_t, int32_t, int32_t, MultiplyWide<int64_t, int32_t>>
            : binary<uint64_t, uint32_t, uint32_t,
                     MultiplyWide<uint64_t, uint32_t>>;
  else
    fail("this type is not known here");
}

static void decodeMultiplyAdd(Decoder &d) {
  int part = d.takeOneOf({"lo", "hi", "wide"});
  if (part < 0) {
    Head head = takeHead(d);
    require(!head.isLimited, "'.sat' is not emulated here");
    return decodeFloatArithmetic(d, head.type, head.isFlushed, head.rounding);
  }
  Type type = d.takeType();
  require(type.isInteger(), "expected a type of integers");
  if (part < 2) {
    takeOperands(d, type, type, 3);
    d.result.execute = part ? ternaryOf<MultiplyAddHigh>(type)
                            : ternaryOf<MultiplyAddLow>(type);
    return;
  }
  Type wide = {type.kind, 2 * type.bits};
  d.expectOperands(4, 4);
  d.result.slot = {noSlot, d.source(d.operand(1), type),
                   d.source(d.operand(2), type), d.source(d.operand(3), wide)};
  d.result.slot[0] = d.destination(d.operand(0), wide);
  auto &execute = d.result.execute;
  if (type.bits == 16)
    execute = type.isSigned() ? ternary<int32_t, int16_t, int16_t, int32_t,
                                        MultiplyAddWide<int32_t, int16_t>>
                              : ternary<uint32_t, uint16_t, uint16_t, uint32_t,
                                        MultiplyAddWide<uint32_t, uint16_t>>;
  else if (type.bits == 32)
    execute = type.isSigned() ? ternary<int64_t, int32_t, int32_t, int64_t,
                                        MultiplyAddWide<int64_t, int32_t>>
                              : ternary<uint64_t, uint32_t, uint32_t, uint64_t,
                                        MultiplyAddWide<uint64_t, uint32_t>>;
  else
    fail("this type is not known here");
}

static void decodeDivide(Decoder &d) {
  // PTX ISA, div: .approx and .full err; they are rounded to nearest here.
  bool isFull = d.takeOneOf({"full", "approx"}) >= 0;
  Head head = takeHead(d);
  if (isFull || !isPlainInteger(head))
    return decodeFloatArithmetic(d, head.type, head.isFlushed,
                                 isFull ? 0 : head.rounding);
  takeOperands(d, head.type, head.type, 2);
  d.result.execute = binaryOf<Divide>(head.type);
}

/// PTX ISA, min and max: .relu of integers is for s32.
template <template <class> class Function, template <class> class From0>
static void decodeLimit(Decoder &d) {
  if (!d.take("relu"))
    return decodeBinary<Function>(d);
  Type type = d.takeType();
  require(type.isSigned() && type.bits == 32, "'.relu' is not known here");
  takeOperands(d, type, type, 2);
  d.result.execute = binaryOf<From0>(type);
}

void mixattn::emulator::addIntegerRules(RuleTable &rules) {
  rules["add"] = decodeSum<Add, AddLimited>;
  rules["sub"] = decodeSum<Subtract, SubtractLimited>;
  rules["mul"] = decodeMultiply;
  rules["mad"] = decodeMultiplyAdd;
  rules["fma"] = decodeMultiplyAdd;
  rules["div"] = decodeDivide;
  rules["rem"] = decodeBinary<Remainder>;
  rules["min"] = decodeLimit<Minimum, MinimumFrom0>;
  rules["max"] = decodeLimit<Maximum, MaximumFrom0>;
  rules["neg"] = decodeUnary<Negate>;
  rules["abs"] = decodeUnary<Absolute>;
}
