// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, Logic and Shift Instructions, and those that count or move bits.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
template <class T> struct And {
  T operator()(T a, T b) const { return a & b; }
};
template <class T> struct Or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T> struct Xor {
  T operator()(T a, T b) const { return a ^ b; }
};
template <class T> struct Not {
  T operator()(T a) const { return ~a; }
};
struct NotPredicate {
  uint32_t operator()(uint32_t a) const { return ~a & 1; }
};
/// Amounts above the width shift everything out.
template <class T> struct ShiftLeft {
  T operator()(T a, uint32_t by) const {
    return by >= 8 * sizeof(T) ? T(0) : T(uint64_t(a) << by);
  }
};
template <class T> struct ShiftRight {
  T operator()(T a, uint32_t by) const {
    constexpr uint32_t width = 8 * sizeof(T);
    if (std::is_signed_v<T>)
      return a >> std::min(by, width - 1);
    return by >= width ? T(0) : T(a >> by);
  }
};
template <bool isLeft, bool clamps> struct ShiftFunnel {
  uint32_t operator()(uint32_t low, uint32_t high, uint32_t by) const {
    uint32_t amount = clamps ? std::min(by, 32u) : by & 31;
    uint64_t both = low | uint64_t(high) << 32;
    return isLeft ? both << amount >> 32 : both >> amount;
  }
};
template <class T> struct ExtractField {
  T operator()(T value, uint32_t from, uint32_t count) const {
    unsigned width = 8 * sizeof(T), first = from & 255, bits = count & 255;
    bool isNegative = std::is_signed_v<T> && bits &&
                      (value >> std::min(first + bits - 1, width - 1) & 1);
    T result = 0;
    for (unsigned i = 0; i < width; ++i) {
      bool bit =
          i < bits && first + i < width ? value >> (first + i) & 1 : isNegative;
      result |= T(bit) << i;
    }
    return result;
  }
};
template <class T> struct CountOnes {
  uint32_t operator()(T a) const {
    return __builtin_popcountll(std::make_unsigned_t<T>(a));
  }
};
template <class T> struct CountLeadingZeros {
  uint32_t operator()(T a) const {
    uint64_t bits = std::make_unsigned_t<T>(a);
    return bits ? __builtin_clzll(bits) - (64 - 8 * sizeof(T)) : 8 * sizeof(T);
  }
};
template <class T> struct ReverseBits {
  T operator()(T a) const {
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i)
      result |= (a >> i & T(1)) << (8 * sizeof(T) - 1 - i);
    return result;
  }
};
} // namespace

static Outcome logicOfThree(Warp &warp, const Instruction &instruction,
                            uint32_t lanes) {
  const auto &slot = instruction.slot;
  unsigned table = instruction.number[0];
  forLanes(lanes, [&](unsigned lane) {
    uint32_t a = warp.read<uint32_t>(slot[1], lane),
             b = warp.read<uint32_t>(slot[2], lane),
             c = warp.read<uint32_t>(slot[3], lane), result = 0;
    // Bit 4a + 2b + c of the table (PTX ISA, lop3).
    for (unsigned i = 0; i < 8; ++i)
      if (table >> i & 1)
        result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    warp.write<uint32_t>(slot[0], lane, result);
  });
  return Outcome::Next;
}

static Outcome permute(Warp &warp, const Instruction &instruction,
                       uint32_t lanes) {
  const auto &slot = instruction.slot;
  forLanes(lanes, [&](unsigned lane) {
    uint64_t both = warp.read<uint32_t>(slot[1], lane) |
                    uint64_t(warp.read<uint32_t>(slot[2], lane)) << 32;
    uint32_t selection = warp.read<uint32_t>(slot[3], lane), result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned choice = selection >> (4 * i) & 15;
      uint8_t byte = both >> (8 * (choice & 7));
      // The most significant bit of a choice copies the byte's sign.
      if (choice & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= uint32_t(byte) << (8 * i);
    }
    warp.write<uint32_t>(slot[0], lane, result);
  });
  return Outcome::Next;
}

static Outcome insertField(Warp &warp, const Instruction &instruction,
                           uint32_t lanes) {
  const auto &slot = instruction.slot;
  forLanes(lanes, [&](unsigned lane) {
    unsigned first = warp.read<uint32_t>(slot[3], lane) & 255,
             count = warp.read<uint32_t>(slot[4], lane) & 255;
    auto insert = [&](auto value, auto into) {
      for (unsigned i = 0; i < count && first + i < 8 * sizeof into; ++i) {
        auto one = decltype(into)(1) << (first + i);
        into = (into & ~one) | (value >> i & 1 ? one : 0);
      }
      return into;
    };
    if (instruction.type.bits == 64)
      warp.write(slot[0], lane,
                 insert(warp.read<uint64_t>(slot[1], lane),
                        warp.read<uint64_t>(slot[2], lane)));
    else
      warp.write(slot[0], lane,
                 insert(warp.read<uint32_t>(slot[1], lane),
                        warp.read<uint32_t>(slot[2], lane)));
  });
  return Outcome::Next;
}

template <template <class> class F> static void decodeLogic(Decoder &d) {
  Type type = d.takeType();
  takeOperands(d, type, type, 2);
  if (type.kind == Type::Predicate)
    d.result.execute = binary<uint32_t, uint32_t, uint32_t, F<uint32_t>>;
  else
    d.result.execute = binaryOf<F>(type);
}

static void decodeNot(Decoder &d) {
  Type type = d.takeType();
  takeOperands(d, type, type, 1);
  d.result.execute = type.kind == Type::Predicate
                         ? unary<uint32_t, uint32_t, NotPredicate>
                         : unaryOf<Not>(type);
}

template <template <class> class F> static void decodeShift(Decoder &d) {
  Type type = d.takeType();
  d.expectOperands(3, 3);
  d.result.slot[1] = d.source(d.operand(1), type);
  d.result.slot[2] = d.source(d.operand(2), {Type::Unsigned, 32});
  d.result.slot[0] = d.destination(d.operand(0), type);
  auto pick = [&](auto isSigned, auto isUnsigned) {
    using S = decltype(isSigned);
    using U = decltype(isUnsigned);
    return type.isSigned() ? binary<S, S, uint32_t, F<S>>
                           : binary<U, U, uint32_t, F<U>>;
  };
  d.result.execute = type.bits == 16   ? pick(int16_t(), uint16_t())
                     : type.bits == 32 ? pick(int32_t(), uint32_t())
                                       : pick(int64_t(), uint64_t());
}

static void decodeFunnel(Decoder &d) {
  int direction = d.expectOneOf({"l", "r"});
  int mode = d.expectOneOf({"wrap", "clamp"});
  d.expect("b32");
  takeOperands(d, {Type::Bits, 32}, {Type::Bits, 32}, 3);
  using T = uint32_t;
  static constexpr Executor table[2][2] = {
      {ternary<T, T, T, T, ShiftFunnel<true, false>>,
       ternary<T, T, T, T, ShiftFunnel<true, true>>},
      {ternary<T, T, T, T, ShiftFunnel<false, false>>,
       ternary<T, T, T, T, ShiftFunnel<false, true>>}};
  d.result.execute = table[direction][mode];
}

static void decodeExtract(Decoder &d) {
  Type type = d.takeType();
  d.expectOperands(4, 4);
  d.result.slot[1] = d.source(d.operand(1), type);
  for (int i : {2, 3})
    d.result.slot[i] = d.source(d.operand(i), {Type::Unsigned, 32});
  d.result.slot[0] = d.destination(d.operand(0), type);
  auto pick = [](auto value) -> Executor {
    using T = decltype(value);
    return ternary<T, T, uint32_t, uint32_t, ExtractField<T>>;
  };
  d.result.execute =
      type.bits == 64 ? (type.isSigned() ? pick(int64_t()) : pick(uint64_t()))
                      : (type.isSigned() ? pick(int32_t()) : pick(uint32_t()));
}

static void decodeInsert(Decoder &d) {
  Type type = d.result.type = d.takeType();
  d.expectOperands(5, 5);
  for (int i : {1, 2})
    d.result.slot[i] = d.source(d.operand(i), type);
  for (int i : {3, 4})
    d.result.slot[i] = d.source(d.operand(i), {Type::Unsigned, 32});
  d.result.slot[0] = d.destination(d.operand(0), type);
  d.result.execute = insertField;
}

template <template <class> class F> static void decodeCount(Decoder &d) {
  Type type = d.takeType();
  takeOperands(d, {Type::Unsigned, 32}, type, 1);
  d.result.execute = type.bits == 64 ? unary<uint32_t, uint64_t, F<uint64_t>>
                                     : unary<uint32_t, uint32_t, F<uint32_t>>;
}

static void decodeReverse(Decoder &d) {
  Type type = d.takeType();
  takeOperands(d, type, type, 1);
  d.result.execute = unaryOf<ReverseBits>({Type::Unsigned, type.bits});
}

static void decodeLogicOfThree(Decoder &d) {
  d.expect("b32");
  d.expectOperands(5, 5);
  for (int i : {1, 2, 3})
    d.result.slot[i] = d.source(d.operand(i), {Type::Bits, 32});
  d.result.number[0] = d.number(d.operand(4));
  d.result.slot[0] = d.destination(d.operand(0), {Type::Bits, 32});
  d.result.execute = logicOfThree;
}

static void decodePermute(Decoder &d) {
  d.expect("b32");
  takeOperands(d, {Type::Bits, 32}, {Type::Bits, 32}, 3);
  d.result.execute = permute;
}

void mixattn::emulator::addBitRules(RuleTable &rules) {
  rules["and"] = decodeLogic<And>;
  rules["or"] = decodeLogic<Or>;
  rules["xor"] = decodeLogic<Xor>;
  rules["not"] = decodeNot;
  rules["shl"] = decodeShift<ShiftLeft>;
  rules["shr"] = decodeShift<ShiftRight>;
  rules["shf"] = decodeFunnel;
  rules["bfe"] = decodeExtract;
  rules["bfi"] = decodeInsert;
  rules["popc"] = decodeCount<CountOnes>;
  rules["clz"] = decodeCount<CountLeadingZeros>;
  rules["brev"] = decodeReverse;
  rules["lop3"] = decodeLogicOfThree;
  rules["prmt"] = decodePermute;
}
