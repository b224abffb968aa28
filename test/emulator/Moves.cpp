// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, mov, cvta, mapa: registers, vectors of registers, addresses.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
template <class T> struct Same {
  T operator()(T value) const { return value; }
};
} // namespace

static void decodeMove(Decoder &d) {
  Type type = d.takeType();
  d.expectOperands(2, 2);
  const Expression &to = d.operand(0), &from = d.operand(1);
  auto &result = d.result;
  if (to.kind != Expression::Vector && from.kind != Expression::Vector) {
    takeOperands(d, type, type, 1);
    result.execute = type.bits == 64 ? unary<uint64_t, uint64_t, Same<uint64_t>>
                     : type.bits == 16
                         ? unary<uint16_t, uint16_t, Same<uint16_t>>
                         : unary<uint32_t, uint32_t, Same<uint32_t>>;
    require(type.bits != 128 && type.bits != 8, "this type is not known here");
    return;
  }
  // Parts of a register, the lowest bits first.
  auto takeList = [&](const Expression &expression, bool isSource) {
    size_t count =
        expression.kind == Expression::Vector ? expression.parts.size() : 1;
    require(count && type.bits % count == 0, "the number of elements is wrong");
    Type part = {Type::Bits, unsigned(type.bits / count)};
    require(part.bits == 8 || part.bits == 16 || part.bits == 32 ||
                part.bits == 64 || part.bits == 128,
            "the number of elements is wrong");
    result.number[isSource ? 1 : 0] = part.bits;
    return isSource ? d.sources(expression, part, count)
                    : d.destinations(expression, part, count);
  };
  result.list[1] = takeList(from, true);
  result.list[0] = takeList(to, false);
  result.execute = [](Warp &warp, const Instruction &instruction,
                      uint32_t lanes) {
    unsigned toBits = instruction.number[0], fromBits = instruction.number[1];
    auto read = [&](Slot slot, unsigned bits, unsigned lane,
                    unsigned __int128 &whole, unsigned at) {
      for (unsigned i = 0; i < bits; i += 32) {
        uint32_t value = warp.read<uint32_t>(slot + i / 32, lane);
        if (bits < 32)
          value &= (1u << bits) - 1;
        whole |= static_cast<unsigned __int128>(value) << (at + i);
      }
    };
    forLanes(lanes, [&](unsigned lane) {
      unsigned __int128 whole = 0;
      unsigned at = 0;
      for (Slot slot : instruction.list[1]) {
        read(slot, fromBits, lane, whole, at);
        at += fromBits;
      }
      for (Slot slot : instruction.list[0]) {
        if (slot != noSlot) {
          for (unsigned i = 0; i < toBits; i += 32) {
            uint32_t value = static_cast<uint32_t>(whole >> i);
            if (toBits < 32)
              value &= (1u << toBits) - 1;
            warp.write<uint32_t>(slot + i / 32, lane, value);
          }
        }
        whole >>= toBits < 128 ? toBits : 0;
      }
    });
    return Outcome::Next;
  };
}

/// Adds a number to addresses; generic ones of another space stay errors at
/// their use.
static Outcome shiftAddress(Warp &warp, const Instruction &instruction,
                            uint32_t lanes) {
  uint64_t window = instruction.space == Space::Shared      ? sharedWindow
                    : instruction.space == Space::Parameter ? parameterWindow
                                                            : 0;
  bool isToSpace = instruction.number[0], isNarrow = instruction.number[1];
  forLanes(lanes, [&](unsigned lane) {
    uint64_t address = isNarrow
                           ? warp.read<uint32_t>(instruction.slot[1], lane)
                           : warp.read<uint64_t>(instruction.slot[1], lane);
    address = isToSpace ? address - window : address + window;
    if (isNarrow)
      warp.write<uint32_t>(instruction.slot[0], lane, address);
    else
      warp.write<uint64_t>(instruction.slot[0], lane, address);
  });
  return Outcome::Next;
}

static void decodeConvertAddress(Decoder &d) {
  d.result.number[0] = d.take("to");
  int space = d.expectOneOf(
      {"global", "shared", "shared::cta", "shared::cluster", "param", "const"});
  d.result.space = space == 0 || space == 5 ? Space::Global
                   : space == 4             ? Space::Parameter
                                            : Space::Shared;
  Type type = d.takeType();
  require(type.is(Type::Unsigned, 64), "expected .u64");
  takeOperands(d, type, type, 1);
  d.result.execute = shiftAddress;
}

/// mapa: the address of the block of that rank; a cluster has one block.
static Outcome mapAddress(Warp &warp, const Instruction &instruction,
                          uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    require(warp.read<uint32_t>(instruction.slot[2], lane) == 0,
            "clusters of several blocks are not emulated");
    if (instruction.type.bits == 64)
      warp.write(instruction.slot[0], lane,
                 warp.read<uint64_t>(instruction.slot[1], lane));
    else
      warp.write(instruction.slot[0], lane,
                 warp.read<uint32_t>(instruction.slot[1], lane));
  });
  return Outcome::Next;
}

static void decodeMap(Decoder &d) {
  d.take("shared::cluster");
  Type type = d.result.type = d.takeType();
  d.expectOperands(3, 3);
  d.result.slot[1] = d.source(d.operand(1), type);
  d.result.slot[2] = d.source(d.operand(2), {Type::Unsigned, 32});
  d.result.slot[0] = d.destination(d.operand(0), type);
  d.result.execute = mapAddress;
}

void mixattn::emulator::addMoveRules(RuleTable &rules) {
  rules["mov"] = decodeMove;
  rules["cvta"] = decodeConvertAddress;
  rules["mapa"] = decodeMap;
}
