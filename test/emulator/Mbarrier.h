// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers in shared memory (PTX ISA, mbarrier).
#ifndef MIXATTN_TEST_EMULATOR_MBARRIER_H
#define MIXATTN_TEST_EMULATOR_MBARRIER_H

#include "CopyGroups.h"

namespace mixattn::emulator {

class Warp;

struct Mbarrier {
  /// Arrivals that each phase expects, and those that are still missing.
  unsigned expected = 0, pending = 0;
  /// Bytes that are still missing.
  int64_t bytes = 0;
  uint64_t phase = 0;
  /// The knowledge of those that arrived in this phase, and in the last one.
  Knowledge gathered, result;
  /// Copies that signal it; those of phase p are event p + 1 of the agent.
  Agent agent = 0;
  std::vector<Transfer> transfers;
  /// Who made it.
  Agent maker = 0;
  uint32_t madeAt = 0, instruction = 0;

  void arrive(unsigned count, const Knowledge &knowledge);
  void expectBytes(uint64_t count);
  void completeBytes(uint64_t count, const Observer &observer);
  void land();
  /// Begins a copy that signals it: it lands at once, or when it must.
  void begin(Transfer transfer, bool landsAtIssue);

private:
  void finishIfComplete();
};

struct Mbarriers {
  std::map<uint64_t, Mbarrier> all;
  /// The barrier at an address of shared memory, which that observer uses.
  Mbarrier &find(uint64_t address, const Observer &observer);
  /// Fails where one of these bytes is part of a barrier.
  void checkNone(uint64_t address, size_t size) const;
};

/// The address of shared memory that an operand means, generic or not.
uint64_t sharedAddress(const Warp &warp, Space space, uint64_t address);

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_MBARRIER_H
