// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, atom and red: lanes act one after the other.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
enum Operation {
  Add,
  Minimum,
  Maximum,
  And,
  Or,
  Xor,
  Exchange,
  CompareAndSwap,
  Increment,
  Decrement
};
} // namespace

template <class T> static T apply(int operation, T old, T value, T swap) {
  switch (operation) {
  case Add:
    return old + value;
  case Minimum:
    return std::min(old, value);
  case Maximum:
    return std::max(old, value);
  case Exchange:
    return value;
  case CompareAndSwap:
    return old == value ? swap : old;
  default:
    break;
  }
  if constexpr (std::is_unsigned_v<T>) {
    switch (operation) {
    case And:
      return old & value;
    case Or:
      return old | value;
    case Xor:
      return old ^ value;
    case Increment:
      return old >= value ? 0 : old + 1;
    case Decrement:
      return old == 0 || old > value ? value : old - 1;
    default:
      break;
    }
  }
  fail("this operation is not known with this type");
}

template <class T>
static Outcome update(Warp &warp, const Instruction &instruction,
                      uint32_t lanes) {
  const auto &slot = instruction.slot;
  forLanes(lanes, [&](unsigned lane) {
    Resolved found = warp.store(instruction.space,
                                warp.address(instruction, 0, slot[1], lane),
                                sizeof(T), nullptr);
    if (found.space == Space::Shared)
      warp.block.requireWritten(found.offset, sizeof(T), warp.observer());
    T old;
    std::memcpy(&old, found.bytes, sizeof old);
    T swap = slot[3] == noSlot ? T() : warp.read<T>(slot[3], lane);
    T value =
        apply<T>(instruction.number[0], old, warp.read<T>(slot[2], lane), swap);
    std::memcpy(found.bytes, &value, sizeof value);
    if (slot[0] != noSlot)
      warp.write<T>(slot[0], lane, old);
  });
  return Outcome::Next;
}

static void decodeAtomic(Decoder &d) {
  auto &result = d.result;
  bool isReduction = d.statement.opcode[0] == "red";
  d.takeOneOf({"relaxed", "acquire", "release", "acq_rel"});
  d.takeOneOf({"cta", "gpu", "sys", "cluster"});
  int space = d.takeOneOf({"global", "shared", "shared::cta"});
  if (space >= 0)
    result.space = space ? Space::Shared : Space::Global;
  int operation = result.number[0] = d.expectOneOf(
      {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  d.take("noftz");
  Type type = d.takeType();
  size_t sources = operation == CompareAndSwap ? 2 : 1;
  size_t first = isReduction ? 0 : 1;
  d.expectOperands(first + 1 + sources, first + 1 + sources);
  d.address(d.operand(first), 0, 1);
  for (size_t i = 0; i < sources; ++i)
    result.slot[2 + i] = d.source(d.operand(first + 1 + i), type);
  if (!isReduction && d.operand(0).kind != Expression::Sink)
    result.slot[0] = d.destination(d.operand(0), type);
  if (type.is(Type::Float, 32))
    result.execute = update<float>;
  else if (type.is(Type::Float, 64))
    result.execute = update<double>;
  else if (type.is(Type::Signed, 32))
    result.execute = update<int32_t>;
  else if (type.is(Type::Signed, 64))
    result.execute = update<int64_t>;
  else if (type.isInteger() && type.bits == 32)
    result.execute = update<uint32_t>;
  else if (type.isInteger() && type.bits == 64)
    result.execute = update<uint64_t>;
  else
    fail("this type is not emulated here");
}

void mixattn::emulator::addAtomicRules(RuleTable &rules) {
  rules["atom"] = decodeAtomic;
  rules["red"] = decodeAtomic;
}
