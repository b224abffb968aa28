// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approximate functions, which err by up to their documented bound (PTX ISA,
// ex2, lg2, tanh, sin, cos, rcp, rsqrt, sqrt).
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
enum Function {
  Exponential,
  Logarithm,
  Tangent,
  Sine,
  Cosine,
  Reciprocal,
  InverseRoot,
  Root
};
} // namespace

static double exactValue(int function, double x) {
  switch (function) {
  case Exponential:
    return std::exp2(x);
  case Logarithm:
    return std::log2(x);
  case Tangent:
    return std::tanh(x);
  case Sine:
    return std::sin(x);
  case Cosine:
    return std::cos(x);
  case Reciprocal:
    return 1 / x;
  case InverseRoot:
    return 1 / std::sqrt(x);
  default:
    return std::sqrt(x);
  }
}

/// The largest error at a value: 2^-22 relative for ex2; 2^-22 absolute for
/// lg2 near 1, elsewhere relative; 2^-11 relative for tanh; 2^-20.9 absolute
/// for sin and cos; one unit in the last place for rcp, rsqrt and sqrt.
static double bound(int function, double x, double value) {
  switch (function) {
  case Exponential:
    return std::ldexp(std::fabs(value), -22);
  case Logarithm:
    return x > 0.5 && x < 2 ? std::ldexp(1.0, -22)
                            : std::ldexp(std::fabs(value), -22);
  case Tangent:
    return std::ldexp(std::fabs(value), -11);
  case Sine:
  case Cosine:
    return std::exp2(-20.9);
  default:
    return std::ldexp(std::fabs(value), -23);
  }
}

/// A bit that depends on the seed and the operand only, so that the same
/// operand always gives the same result.
static bool signOf(uint64_t seed, uint32_t bits) {
  uint64_t mixed = (seed + 0x9e3779b97f4a7c15ull) ^ bits;
  mixed = (mixed ^ (mixed >> 31)) * 0xbf58476d1ce4e5b9ull;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
  return mixed >> 63;
}

static float approximate(const Warp &warp, int function, float x) {
  double value = exactValue(function, x);
  const Options &options = warp.block.device.options;
  // Infinities, zeros and NaN are exact; so are powers of two of integers.
  bool isExact = !options.approximates || !std::isfinite(value) || value == 0 ||
                 (function == Exponential && x == std::floor(x)) ||
                 (function == Logarithm && value == std::floor(value));
  if (!isExact) {
    double error = bound(function, x, value);
    value += signOf(options.seed, bitCast<uint32_t>(x)) ? error : -error;
    if (function == Tangent || function == Sine || function == Cosine)
      value = std::max(-1.0, std::min(1.0, value));
  }
  if (std::isnan(value))
    return bitCast<float>(0x7fffffffu);
  return static_cast<float>(value);
}

static Outcome ofSingles(Warp &warp, const Instruction &instruction,
                         uint32_t lanes) {
  bool isFlushed = instruction.number[1];
  forLanes(lanes, [&](unsigned lane) {
    float x = warp.read<float>(instruction.slot[1], lane);
    // Without .ftz, tanh and the others still take subnormal numbers.
    float result =
        approximate(warp, instruction.number[0], isFlushed ? flushed(x) : x);
    warp.write<float>(instruction.slot[0], lane,
                      isFlushed ? flushed(result) : result);
  });
  return Outcome::Next;
}

template <class H>
static Outcome ofHalves(Warp &warp, const Instruction &instruction,
                        uint32_t lanes) {
  auto apply = [&](H x) {
    return H(approximate(warp, instruction.number[0],
                         static_cast<float>(double(x))));
  };
  forLanes(lanes, [&](unsigned lane) {
    if (instruction.type.isPair) {
      auto x = warp.read<Pair<H>>(instruction.slot[1], lane);
      warp.write<Pair<H>>(instruction.slot[0], lane,
                          {apply(x.low), apply(x.high)});
    } else {
      warp.write<H>(instruction.slot[0], lane,
                    apply(warp.read<H>(instruction.slot[1], lane)));
    }
  });
  return Outcome::Next;
}

template <int function> static void decode(Decoder &d) {
  if ((function == Root || function == Reciprocal) &&
      d.statement.opcode.size() > 1 && d.statement.opcode[1][0] == 'r')
    return decodeExactRoot(d);
  d.expect("approx");
  d.result.number = {function, d.take("ftz")};
  Type type = d.result.type = d.takeType();
  require(type.isFloat() && type.bits <= 32, "this type is not known here");
  bool isSingle = type.is(Type::Float, 32);
  require(isSingle || function == Exponential || function == Tangent,
          "this type is not known here");
  takeOperands(d, type, type, 1);
  d.result.execute = isSingle                   ? ofSingles
                     : type.kind == Type::Float ? ofHalves<Half>
                                                : ofHalves<Brain>;
}

void mixattn::emulator::addApproximateRules(RuleTable &rules) {
  rules["ex2"] = decode<Exponential>;
  rules["lg2"] = decode<Logarithm>;
  rules["tanh"] = decode<Tangent>;
  rules["sin"] = decode<Sine>;
  rules["cos"] = decode<Cosine>;
  rules["rcp"] = decode<Reciprocal>;
  rules["rsqrt"] = decode<InverseRoot>;
  rules["sqrt"] = decode<Root>;
}
