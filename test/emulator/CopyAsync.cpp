// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, cp.async and its groups: copies of 4, 8 or 16 bytes of each lane.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
enum Field { Size, HasGivenSize, IgnoresSource, IgnoreNegated, NoIncrement };

struct LaneCopy {
  uint64_t target = 0, source = 0;
  unsigned given = 0;
};
} // namespace

static GroupQueue &queueOf(Warp &warp) {
  GroupQueue &queue = warp.copies.async;
  if (!std::exchange(queue.hasAgent, true))
    queue.agent = warp.block.newAgent();
  return queue;
}

static void checkSource(Warp &warp, uint64_t address, size_t size) {
  Resolved found = warp.resolve(Space::Global, address, size, 1);
  (void)found;
}

static Outcome copy(Warp &warp, const Instruction &instruction,
                    uint32_t lanes) {
  unsigned size = instruction.number[Size];
  std::vector<LaneCopy> copies;
  LaneAddresses targets;
  targets.bytes = size;
  forLanes(lanes, [&](unsigned lane) {
    LaneCopy each;
    each.target = warp.address(instruction, 0, instruction.slot[0], lane);
    each.source = warp.address(instruction, 1, instruction.slot[1], lane);
    each.given = size;
    if (instruction.number[HasGivenSize])
      each.given = warp.read<uint32_t>(instruction.slot[2], lane);
    if (instruction.number[IgnoresSource] &&
        (warp.read<uint32_t>(instruction.slot[2], lane) & 1) !=
            unsigned(instruction.number[IgnoreNegated]))
      each.given = 0;
    require(each.given <= size, "more bytes are given than are copied");
    warp.resolve(Space::Shared, each.target, size, size);
    require(each.source % size == 0, "the source is not aligned");
    if (each.given)
      checkSource(warp, each.source, each.given);
    warp.block.counters.asyncCopyBytes += each.given;
    targets.first.push_back(each.target);
    copies.push_back(each);
  });
  warp.block.counters.countShared(targets);
  GroupQueue &queue = queueOf(warp);
  Block &block = warp.block;
  auto move = [&block, copies, size](const Observer &observer) {
    for (const LaneCopy &each : copies) {
      uint8_t *to = block.sharedBytes(each.target, size, size, true, observer);
      // Bytes beyond the source's size become zeros.
      std::memset(to, 0, size);
      if (!each.given)
        continue;
      Allocation *found = block.device.memory.find(each.source, each.given);
      size_t offset = each.source - found->begin;
      found->accesses().read(offset, each.given, observer);
      std::memcpy(to, found->bytes.data() + offset, each.given);
    }
  };
  queue.add(warp.transfer(queue.agent, queue.openEvent, false, move),
            block.landsAtIssue());
  warp.advance();
  return Outcome::Next;
}

static Outcome commit(Warp &warp, const Instruction &, uint32_t lanes) {
  warp.requireAllLanes(lanes);
  queueOf(warp).commit();
  return Outcome::Next;
}

static Outcome waitForGroups(Warp &warp, const Instruction &instruction,
                             uint32_t lanes) {
  warp.requireAllLanes(lanes);
  GroupQueue &queue = queueOf(warp);
  if (instruction.number[0] < 0)
    queue.commit();
  uint32_t covered = queue.wait(std::max(0, instruction.number[0]));
  warp.knowledge.generic.learn(queue.agent, covered);
  return Outcome::Next;
}

/// cp.async.mbarrier.arrive: the lanes arrive when all their copies so far are
/// complete; without .noinc the phase expects them in addition.
static Outcome arriveWhenCopied(Warp &warp, const Instruction &instruction,
                                uint32_t lanes) {
  warp.requireAllLanes(lanes);
  GroupQueue &queue = queueOf(warp);
  uint32_t covered = queue.openEvent++;
  queue.disown();
  Block &block = warp.block;
  forLanes(lanes, [&](unsigned lane) {
    uint64_t address =
        sharedAddress(warp, instruction.space,
                      warp.address(instruction, 0, instruction.slot[0], lane));
    Mbarrier &barrier = block.mbarriers.find(address, warp.observer());
    if (!instruction.number[NoIncrement])
      ++barrier.pending;
    auto move = [&warp, &barrier, covered](const Observer &observer) {
      warp.copies.async.landAll();
      Knowledge knowledge = *observer.knowledge;
      knowledge.generic.learn(warp.copies.async.agent, covered);
      barrier.arrive(1, knowledge);
    };
    Transfer transfer =
        warp.transfer(queue.agent, queue.openEvent, false, move);
    barrier.begin(std::move(transfer), block.landsAtIssue());
  });
  warp.advance();
  return Outcome::Next;
}

static void decodeCopy(Decoder &d) {
  auto &result = d.result;
  bool isGlobalOnly = d.expectOneOf({"ca", "cg"}) == 1;
  d.expectOneOf({"shared", "shared::cta"});
  d.expect("global");
  bool hasPolicy = d.take("L2::cache_hint");
  d.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  size_t most = 4 + hasPolicy;
  d.expectOperands(3 + hasPolicy, most);
  d.address(d.operand(0), 0, 0);
  d.address(d.operand(1), 1, 1);
  int64_t size = result.number[Size] = d.number(d.operand(2));
  require(size == 16 || (!isGlobalOnly && (size == 4 || size == 8)),
          "expected 4, 8 or 16 bytes, and 16 for .cg");
  if (d.operandCount() == most) {
    const Expression &last = d.operand(3);
    if (d.widthOf(last, {Type::Unsigned, 32}) == 1) {
      result.number[IgnoresSource] = 1;
      result.number[IgnoreNegated] = d.predicate(last, 2);
    } else {
      result.number[HasGivenSize] = 1;
      result.slot[2] = d.source(last, {Type::Unsigned, 32});
    }
  }
  if (hasPolicy)
    d.source(d.operand(most - 1), {Type::Bits, 64});
  result.execute = copy;
}

static void decode(Decoder &d) {
  auto &result = d.result;
  d.expect("async");
  if (d.take("bulk"))
    return decodeBulkCopy(d);
  if (d.take("commit_group")) {
    d.expectOperands(0, 0);
    result.isConvergent = true;
    result.execute = commit;
    return;
  }
  if (d.take("wait_group") || d.take("wait_all")) {
    bool isAll = d.statement.opcode[2] == "wait_all";
    d.expectOperands(!isAll, !isAll);
    result.number[0] = isAll ? -1 : d.number(d.operand(0));
    result.isConvergent = true;
    result.execute = waitForGroups;
    return;
  }
  if (d.take("mbarrier")) {
    d.expect("arrive");
    result.number[NoIncrement] = d.take("noinc");
    if (d.takeOneOf({"shared", "shared::cta"}) >= 0)
      result.space = Space::Shared;
    d.expect("b64");
    d.expectOperands(1, 1);
    d.address(d.operand(0), 0, 0);
    result.execute = arriveWhenCopied;
    return;
  }
  decodeCopy(d);
}

void mixattn::emulator::addCopyRules(RuleTable &rules) { rules["cp"] = decode; }
