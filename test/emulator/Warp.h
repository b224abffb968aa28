// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp: registers of its lanes, where they are, and what they know.
#ifndef MIXATTN_TEST_EMULATOR_WARP_H
#define MIXATTN_TEST_EMULATOR_WARP_H

#include "CopyGroups.h"
#include "Half.h"
#include "Shadow.h"
#include "WgmmaGroups.h"

#include "Module.h"

namespace mixattn::emulator {

class Block;

/// Lanes at one place of the code.
struct LaneGroup {
  uint32_t place = 0, lanes = 0;
  /// Of a barrier: which one it waits for; 0, none.
  uint64_t ticket = 0;
};

/// Bytes that an address means, after all checks.
struct Resolved {
  Space space = Space::Global;
  uint8_t *bytes = nullptr;
  Shadow *shadow = nullptr;
  /// Where they begin in the memory of the shadow.
  size_t offset = 0;
};

class Warp {
public:
  Warp(Block &block, unsigned index, uint32_t lanes);

  /// Lets some lanes execute one instruction; whether any went on.
  bool step();
  bool isDone() const { return groups.empty(); }
  /// The statement that its lanes wait at, for messages about a deadlock.
  std::string waits() const;
  /// The statement that is executed.
  std::string currentPlace() const;

  template <class T> T read(Slot slot, unsigned lane) const {
    const uint32_t *value = &registers[slot * lanesOfWarp + lane];
    if constexpr (sizeof(T) == 8)
      return bitCast<T>(value[0] | uint64_t(value[lanesOfWarp]) << 32);
    else if constexpr (sizeof(T) == 4)
      return bitCast<T>(*value);
    else if constexpr (sizeof(T) == 2)
      return bitCast<T>(uint16_t(*value));
    else
      return T(uint8_t(*value));
  }
  template <class T> void write(Slot slot, unsigned lane, T value) {
    uint32_t *to = &registers[slot * lanesOfWarp + lane];
    if constexpr (sizeof(T) == 8) {
      uint64_t bits = bitCast<uint64_t>(value);
      to[0] = bits;
      to[lanesOfWarp] = bits >> 32;
    } else if constexpr (sizeof(T) == 4) {
      *to = bitCast<uint32_t>(value);
    } else if constexpr (sizeof(T) == 2) {
      *to = bitCast<uint16_t>(value);
    } else {
      *to = uint8_t(value);
    }
  }
  /// The lanes where a predicate holds.
  uint32_t lanesWhere(Slot slot, bool isNegated, uint32_t lanes) const;
  /// An address with its offset; addresses of 32 bits wrap around.
  uint64_t address(const Instruction &instruction, size_t i, Slot slot,
                   unsigned lane) const {
    if (instruction.isWide[i])
      return read<uint64_t>(slot, lane) + instruction.offset[i];
    return uint32_t(read<uint32_t>(slot, lane) + instruction.offset[i]);
  }
  /// The one value that all lanes have in a slot.
  uint64_t uniform(Slot slot, unsigned slots, uint32_t lanes,
                   const char *what) const;

  /// Finds bytes of a state space and checks bounds and alignment.
  Resolved resolve(Space space, uint64_t address, size_t size,
                   size_t alignment);
  /// The same, and records the access of this warp.
  Resolved load(Space space, uint64_t address, size_t size);
  /// `value` is what will be written, or null for an atomic operation.
  Resolved store(Space space, uint64_t address, size_t size,
                 const uint8_t *value);

  /// How this warp accesses memory now.
  Observer observer() const;
  /// An operation of this warp that moves bytes by itself: what it knows is
  /// what the warp knows now.
  Transfer transfer(Agent by, uint32_t byEvent, bool isAsync,
                    std::function<void(const Observer &)> move) const;
  /// Events from now on are not part of what others have learned so far.
  void advance() { knowledge.generic.learn(agent, ++event); }
  void learn(const Knowledge &other) { knowledge.join(other); }

  /// Sends lanes of the current group elsewhere; the others go on.
  void jump(uint32_t lanes, uint32_t place);
  /// Ends lanes of the current group; the others go on.
  void end(uint32_t lanes);
  LaneGroup &group() { return groups[current]; }
  /// Whether all living lanes are in the current group.
  void requireAllLanes(uint32_t lanes) const;
  /// Fails where a slot has no value yet, or its value is under way.
  void checkRead(Slot slot, uint32_t lanes) const;
  void checkWrite(Slot slot) const;
  void define(Slot slot, uint32_t lanes) { defined[slot] |= lanes; }
  void undefine(Slot slot) { defined[slot] = 0; }

  Block &block;
  const unsigned index;
  const Agent agent;
  /// Lanes that have not ended.
  uint32_t living;
  Knowledge knowledge;
  uint32_t event = 1;
  CopyGroups copies;
  WgmmaGroups wgmmas;
  /// The completion of the cluster's barrier that it has arrived for; 0, none.
  uint64_t clusterTicket = 0;
  /// By mbarrier, the end of the phase that the warp has asked for once.
  std::map<uint64_t, uint64_t> askedFor;

private:
  bool execute(size_t i);
  bool isConverged(const Instruction &instruction, uint32_t lanes) const;
  void merge();
  void checkEnd() const;

  std::vector<LaneGroup> groups;
  size_t current = 0;
  std::vector<uint32_t> registers;
  /// For each slot the lanes that have a value.
  std::vector<uint32_t> defined;
};

/// Calls `visit` with each of `lanes`.
template <class Visit> void forLanes(uint32_t lanes, Visit visit) {
  if (lanes == allLanes) {
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      visit(lane);
    return;
  }
  for (; lanes; lanes &= lanes - 1)
    visit(__builtin_ctz(lanes));
}

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_WARP_H
