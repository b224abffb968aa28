// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, Comparison and Selection Instructions.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
enum Comparison {
  Equal,
  NotEqual,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  Number,
  NotANumber
};
/// Places in instruction.number.
enum Field { What, Unordered, Combination, CombinedNegated, IsFlushed };
} // namespace

template <class T> static bool compares(int comparison, T a, T b) {
  switch (comparison) {
  case Equal:
    return a == b;
  case NotEqual:
    return a != b;
  case Less:
    return a < b;
  case LessOrEqual:
    return a <= b;
  case Greater:
    return a > b;
  default:
    return a >= b;
  }
}

template <class T> static bool test(const Instruction &instruction, T a, T b) {
  int comparison = instruction.number[What];
  if constexpr (std::is_integral_v<T>) {
    return compares(comparison, a, b);
  } else {
    double x = a, y = b;
    if (instruction.number[IsFlushed]) {
      x = flushed(float(x));
      y = flushed(float(y));
    }
    bool hasNan = std::isnan(x) || std::isnan(y);
    if (comparison >= Number)
      return hasNan == (comparison == NotANumber);
    return hasNan ? instruction.number[Unordered] != 0
                  : compares(comparison, x, y);
  }
}

static bool combined(const Warp &warp, const Instruction &instruction,
                     bool result, unsigned lane) {
  if (instruction.number[Combination] < 0)
    return result;
  bool other = (warp.read<uint32_t>(instruction.slot[4], lane) & 1) !=
               (instruction.number[CombinedNegated] != 0);
  switch (instruction.number[Combination]) {
  case 0:
    return result && other;
  case 1:
    return result || other;
  default:
    return result != other;
  }
}

template <class T>
static Outcome setPredicate(Warp &warp, const Instruction &instruction,
                            uint32_t lanes) {
  const auto &slot = instruction.slot;
  forLanes(lanes, [&](unsigned lane) {
    bool first = test<T>(instruction, warp.read<T>(slot[2], lane),
                         warp.read<T>(slot[3], lane));
    // setp p|q, a, b, c: q is (not a < b) and c.
    bool p = combined(warp, instruction, first, lane),
         q = combined(warp, instruction, !first, lane);
    if (slot[0] != noSlot)
      warp.write<uint32_t>(slot[0], lane, p);
    if (slot[1] != noSlot)
      warp.write<uint32_t>(slot[1], lane, q);
  });
  return Outcome::Next;
}

template <class T>
static Outcome setPair(Warp &warp, const Instruction &instruction,
                       uint32_t lanes) {
  const auto &slot = instruction.slot;
  forLanes(lanes, [&](unsigned lane) {
    auto a = warp.read<Pair<T>>(slot[2], lane),
         b = warp.read<Pair<T>>(slot[3], lane);
    bool low = test<T>(instruction, a.low, b.low),
         high = test<T>(instruction, a.high, b.high);
    warp.write<uint32_t>(slot[0], lane, combined(warp, instruction, low, lane));
    if (slot[1] != noSlot)
      warp.write<uint32_t>(slot[1], lane,
                           combined(warp, instruction, high, lane));
  });
  return Outcome::Next;
}

/// set: all ones or 1.0 where the comparison holds.
template <class T>
static Outcome setNumber(Warp &warp, const Instruction &instruction,
                         uint32_t lanes) {
  const auto &slot = instruction.slot;
  forLanes(lanes, [&](unsigned lane) {
    bool holds = combined(warp, instruction,
                          test<T>(instruction, warp.read<T>(slot[2], lane),
                                  warp.read<T>(slot[3], lane)),
                          lane);
    uint32_t yes = instruction.from.isFloat() ? 0x3f800000u : ~0u;
    warp.write<uint32_t>(slot[0], lane, holds ? yes : 0);
  });
  return Outcome::Next;
}

static void takeComparison(Decoder &d) {
  int found = d.expectOneOf({"eq", "ne", "lt", "le", "gt", "ge", "num", "nan",
                             "equ", "neu", "ltu", "leu", "gtu", "geu", "lo",
                             "ls", "hi", "hs"});
  auto &number = d.result.number;
  number[What] = found < 8 ? found : found < 14 ? found - 8 : found - 12;
  number[Unordered] = found >= 8 && found < 14;
  number[Combination] = d.takeOneOf({"and", "or", "xor"});
  number[IsFlushed] = d.take("ftz");
}

template <template <class> class Execute>
static Executor executorFor(Type type) {
  switch (type.bits) {
  case 16:
    if (type.kind == Type::Brain)
      return Execute<Brain>::run;
    if (type.kind == Type::Float)
      return Execute<Half>::run;
    return type.isSigned() ? Execute<int16_t>::run : Execute<uint16_t>::run;
  case 32:
    if (type.kind == Type::Float)
      return Execute<float>::run;
    return type.isSigned() ? Execute<int32_t>::run : Execute<uint32_t>::run;
  case 64:
    if (type.kind == Type::Float)
      return Execute<double>::run;
    return type.isSigned() ? Execute<int64_t>::run : Execute<uint64_t>::run;
  default:
    fail("this type is not known here");
  }
}

namespace {
template <class T> struct SetPredicate {
  static constexpr Executor run = setPredicate<T>;
};
template <class T> struct SetNumber {
  static constexpr Executor run = setNumber<T>;
};
} // namespace

static void takeComparedOperands(Decoder &d, Type type) {
  bool isCombined = d.result.number[Combination] >= 0;
  d.expectOperands(3 + isCombined, 3 + isCombined);
  d.result.slot[2] = d.source(d.operand(1), type);
  d.result.slot[3] = d.source(d.operand(2), type);
  if (isCombined)
    d.result.number[CombinedNegated] = d.predicate(d.operand(3), 4);
}

static void decodeSetp(Decoder &d) {
  takeComparison(d);
  Type type = d.takeType();
  takeComparedOperands(d, type);
  const Expression &target = d.operand(0);
  bool hasTwo = target.kind == Expression::Both;
  for (size_t i = 0; i < (hasTwo ? 2 : 1); ++i) {
    const Expression &each = hasTwo ? target.parts[i] : target;
    if (each.kind != Expression::Sink)
      d.result.slot[i] = d.destination(each, {Type::Predicate, 1});
  }
  if (type.isPair)
    d.result.execute =
        type.kind == Type::Float ? setPair<Half> : setPair<Brain>;
  else
    d.result.execute = executorFor<SetPredicate>(type);
}

static void decodeSet(Decoder &d) {
  takeComparison(d);
  Type target = d.result.from = d.takeType();
  Type type = d.takeType();
  require(target.bits == 32 && !target.isPair && !type.isPair,
          "this type is not known here");
  takeComparedOperands(d, type);
  d.result.slot[0] = d.destination(d.operand(0), target);
  d.result.execute = executorFor<SetNumber>(type);
}

template <class T>
static Outcome select(Warp &warp, const Instruction &instruction,
                      uint32_t lanes) {
  const auto &slot = instruction.slot;
  bool isNegated = instruction.number[0];
  forLanes(lanes, [&](unsigned lane) {
    bool first = (warp.read<uint32_t>(slot[3], lane) & 1) != isNegated;
    warp.write<T>(slot[0], lane, warp.read<T>(slot[first ? 1 : 2], lane));
  });
  return Outcome::Next;
}

/// slct d, a, b, c: a where c >= 0, else b.
template <class T>
static Outcome selectBySign(Warp &warp, const Instruction &instruction,
                            uint32_t lanes) {
  const auto &slot = instruction.slot;
  bool isFloat = instruction.from.isFloat();
  forLanes(lanes, [&](unsigned lane) {
    bool first = isFloat ? warp.read<float>(slot[3], lane) >= 0
                         : warp.read<int32_t>(slot[3], lane) >= 0;
    warp.write<T>(slot[0], lane, warp.read<T>(slot[first ? 1 : 2], lane));
  });
  return Outcome::Next;
}

static void decodeSelect(Decoder &d) {
  bool bySign = d.statement.opcode[0] == "slct";
  Type type = d.takeType();
  if (bySign)
    d.result.from = d.takeType();
  d.expectOperands(4, 4);
  d.result.slot[1] = d.source(d.operand(1), type);
  d.result.slot[2] = d.source(d.operand(2), type);
  if (bySign)
    d.result.slot[3] = d.source(d.operand(3), d.result.from);
  else
    d.result.number[0] = d.predicate(d.operand(3), 3);
  d.result.slot[0] = d.destination(d.operand(0), type);
  auto pick = [&](auto value) -> Executor {
    using T = decltype(value);
    return bySign ? selectBySign<T> : select<T>;
  };
  d.result.execute = type.bits == 64   ? pick(uint64_t())
                     : type.bits == 16 ? pick(uint16_t())
                                       : pick(uint32_t());
}

template <class T>
static Outcome testProperty(Warp &warp, const Instruction &instruction,
                            uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    T x = warp.read<T>(instruction.slot[1], lane);
    // finite, infinite, number, notanumber, normal, subnormal
    const bool holds[] = {std::isfinite(x), std::isinf(x),
                          !std::isnan(x),   std::isnan(x),
                          std::isnormal(x), std::fpclassify(x) == FP_SUBNORMAL};
    warp.write<uint32_t>(instruction.slot[0], lane,
                         holds[instruction.number[0]]);
  });
  return Outcome::Next;
}

static void decodeTest(Decoder &d) {
  d.result.number[0] = d.expectOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Type type = d.takeType();
  require(type.is(Type::Float, 32) || type.is(Type::Float, 64),
          "this type is not known here");
  takeOperands(d, {Type::Predicate, 1}, type, 1);
  d.result.execute =
      type.bits == 64 ? testProperty<double> : testProperty<float>;
}

void mixattn::emulator::addCompareRules(RuleTable &rules) {
  rules["setp"] = decodeSetp;
  rules["set"] = decodeSet;
  rules["testp"] = decodeTest;
  rules["selp"] = decodeSelect;
  rules["slct"] = decodeSelect;
}
