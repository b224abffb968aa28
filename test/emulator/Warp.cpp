// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of a warp: which lanes go next, and what holds of each instruction.
#include "Warp.h"

#include "Block.h"

#include <algorithm>

using namespace mixattn::emulator;

Warp::Warp(Block &block, unsigned index, uint32_t lanes)
    : block(block), index(index), agent(block.newAgent()), living(lanes) {
  const Kernel &kernel = block.kernel;
  registers.assign(size_t(kernel.slots) * lanesOfWarp, 0xffffffff);
  defined.assign(kernel.slots, 0);
  wgmmas.held.resize(kernel.slots);
  wgmmas.accessedAt.assign(kernel.slots, 0);
  groups.push_back({0, lanes, 0});
  knowledge.generic.learn(agent, event);
  for (const Constant &constant : kernel.constants)
    for (unsigned i = 0; i < constant.slots; ++i) {
      uint32_t bits = i < 2 ? constant.bits >> (32 * i) : 0;
      std::fill_n(&registers[(constant.slot + i) * lanesOfWarp], lanesOfWarp,
                  bits);
      defined[constant.slot + i] = allLanes;
    }
  for (const Special &special : kernel.specials) {
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      write<uint32_t>(
          special.slot, lane,
          block.specialRegister(special.name, index * lanesOfWarp + lane));
    defined[special.slot] = allLanes;
  }
}

std::string Warp::currentPlace() const {
  const Instruction &instruction = block.kernel.code[groups[current].place];
  return place(instruction.line, instruction.text);
}

std::string Warp::waits() const {
  std::string text;
  for (const LaneGroup &each : groups) {
    const Instruction &instruction = block.kernel.code[each.place];
    text += (text.empty() ? "" : " and ") +
            place(instruction.line, instruction.text);
    if (each.lanes != living)
      text += " (lanes " + hexadecimal(each.lanes) + ")";
  }
  return text;
}

uint32_t Warp::lanesWhere(Slot slot, bool isNegated, uint32_t lanes) const {
  uint32_t result = 0;
  const uint32_t *values = &registers[slot * lanesOfWarp];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    result |= (values[lane] & 1) << lane;
  return (isNegated ? ~result : result) & lanes;
}

uint64_t Warp::uniform(Slot slot, unsigned slots, uint32_t lanes,
                       const char *what) const {
  unsigned first = __builtin_ctz(lanes);
  auto value = [&](unsigned lane) -> uint64_t {
    return slots == 2 ? read<uint64_t>(slot, lane) : read<uint32_t>(slot, lane);
  };
  forLanes(lanes, [&](unsigned lane) {
    if (value(lane) != value(first))
      fail(std::string(what) + " differs among the lanes of a warp");
  });
  return value(first);
}

Observer Warp::observer() const {
  Observer result;
  result.knowledge = &knowledge;
  result.kernel = &block.kernel;
  result.owner = block.owner;
  result.firstOwner = block.firstOwner;
  result.event = event;
  result.instruction = groups[current].place;
  result.agent = agent;
  return result;
}

Transfer Warp::transfer(Agent by, uint32_t byEvent, bool isAsync,
                        std::function<void(const Observer &)> move) const {
  Transfer result;
  result.knowledge = std::make_shared<Knowledge>(knowledge);
  result.observer = observer();
  result.observer.agent = by;
  result.observer.event = byEvent;
  result.observer.isAsync = isAsync;
  result.move = std::move(move);
  return result;
}

Resolved Warp::resolve(Space space, uint64_t address, size_t size,
                       size_t alignment) {
  Resolved result;
  if (address % alignment)
    fail("the address " + hexadecimal(address) + " is no multiple of " +
         std::to_string(alignment));
  auto inside = [&](std::vector<uint8_t> &bytes, uint64_t offset) {
    if (offset > bytes.size() || size > bytes.size() - offset)
      fail(std::to_string(size) + " bytes at " + hexadecimal(offset) +
           " are out of bounds: " +
           (space == Space::Shared ? "shared memory" : "parameters") + " of " +
           std::to_string(bytes.size()) + " bytes");
    result.offset = offset;
    result.bytes = bytes.data() + offset;
  };
  constexpr uint64_t window = 1ull << 32;
  if (space == Space::Generic) {
    space = Space::Global;
    if (address - sharedWindow < window) {
      space = Space::Shared;
      address -= sharedWindow;
    } else if (address - parameterWindow < window) {
      space = Space::Parameter;
      address -= parameterWindow;
    }
  }
  result.space = space;
  if (space == Space::Shared) {
    inside(block.shared, address);
    result.shadow = &block.sharedAccesses;
  } else if (space == Space::Parameter) {
    inside(block.parameters, address);
  } else {
    Allocation *found = block.device.memory.find(address, size);
    if (!found)
      fail(std::to_string(size) + " bytes at " + hexadecimal(address) +
           " are out of bounds: no allocation of global memory holds them");
    result.offset = address - found->begin;
    result.bytes = found->bytes.data() + result.offset;
    result.shadow = &found->accesses();
  }
  return result;
}

Resolved Warp::load(Space space, uint64_t address, size_t size) {
  Resolved result = resolve(space, address, size, size);
  if (!result.shadow)
    return result;
  if (result.space == Space::Shared)
    block.mbarriers.checkNone(result.offset, size);
  result.shadow->read(result.offset, size, observer());
  if (result.space == Space::Shared)
    block.requireWritten(result.offset, size, observer());
  return result;
}

Resolved Warp::store(Space space, uint64_t address, size_t size,
                     const uint8_t *value) {
  Resolved result = resolve(space, address, size, size);
  if (!result.shadow)
    fail("parameters cannot be written");
  if (result.space == Space::Shared)
    block.mbarriers.checkNone(result.offset, size);
  Observer by = observer();
  by.isAtomic = !value;
  by.isSilent = value && block.device.options.allowsEqualWrites &&
                std::memcmp(result.bytes, value, size) == 0;
  result.shadow->write(result.offset, size, by);
  return result;
}

void Warp::jump(uint32_t lanes, uint32_t place) {
  LaneGroup &group = groups[current];
  uint32_t others = group.lanes & ~lanes;
  uint32_t next = group.place + 1;
  group = {place, lanes, 0};
  if (others)
    groups.push_back({next, others, 0});
}

void Warp::end(uint32_t lanes) {
  LaneGroup &group = groups[current];
  group.lanes &= ~lanes;
  living &= ~lanes;
  if (!living)
    checkEnd();
  if (group.lanes)
    ++group.place;
  else
    groups.erase(groups.begin() + current);
}

void Warp::checkEnd() const {
  require(!wgmmas.queue.isBusy(),
          "wgmma groups are still under way at the end of the warp");
  require(!copies.async.isBusy(),
          "cp.async groups are still under way at the end of the warp");
  for (const auto &[lane, bulk] : copies.bulk)
    require(!bulk.reads.isBusy(),
            "bulk groups are still under way at the end of the warp");
}

void Warp::requireAllLanes(uint32_t lanes) const {
  if (lanes != living)
    fail("only lanes " + hexadecimal(lanes) + " of " + hexadecimal(living) +
         " execute an instruction of the whole warp");
}

void Warp::checkRead(Slot slot, uint32_t lanes) const {
  if (!(lanes & ~defined[slot]))
    return;
  const WgmmaGroups::Held &held = wgmmas.held[slot];
  if (held.instruction && held.isResult)
    fail("a register is read while wgmma still writes it, " +
         place(held.instruction->line, held.instruction->text));
  fail("a register is read before it is written");
}

void Warp::checkWrite(Slot slot) const {
  const WgmmaGroups::Held &held = wgmmas.held[slot];
  if (held.instruction)
    fail(std::string("a register is written while wgmma still ") +
         (held.isResult ? "writes" : "reads") + " it, " +
         place(held.instruction->line, held.instruction->text));
}

bool Warp::isConverged(const Instruction &instruction, uint32_t lanes) const {
  uint32_t wanted = living;
  if (instruction.members != noSlot) {
    uint32_t members =
        uniform(instruction.members, 1, lanes, "the mask of members");
    if (lanes & ~members)
      fail("a lane that is not in the mask of members executes it");
    wanted &= members;
  }
  return (lanes & wanted) == wanted;
}

void Warp::merge() {
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t k = i + 1; k < groups.size();) {
      if (groups[i].place != groups[k].place ||
          groups[i].ticket != groups[k].ticket) {
        ++k;
        continue;
      }
      groups[i].lanes |= groups[k].lanes;
      groups.erase(groups.begin() + k);
    }
  std::sort(groups.begin(), groups.end(),
            [](const LaneGroup &left, const LaneGroup &right) {
              return left.place < right.place;
            });
}

bool Warp::step() {
  if (groups.size() > 1)
    merge();
  for (size_t i = 0; i < groups.size(); ++i)
    if (execute(i))
      return true;
  return false;
}

bool Warp::execute(size_t i) {
  current = i;
  uint32_t place = groups[i].place, lanes = groups[i].lanes;
  const Kernel &kernel = block.kernel;
  require(place < kernel.code.size(), "the code ends without ret");
  const Instruction &instruction = kernel.code[place];
  if (instruction.guard != noSlot) {
    checkRead(instruction.guard, lanes);
    lanes = lanesWhere(instruction.guard, instruction.guardNegated, lanes);
    if (!lanes) {
      ++groups[i].place;
      return true;
    }
  }
  if (instruction.isConvergent && !isConverged(instruction, lanes)) {
    require(lanes == groups[i].lanes,
            "the predicate differs among lanes that must go together");
    return false;
  }
  for (Slot slot : instruction.reads) {
    checkRead(slot, lanes);
    wgmmas.accessedAt[slot] = wgmmas.step;
  }
  if (wgmmas.heldCount)
    for (Slot slot : instruction.writes)
      checkWrite(slot);
  Outcome outcome = instruction.execute(*this, instruction, lanes);
  if (outcome == Outcome::Blocked)
    return false;
  for (Slot slot : instruction.writes) {
    defined[slot] |= lanes;
    wgmmas.accessedAt[slot] = wgmmas.step;
  }
  ++wgmmas.step;
  ++block.executed[place];
  block.counters.laneInstructions += __builtin_popcount(lanes);
  if (outcome == Outcome::Next) {
    ++groups[i].place;
    groups[i].ticket = 0;
  }
  return true;
}
