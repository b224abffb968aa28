// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, mma.sync: D = A B + C of one warp.
#include "Fragments.h"
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
/// K; whether C and D have 16 bits.
enum Field { Depth, HasHalfSums };
} // namespace

/// The value of an element: of 16 bits at a half of a register, or tf32, of
/// which the last 13 bits are ignored.
static float element(const Warp &warp, const std::vector<Slot> &registers,
                     Holder holder, Type type) {
  uint32_t bits = warp.read<uint32_t>(registers[holder.reg], holder.lane);
  if (type.kind == Type::Tensor32)
    return bitCast<float>(bits & ~0x1fffu);
  uint16_t half = bits >> (16 * holder.element);
  return type.kind == Type::Brain ? float(double(Brain::ofBits(half)))
                                  : float(double(Half::ofBits(half)));
}

static Outcome multiply(Warp &warp, const Instruction &instruction,
                        uint32_t lanes) {
  warp.requireAllLanes(lanes);
  unsigned depth = instruction.number[Depth];
  Type type = instruction.type;
  bool isSingle = type.kind == Type::Tensor32;
  float a[16][16], b[16][8];
  for (unsigned k = 0; k < depth; ++k) {
    for (unsigned row = 0; row < 16; ++row)
      a[row][k] =
          element(warp, instruction.list[1],
                  isSingle ? holderOfSingleA(row, k) : holderOfA(row, k), type);
    for (unsigned column = 0; column < 8; ++column)
      b[k][column] = element(
          warp, instruction.list[2],
          isSingle ? holderOfSingleB(k, column) : holderOfB(k, column), type);
  }
  // Products are exact in f64. The sum is rounded once; the chip's order and
  // rounding of sums are not documented.
  bool hasHalves = instruction.number[HasHalfSums];
  uint32_t results[4][lanesOfWarp] = {};
  for (unsigned row = 0; row < 16; ++row) {
    auto holderOf = [&](unsigned column) {
      return hasHalves ? holderOfHalfD(row, column) : holderOfD(row, column);
    };
    double sums[8];
    for (unsigned column = 0; column < 8; ++column) {
      Holder holder = holderOf(column);
      uint32_t bits =
          warp.read<uint32_t>(instruction.list[3][holder.reg], holder.lane);
      sums[column] = hasHalves
                         ? double(Half::ofBits(bits >> 16 * holder.element))
                         : bitCast<float>(bits);
    }
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned column = 0; column < 8; ++column)
        sums[column] += double(a[row][k]) * b[k][column];
    for (unsigned column = 0; column < 8; ++column) {
      Holder holder = holderOf(column);
      results[holder.reg][holder.lane] |=
          hasHalves ? uint32_t(Half(sums[column]).bits) << 16 * holder.element
                    : bitCast<uint32_t>(float(sums[column]));
    }
  }
  for (size_t i = 0; i < instruction.list[0].size(); ++i)
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      warp.write(instruction.list[0][i], lane, results[i][lane]);
  return Outcome::Next;
}

static void decode(Decoder &d) {
  auto &result = d.result;
  d.expect("sync");
  d.expect("aligned");
  int depth = result.number[Depth] =
      d.expectOneOf({"m16n8k8", "m16n8k16"}) ? 16 : 8;
  d.expect("row");
  d.expect("col");
  Type sums = d.takeType(), type = d.takeType(), other = d.takeType();
  Type addend = d.takeType();
  result.type = type;
  bool isSingle = type.is(Type::Tensor32, 32);
  bool isHalf = type.is(Type::Float, 16);
  require(
      type == other && sums == addend &&
          (isSingle || isHalf || type.is(Type::Brain, 16)) &&
          (sums.is(Type::Float, 32) || (isHalf && sums.is(Type::Float, 16))) &&
          (!isSingle || depth == 8),
      "these types are not emulated");
  result.number[HasHalfSums] = sums.bits == 16;
  size_t perSum = sums.bits == 16 ? 2 : 4;
  size_t left = isSingle || depth == 16 ? 4 : 2;
  d.expectOperands(4, 4);
  Type bits = {Type::Bits, 32};
  result.list[1] = d.sources(d.operand(1), bits, left);
  result.list[2] = d.sources(d.operand(2), bits, left / 2);
  result.list[3] = d.sources(d.operand(3), bits, perSum);
  result.list[0] = d.destinations(d.operand(0), bits, perSum);
  result.isConvergent = true;
  result.execute = multiply;
}

void mixattn::emulator::addMmaRules(RuleTable &rules) { rules["mma"] = decode; }
