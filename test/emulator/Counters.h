// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of what a launch did.
#ifndef MIXATTN_TEST_EMULATOR_COUNTERS_H
#define MIXATTN_TEST_EMULATOR_COUNTERS_H

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace mixattn::emulator {

/// The addresses that the lanes of one instruction access.
struct LaneAddresses {
  std::vector<uint64_t> first;
  unsigned bytes = 0;
};

struct Counters {
  uint64_t blocks = 0, instructions = 0, laneInstructions = 0;
  uint64_t globalLoadBytes = 0, globalLoadSectors = 0;
  uint64_t globalStoreBytes = 0, globalStoreSectors = 0;
  /// The same, a sector once for each block that loads or stores it: what would
  /// pass a cache that holds all of a block's.
  uint64_t globalLoadSectorsOnce = 0, globalStoreSectorsOnce = 0;
  uint64_t asyncCopyBytes = 0, bulkLoadBytes = 0, bulkStoreBytes = 0;
  /// Wavefronts of shared memory, and the least that would do.
  uint64_t sharedWavefronts = 0, sharedLeastWavefronts = 0;
  /// Instructions of warps by opcode.
  std::map<std::string, uint64_t> executed;

  void add(const Counters &other);
  void countGlobal(const LaneAddresses &addresses, bool isStore);
  void countShared(const LaneAddresses &addresses);
  /// One JSON object.
  std::string toJson() const;

private:
  /// The sectors that the block has loaded and stored.
  std::unordered_set<uint64_t> loaded, stored;
};

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_COUNTERS_H
