// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, Parallel Synchronization: instructions on mbarriers.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
enum Field { IsParity, IsTest };
} // namespace

static uint64_t barrierAddress(const Warp &warp, const Instruction &instruction,
                               unsigned lane) {
  uint64_t address =
      sharedAddress(warp, instruction.space,
                    warp.address(instruction, 0, instruction.slot[1], lane));
  require(address % 8 == 0, "an mbarrier is aligned to 8 bytes");
  require(address + 8 <= warp.block.shared.size(),
          "the mbarrier is out of bounds of shared memory");
  return address;
}

static Mbarrier &barrierOf(Warp &warp, const Instruction &instruction,
                           unsigned lane) {
  return warp.block.mbarriers.find(barrierAddress(warp, instruction, lane),
                                   warp.observer());
}

static Outcome initialise(Warp &warp, const Instruction &instruction,
                          uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    uint64_t address = barrierAddress(warp, instruction, lane);
    uint32_t count = warp.read<uint32_t>(instruction.slot[2], lane);
    require(count >= 1 && count < (1 << 20),
            "an mbarrier expects 1 to 2^20 - 1 arrivals");
    warp.block.mbarriers.checkNone(address, 8);
    warp.block.sharedAccesses.write(address, 8, warp.observer());
    Mbarrier &barrier = warp.block.mbarriers.all[address];
    barrier.expected = barrier.pending = count;
    barrier.agent = warp.block.newAgent();
    barrier.maker = warp.agent;
    barrier.madeAt = warp.event;
    barrier.instruction = warp.group().place;
  });
  return Outcome::Next;
}

static Outcome invalidate(Warp &warp, const Instruction &instruction,
                          uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    Mbarrier &barrier = barrierOf(warp, instruction, lane);
    require(barrier.transfers.empty(),
            "copies that signal the mbarrier are under way");
    require(barrier.bytes == 0, "the mbarrier still expects bytes");
    uint64_t address = barrierAddress(warp, instruction, lane);
    warp.block.mbarriers.all.erase(address);
    warp.block.sharedAccesses.write(address, 8, warp.observer());
  });
  return Outcome::Next;
}

/// The state that an arrival gives: here, the phase.
static void writeState(Warp &warp, const Instruction &instruction,
                       unsigned lane, uint64_t phase) {
  if (instruction.slot[0] != noSlot)
    warp.write<uint64_t>(instruction.slot[0], lane, phase);
}

static Outcome arrive(Warp &warp, const Instruction &instruction,
                      uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    Mbarrier &barrier = barrierOf(warp, instruction, lane);
    uint32_t count = instruction.slot[2] == noSlot
                         ? 1
                         : warp.read<uint32_t>(instruction.slot[2], lane);
    require(count > 0, "a count of 0");
    writeState(warp, instruction, lane, barrier.phase);
    barrier.arrive(count, warp.knowledge);
  });
  warp.advance();
  return Outcome::Next;
}

static Outcome arriveAndExpect(Warp &warp, const Instruction &instruction,
                               uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    Mbarrier &barrier = barrierOf(warp, instruction, lane);
    writeState(warp, instruction, lane, barrier.phase);
    barrier.expectBytes(warp.read<uint32_t>(instruction.slot[2], lane));
    barrier.arrive(1, warp.knowledge);
  });
  warp.advance();
  return Outcome::Next;
}

static Outcome expectOnly(Warp &warp, const Instruction &instruction,
                          uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    barrierOf(warp, instruction, lane)
        .expectBytes(warp.read<uint32_t>(instruction.slot[2], lane));
  });
  return Outcome::Next;
}

static Outcome completeOnly(Warp &warp, const Instruction &instruction,
                            uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    barrierOf(warp, instruction, lane)
        .completeBytes(warp.read<uint32_t>(instruction.slot[2], lane),
                       warp.observer());
  });
  warp.advance();
  return Outcome::Next;
}

/// Whether the phase that a lane waits for is complete.
static bool isComplete(const Warp &warp, const Instruction &instruction,
                       const Mbarrier &barrier, unsigned lane) {
  if (instruction.number[IsParity]) {
    // The ISA says 0 or 1; of other numbers, such as the -1 that Triton gives,
    // the lowest bit counts.
    uint32_t parity = warp.read<uint32_t>(instruction.slot[2], lane) & 1;
    return (barrier.phase & 1) != parity;
  }
  uint64_t state = warp.read<uint64_t>(instruction.slot[2], lane);
  require(state + 1 >= barrier.phase,
          "the state is not of the current or the preceding phase");
  return barrier.phase > state;
}

/// test_wait and try_wait may say that the time is up: here, each asks twice
/// for a phase whose end the warp does not know, and only the second answer may
/// be that it is complete. Code that does not ask again is found out.
static Outcome wait(Warp &warp, const Instruction &instruction,
                    uint32_t lanes) {
  uint32_t ready = 0;
  std::map<uint64_t, uint64_t> asksFor;
  forLanes(lanes, [&](unsigned lane) {
    Mbarrier &barrier = barrierOf(warp, instruction, lane);
    bool complete = isComplete(warp, instruction, barrier, lane);
    uint64_t end = barrier.phase + !complete;
    uint64_t address = barrierAddress(warp, instruction, lane);
    if (warp.askedFor[address] != end &&
        warp.knowledge.generic.of(barrier.agent) < end) {
      asksFor[address] = end;
      return;
    }
    // As late as the wait allows: now.
    if (!complete)
      barrier.land();
    if (isComplete(warp, instruction, barrier, lane)) {
      ready |= 1u << lane;
      warp.learn(barrier.result);
    }
  });
  if (ready != lanes && asksFor.empty())
    return Outcome::Blocked;
  for (auto [address, end] : asksFor)
    warp.askedFor[address] = end;
  forLanes(lanes, [&](unsigned lane) {
    warp.write<uint32_t>(instruction.slot[0], lane, ready >> lane & 1);
  });
  return Outcome::Next;
}

static void takeSpace(Decoder &d) {
  if (d.takeOneOf({"shared", "shared::cta", "shared::cluster"}) >= 0)
    d.result.space = Space::Shared;
}

/// .sem and .scope: release arrivals and acquire waits are the default.
static void takeOrder(Decoder &d) {
  int order = d.takeOneOf({"release", "acquire", "relaxed"});
  require(order != 2, "'.relaxed' is not emulated");
  d.takeOneOf({"cta", "cluster"});
}

static void decodeArrive(Decoder &d) {
  auto &result = d.result;
  bool expects = d.take("expect_tx");
  takeOrder(d);
  takeSpace(d);
  d.expect("b64");
  // The state may be missing, or be `_`.
  bool hasState = d.operand(0).kind != Expression::Address;
  size_t first = hasState ? 1 : 0;
  d.expectOperands(first + 1 + expects, first + 2);
  d.address(d.operand(first), 0, 1);
  if (d.operandCount() > first + 1)
    result.slot[2] = d.source(d.operand(first + 1), {Type::Unsigned, 32});
  if (hasState && d.operand(0).kind != Expression::Sink)
    result.slot[0] = d.destination(d.operand(0), {Type::Bits, 64});
  result.execute = expects ? arriveAndExpect : arrive;
}

static void decodeWait(Decoder &d, bool isTest) {
  auto &result = d.result;
  result.number[IsTest] = isTest;
  result.number[IsParity] = d.take("parity");
  takeOrder(d);
  takeSpace(d);
  d.expect("b64");
  d.expectOperands(3, isTest ? 3 : 4);
  d.address(d.operand(1), 0, 1);
  result.slot[2] =
      d.source(d.operand(2), result.number[IsParity] ? Type{Type::Unsigned, 32}
                                                     : Type{Type::Bits, 64});
  if (d.operandCount() == 4)
    d.source(d.operand(3), {Type::Unsigned, 32});
  result.slot[0] = d.destination(d.operand(0), {Type::Predicate, 1});
  result.execute = wait;
}

static void decodeMbarrier(Decoder &d) {
  auto &result = d.result;
  switch (d.expectOneOf({"init", "inval", "arrive", "expect_tx", "complete_tx",
                         "test_wait", "try_wait"})) {
  case 0:
    takeSpace(d);
    d.expect("b64");
    d.expectOperands(2, 2);
    d.address(d.operand(0), 0, 1);
    result.slot[2] = d.source(d.operand(1), {Type::Unsigned, 32});
    result.execute = initialise;
    return;
  case 1:
    takeSpace(d);
    d.expect("b64");
    d.expectOperands(1, 1);
    d.address(d.operand(0), 0, 1);
    result.execute = invalidate;
    return;
  case 2:
    return decodeArrive(d);
  case 3:
  case 4:
    result.execute =
        d.statement.opcode[1] == "expect_tx" ? expectOnly : completeOnly;
    d.take("relaxed");
    d.takeOneOf({"cta", "cluster"});
    takeSpace(d);
    d.expect("b64");
    d.expectOperands(2, 2);
    d.address(d.operand(0), 0, 1);
    result.slot[2] = d.source(d.operand(1), {Type::Unsigned, 32});
    return;
  case 5:
    return decodeWait(d, true);
  default:
    return decodeWait(d, false);
  }
}

void mixattn::emulator::addMbarrierRules(RuleTable &rules) {
  rules["mbarrier"] = decodeMbarrier;
}
