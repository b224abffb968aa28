// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, shfl.sync, vote.sync, redux.sync, elect.sync, activemask: lanes of a
// warp that exchange values.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
enum Mode { Up, Down, Butterfly, Index };
enum Vote { All, Any, Uniform, Ballot };
} // namespace

/// The lane that a lane reads, and whether it is in range (PTX ISA, shfl.sync).
static std::pair<unsigned, bool> sourceLane(int mode, unsigned lane, uint32_t b,
                                            uint32_t c) {
  unsigned clamp = c & 31, segment = c >> 8 & 31, by = b & 31;
  unsigned last = (lane & segment) | (clamp & ~segment);
  unsigned first = lane & segment;
  int from = 0;
  switch (mode) {
  case Up:
    from = int(lane) - int(by);
    return {from, from >= int(last)};
  case Down:
    from = lane + by;
    break;
  case Butterfly:
    from = lane ^ by;
    break;
  default:
    from = first | (by & ~segment);
  }
  return {from, from <= int(last)};
}

static Outcome shuffle(Warp &warp, const Instruction &instruction,
                       uint32_t lanes) {
  const auto &slot = instruction.slot;
  uint32_t results[lanesOfWarp];
  forLanes(lanes, [&](unsigned lane) {
    auto [from, inRange] = sourceLane(instruction.number[0], lane,
                                      warp.read<uint32_t>(slot[3], lane),
                                      warp.read<uint32_t>(slot[4], lane));
    if (!inRange)
      from = lane;
    require(lanes >> from & 1, "a lane reads from one that takes no part");
    results[lane] = warp.read<uint32_t>(slot[2], from);
    if (slot[1] != noSlot)
      warp.write<uint32_t>(slot[1], lane, inRange);
  });
  forLanes(lanes, [&](unsigned lane) {
    warp.write<uint32_t>(slot[0], lane, results[lane]);
  });
  return Outcome::Next;
}

static void decodeShuffle(Decoder &d) {
  auto &result = d.result;
  d.expect("sync");
  result.number[0] = d.expectOneOf({"up", "down", "bfly", "idx"});
  d.expect("b32");
  d.expectOperands(5, 5);
  for (int i : {1, 2, 3})
    result.slot[i + 1] = d.source(d.operand(i), {Type::Bits, 32});
  result.members = d.source(d.operand(4), {Type::Bits, 32});
  result.isConvergent = true;
  const Expression &to = d.operand(0);
  bool hasPredicate = to.kind == Expression::Both;
  result.slot[0] =
      d.destination(hasPredicate ? to.parts[0] : to, {Type::Bits, 32});
  if (hasPredicate && to.parts[1].kind != Expression::Sink)
    result.slot[1] = d.destination(to.parts[1], {Type::Predicate, 1});
  result.execute = shuffle;
}

static Outcome vote(Warp &warp, const Instruction &instruction,
                    uint32_t lanes) {
  uint32_t holds =
      warp.lanesWhere(instruction.slot[1], instruction.number[1], lanes);
  uint32_t value = 0;
  switch (instruction.number[0]) {
  case All:
    value = holds == lanes;
    break;
  case Any:
    value = holds != 0;
    break;
  case Uniform:
    value = holds == lanes || holds == 0;
    break;
  default:
    value = holds;
  }
  forLanes(lanes, [&](unsigned lane) {
    warp.write<uint32_t>(instruction.slot[0], lane, value);
  });
  return Outcome::Next;
}

static void decodeVote(Decoder &d) {
  auto &result = d.result;
  d.expect("sync");
  int mode = result.number[0] = d.expectOneOf({"all", "any", "uni", "ballot"});
  d.expect(mode == Ballot ? "b32" : "pred");
  d.expectOperands(3, 3);
  result.number[1] = d.predicate(d.operand(1), 1);
  result.members = d.source(d.operand(2), {Type::Bits, 32});
  result.isConvergent = true;
  result.slot[0] =
      d.destination(d.operand(0), mode == Ballot ? Type{Type::Bits, 32}
                                                 : Type{Type::Predicate, 1});
  result.execute = vote;
}

static Outcome elect(Warp &warp, const Instruction &instruction,
                     uint32_t lanes) {
  unsigned leader = __builtin_ctz(lanes);
  forLanes(lanes, [&](unsigned lane) {
    if (instruction.slot[0] != noSlot)
      warp.write<uint32_t>(instruction.slot[0], lane, leader);
    warp.write<uint32_t>(instruction.slot[1], lane, lane == leader);
  });
  return Outcome::Next;
}

static void decodeElect(Decoder &d) {
  auto &result = d.result;
  d.expect("sync");
  d.expectOperands(2, 2);
  result.members = d.source(d.operand(1), {Type::Bits, 32});
  result.isConvergent = true;
  const Expression &to = d.operand(0);
  require(to.kind == Expression::Both, "expected d|p");
  if (to.parts[0].kind != Expression::Sink)
    result.slot[0] = d.destination(to.parts[0], {Type::Bits, 32});
  result.slot[1] = d.destination(to.parts[1], {Type::Predicate, 1});
  result.execute = elect;
}

template <class T>
static Outcome reduce(Warp &warp, const Instruction &instruction,
                      uint32_t lanes) {
  bool isFirst = true;
  T total = 0;
  forLanes(lanes, [&](unsigned lane) {
    T value = warp.read<T>(instruction.slot[1], lane);
    if (std::exchange(isFirst, false)) {
      total = value;
      return;
    }
    switch (instruction.number[0]) {
    case 0:
      total = uint32_t(total) + uint32_t(value);
      break;
    case 1:
      total = std::min(total, value);
      break;
    case 2:
      total = std::max(total, value);
      break;
    case 3:
      total &= value;
      break;
    case 4:
      total |= value;
      break;
    default:
      total ^= value;
    }
  });
  forLanes(lanes, [&](unsigned lane) {
    warp.write<T>(instruction.slot[0], lane, total);
  });
  return Outcome::Next;
}

static void decodeReduce(Decoder &d) {
  auto &result = d.result;
  d.expect("sync");
  result.number[0] = d.expectOneOf({"add", "min", "max", "and", "or", "xor"});
  Type type = d.takeType();
  require(type.bits == 32 && type.isInteger(), "this type is not known here");
  d.expectOperands(3, 3);
  result.slot[1] = d.source(d.operand(1), type);
  result.members = d.source(d.operand(2), {Type::Bits, 32});
  result.isConvergent = true;
  result.slot[0] = d.destination(d.operand(0), type);
  result.execute = type.isSigned() ? reduce<int32_t> : reduce<uint32_t>;
}

static void decodeActiveMask(Decoder &d) {
  d.expect("b32");
  d.expectOperands(1, 1);
  d.result.slot[0] = d.destination(d.operand(0), {Type::Bits, 32});
  d.result.execute = [](Warp &warp, const Instruction &instruction,
                        uint32_t lanes) {
    forLanes(lanes, [&](unsigned lane) {
      warp.write<uint32_t>(instruction.slot[0], lane, lanes);
    });
    return Outcome::Next;
  };
}

void mixattn::emulator::addShuffleRules(RuleTable &rules) {
  rules["shfl"] = decodeShuffle;
  rules["vote"] = decodeVote;
  rules["elect"] = decodeElect;
  rules["redux"] = decodeReduce;
  rules["activemask"] = decodeActiveMask;
}
