// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, cvt: between integers, fractions, and pairs of them.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
/// Places in instruction.number.
enum Field { Rounding, ToInteger, IsFlushed, IsLimited, IsRelu };
/// .rn, .rz, .rm, .rp, .rna
enum Mode { None = -1, Nearest, Zero, Down, Up, NearestAway };

/// A value on its way: an integer, or a number with a fraction, in which every
/// f32, f16 and bf16 is exact.
struct Value {
  bool isFloat = false;
  double fraction = 0;
  __int128 integer = 0;
};
} // namespace

static Value readValue(const Warp &warp, Slot slot, unsigned lane, Type type,
                       bool isFlushed) {
  Value value;
  value.isFloat = type.isFloat();
  if (type.kind == Type::Brain) {
    value.fraction = warp.read<Brain>(slot, lane);
  } else if (type.isFloat()) {
    float single = type.bits == 32 ? warp.read<float>(slot, lane) : 0;
    value.fraction = type.bits == 64   ? warp.read<double>(slot, lane)
                     : type.bits == 16 ? double(warp.read<Half>(slot, lane))
                     : isFlushed       ? flushed(single)
                                       : single;
  } else {
    uint64_t bits = type.bits == 64 ? warp.read<uint64_t>(slot, lane)
                                    : warp.read<uint32_t>(slot, lane);
    unsigned unused = 64 - type.bits;
    bits <<= unused;
    if (type.isSigned())
      value.integer = int64_t(bits) >> unused;
    else
      value.integer = bits >> unused;
  }
  return value;
}

static double toIntegral(double value, int mode) {
  switch (mode) {
  case Nearest:
    return std::nearbyint(value);
  case Zero:
    return std::trunc(value);
  case Down:
    return std::floor(value);
  default:
    return std::ceil(value);
  }
}

/// The integer closest to a value that the type has; NaN is 0.
static uint64_t limited(Value value, Type type) {
  __int128 least = type.isSigned() ? -(__int128(1) << (type.bits - 1)) : 0;
  __int128 most =
      (__int128(1) << (type.isSigned() ? type.bits - 1 : type.bits)) - 1;
  if (value.isFloat) {
    if (std::isnan(value.fraction))
      return 0;
    double bounded = std::max(-1e30, std::min(1e30, value.fraction));
    value.integer = static_cast<__int128>(bounded);
  }
  return static_cast<uint64_t>(std::max(least, std::min(most, value.integer)));
}

/// A number with 10 bits of fraction; ties go away from zero, or to even.
static float toTensor32(float value, int mode) {
  uint32_t bits = bitCast<uint32_t>(value);
  if (!std::isfinite(value))
    return std::isnan(value) ? bitCast<float>(0x7fffffffu) : value;
  uint32_t half = mode == NearestAway ? 0x1000 : 0xfff + ((bits >> 13) & 1);
  if (mode == Zero)
    half = 0;
  return bitCast<float>((bits + half) & ~0x1fffu);
}

static double fractionOf(const Instruction &instruction, Value value) {
  double result = value.isFloat ? value.fraction : double(value.integer);
  if (instruction.number[IsRelu] && !std::isnan(result))
    result = std::max(result, 0.0);
  if (instruction.number[IsLimited])
    result = std::isnan(result) ? 0 : std::max(0.0, std::min(1.0, result));
  return result;
}

/// f16 or bf16 towards zero.
template <class H> static H towardsZero(double value) {
  H result(value);
  if (std::isfinite(value) && std::fabs(double(result)) > std::fabs(value))
    --result.bits;
  return result;
}

template <class H>
static H toHalf(const Instruction &instruction, Value value) {
  double fraction = fractionOf(instruction, value);
  return instruction.number[Rounding] == Zero ? towardsZero<H>(fraction)
                                              : H(fraction);
}

static void writeFraction(Warp &warp, const Instruction &instruction,
                          unsigned lane, Value value) {
  Type type = instruction.type;
  Slot slot = instruction.slot[0];
  if (value.isFloat && instruction.number[ToInteger] >= 0)
    value.fraction = toIntegral(value.fraction, instruction.number[ToInteger]);
  if (type.kind == Type::Brain)
    return warp.write(slot, lane, toHalf<Brain>(instruction, value));
  if (type.bits == 16)
    return warp.write(slot, lane, toHalf<Half>(instruction, value));
  if (type.bits == 64)
    return warp.write(slot, lane, fractionOf(instruction, value));
  // Integers of 64 bits are rounded once.
  bool isPlainInteger = !value.isFloat && !instruction.number[IsLimited];
  float single = isPlainInteger ? float(value.integer)
                                : float(fractionOf(instruction, value));
  if (type.kind == Type::Tensor32)
    single = toTensor32(single, instruction.number[Rounding]);
  warp.write(slot, lane,
             instruction.number[IsFlushed] ? flushed(single) : single);
}

static Outcome convert(Warp &warp, const Instruction &instruction,
                       uint32_t lanes) {
  Type type = instruction.type;
  unsigned width = instruction.number[5];
  forLanes(lanes, [&](unsigned lane) {
    Value value = readValue(warp, instruction.slot[1], lane, instruction.from,
                            instruction.number[IsFlushed]);
    if (type.isFloat())
      return writeFraction(warp, instruction, lane, value);
    if (value.isFloat)
      value.fraction =
          toIntegral(value.fraction, instruction.number[ToInteger]);
    uint64_t bits = value.isFloat || instruction.number[IsLimited]
                        ? limited(value, type)
                        : static_cast<uint64_t>(value.integer);
    // A wider register gets the sign or zeros above.
    unsigned unused = 64 - type.bits;
    bits <<= unused;
    bits = type.isSigned() ? int64_t(bits) >> unused : bits >> unused;
    if (width == 64)
      warp.write<uint64_t>(instruction.slot[0], lane, bits);
    else if (width == 16)
      warp.write<uint16_t>(instruction.slot[0], lane, bits);
    else
      warp.write<uint32_t>(instruction.slot[0], lane, bits);
  });
  return Outcome::Next;
}

/// cvt.rn.bf16x2.f32 d, a, b: a becomes the high half.
template <class H>
static Outcome convertPair(Warp &warp, const Instruction &instruction,
                           uint32_t lanes) {
  auto half = [&](Slot slot, unsigned lane) {
    Value value;
    value.isFloat = true;
    value.fraction = warp.read<float>(slot, lane);
    return toHalf<H>(instruction, value);
  };
  forLanes(lanes, [&](unsigned lane) {
    Pair<H> result = {half(instruction.slot[2], lane),
                      half(instruction.slot[1], lane)};
    warp.write(instruction.slot[0], lane, result);
  });
  return Outcome::Next;
}

static void checkRounding(const Instruction &result) {
  Type to = result.type, from = result.from;
  int rounding = result.number[Rounding], integral = result.number[ToInteger];
  if (to.isFloat() && from.isFloat()) {
    bool narrows = to.bits < from.bits || to.kind == Type::Tensor32 ||
                   (to.kind != from.kind && to.bits == from.bits);
    require(!narrows || rounding >= 0, "expected a rounding");
    require(narrows || rounding < 0, "a rounding makes no sense here");
    require(integral < 0 || to == from, "this rounding makes no sense here");
  } else if (to.isFloat()) {
    require(rounding >= 0 && integral < 0, "expected a rounding");
  } else if (from.isFloat()) {
    require(integral >= 0 && rounding < 0, "expected .rni, .rzi, .rmi or .rpi");
  } else {
    require(integral < 0 && rounding < 0, "a rounding makes no sense here");
  }
  require(rounding != Down && rounding != Up,
          "this rounding is not emulated here");
  bool isPlain = rounding <= Nearest || (rounding == Zero && to.bits == 16) ||
                 to.kind == Type::Tensor32;
  require(isPlain, "this rounding is not emulated here");
}

static void decodeConvert(Decoder &d) {
  auto &number = d.result.number;
  number[Rounding] = number[ToInteger] = None;
  number[ToInteger] = d.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  if (number[ToInteger] < 0)
    number[Rounding] = d.takeOneOf({"rn", "rz", "rm", "rp", "rna"});
  // The order of these differs among producers.
  for (bool found = true; found;) {
    found = false;
    if (d.take("ftz"))
      found = number[IsFlushed] = 1;
    if (d.take("relu"))
      found = number[IsRelu] = 1;
    if (d.take("satfinite") || d.take("sat"))
      found = number[IsLimited] = 1;
  }
  Type to = d.result.type = d.takeType();
  Type from = d.result.from = d.takeType();
  if (to.isPair) {
    require(from.is(Type::Float, 32) && !number[IsLimited] &&
                (number[Rounding] == Nearest || number[Rounding] == Zero),
            "this conversion is not emulated");
    takeOperands(d, to, from, 2);
    d.result.execute =
        to.kind == Type::Float ? convertPair<Half> : convertPair<Brain>;
    return;
  }
  require(!from.isPair && to.kind != Type::Predicate &&
              from.kind != Type::Predicate,
          "this conversion is not emulated");
  require(!number[IsRelu] || to.bits == 16 || to.kind == Type::Tensor32,
          "'.relu' is not known here");
  checkRounding(d.result);
  d.expectOperands(2, 2);
  d.result.slot[1] = d.source(d.operand(1), from, true);
  d.result.slot[0] = d.destination(d.operand(0), to, true);
  number[5] = d.widthOf(d.operand(0), to);
  d.result.execute = convert;
}

void mixattn::emulator::addConvertRules(RuleTable &rules) {
  rules["cvt"] = decodeConvert;
}
