// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, bar, barrier, barrier.cluster, bar.warp.sync: warps that meet.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
enum Field { IsArrival, HasCount };
} // namespace

static Barrier &barrierOf(Warp &warp, const Instruction &instruction,
                          uint32_t lanes) {
  uint64_t number =
      warp.uniform(instruction.slot[0], 1, lanes, "the number of the barrier");
  require(number < 16, "there are 16 barriers");
  return warp.block.barriers.all[number];
}

static unsigned expectedThreads(Warp &warp, const Instruction &instruction,
                                uint32_t lanes) {
  if (!instruction.number[HasCount])
    return warp.block.warpCount() * lanesOfWarp;
  uint64_t count =
      warp.uniform(instruction.slot[1], 1, lanes, "the number of threads");
  require(count && count % lanesOfWarp == 0,
          "the number of threads is no multiple of 32");
  require(count <= warp.block.warpCount() * lanesOfWarp,
          "the barrier expects more threads than the block has");
  return count;
}

static void arrive(Warp &warp, Barrier &barrier, unsigned expected,
                   bool waits) {
  require(!barrier.arrived || barrier.expected == expected,
          "warps expect different numbers of threads at one barrier");
  barrier.expected = expected;
  // A warp arrives as a whole.
  barrier.arrived += lanesOfWarp;
  barrier.gathered.join(warp.knowledge);
  warp.advance();
  barrier.waiting += waits;
  if (barrier.arrived < expected)
    return;
  if (barrier.waiting)
    barrier.results[barrier.completed] = {barrier.gathered, barrier.waiting};
  ++barrier.completed;
  barrier.arrived = barrier.waiting = 0;
  barrier.gathered = {};
}

/// A warp learns what those that arrived knew.
static void leave(Warp &warp, Barrier &barrier, uint64_t ticket) {
  auto result = barrier.results.find(ticket - 1);
  warp.learn(result->second.first);
  if (--result->second.second == 0)
    barrier.results.erase(result);
}

static Outcome atBarrier(Warp &warp, const Instruction &instruction,
                         uint32_t lanes) {
  Barrier &barrier = barrierOf(warp, instruction, lanes);
  LaneGroup &group = warp.group();
  if (!group.ticket) {
    unsigned expected = expectedThreads(warp, instruction, lanes);
    if (instruction.number[IsArrival]) {
      arrive(warp, barrier, expected, false);
      return Outcome::Next;
    }
    group.ticket = barrier.completed + 1;
    arrive(warp, barrier, expected, true);
  }
  if (barrier.completed < group.ticket)
    return Outcome::Blocked;
  leave(warp, barrier, group.ticket);
  return Outcome::Next;
}

/// barrier.cluster.arrive and .wait: all threads of the cluster, one block.
static Outcome arriveAtCluster(Warp &warp, const Instruction &, uint32_t) {
  require(!warp.clusterTicket, "the warp has arrived and not waited yet");
  Barrier &barrier = warp.block.barriers.cluster;
  warp.clusterTicket = barrier.completed + 1;
  arrive(warp, barrier, warp.block.warpCount() * lanesOfWarp, true);
  return Outcome::Next;
}

static Outcome waitForCluster(Warp &warp, const Instruction &, uint32_t) {
  require(warp.clusterTicket, "the warp has not arrived");
  Barrier &barrier = warp.block.barriers.cluster;
  if (barrier.completed < warp.clusterTicket)
    return Outcome::Blocked;
  leave(warp, barrier, std::exchange(warp.clusterTicket, 0));
  return Outcome::Next;
}

static void decodeClusterBarrier(Decoder &d) {
  bool arrives = d.expectOneOf({"arrive", "wait"}) == 0;
  d.take(arrives ? "release" : "acquire");
  d.take("aligned");
  d.expectOperands(0, 0);
  d.result.isConvergent = true;
  d.result.execute = arrives ? arriveAtCluster : waitForCluster;
}

static void decodeBarrier(Decoder &d) {
  if (d.take("cluster"))
    return decodeClusterBarrier(d);
  d.take("cta");
  if (d.take("warp")) {
    d.expect("sync");
    d.expectOperands(1, 1);
    d.result.members = d.source(d.operand(0), {Type::Bits, 32});
    d.result.isConvergent = true;
    // Lanes of a warp are one agent.
    d.result.execute = [](Warp &, const Instruction &, uint32_t) {
      return Outcome::Next;
    };
    return;
  }
  d.result.number[IsArrival] = d.expectOneOf({"sync", "arrive"});
  d.take("aligned");
  d.expectOperands(1, 2);
  d.result.slot[0] = d.source(d.operand(0), {Type::Unsigned, 32});
  if ((d.result.number[HasCount] = d.operandCount() == 2))
    d.result.slot[1] = d.source(d.operand(1), {Type::Unsigned, 32});
  require(!d.result.number[IsArrival] || d.result.number[HasCount],
          "expected a number of threads");
  d.result.isConvergent = true;
  d.result.execute = atBarrier;
}

void mixattn::emulator::addBarrierRules(RuleTable &rules) {
  rules["bar"] = decodeBarrier;
  rules["barrier"] = decodeBarrier;
}
